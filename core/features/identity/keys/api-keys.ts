import type { Knex } from 'knex'
import { validate } from 'uuid'
import { getConstraint } from '../../../kernel/ports/constraint.ts'
import { isObject } from '../../../kernel/json/values.ts'
import { actions, resources, type PermissionMap } from '../../../kernel/permission.ts'
import { createValidationProblem, createNotFoundProblem, type Issue } from '../../../kernel/problem.ts'
import { isName } from '../../../kernel/text/characters.ts'
import { holdOwnApplication } from '../../applications/index.ts'
import { recordOperatorAct } from '../acts/acts.ts'
import { disableApiKey, insertApiKey, type AuthContext } from '../auth.ts'
import { findFirstOwner } from '../organizations/owners.ts'
import { createApiKeySecret } from './keys.ts'

export interface NewApiKey {
  organization: string
  name: string
  permissions: PermissionMap
  /** The application of the organization that the key is for; null, or left out, for all of them. */
  application?: string | null
  expiresAt?: Date | null
  /** The secret of a key that is known beforehand; without it a new secret is created. */
  secret?: string
}

/** A new key as it is shown once: `key` is not stored and cannot be read again. */
export interface CreatedApiKey {
  id: string
  key: string
  permissions: PermissionMap
  expiresAt: string | null
}

interface ApiKeyFacts {
  id: string
  name: string | null
  organization: string
}

const createInvalidProblem = (path: string, code: string, message: string) =>
  createValidationProblem([{ path, code, message }])

/**
 * Creates a key for an organization, in the transaction and in the name of the organization's first owner. The owner's
 * role does not affect what the key may do.
 * @throws VALIDATION_FAILED for an expiry in the past, or a name that is empty, longer than 100 or not one plain line
 * @throws VALIDATION_FAILED for an application that is not the organization's
 * @throws NOT_FOUND if the organization does not exist, has no owner or was deleted, at this moment too
 */
export async function insertKey(parts: AuthContext, trx: Knex, newKey: NewApiKey): Promise<CreatedApiKey> {
  const { organization, name, permissions, application = null, expiresAt = null, secret } = newKey
  if (name.length < 1 || name.length > 100)
    throw createInvalidProblem('name', 'length', 'must have 1 to 100 characters')
  if (!isName(name)) throw createInvalidProblem('name', 'format', 'must be one line without hidden characters')
  if (expiresAt && expiresAt.getTime() <= Date.now())
    throw createInvalidProblem('expiresAt', 'past', 'must be in the future')
  if (application !== null && !(validate(application) && (await holdOwnApplication(trx, organization, application))))
    throw createInvalidProblem('application', 'not_found', 'must be an application of the organization')
  const key = secret ?? createApiKeySecret(parts.settings.production ? 'live' : 'test')
  const user = await findFirstOwner(trx, organization)
  const row = { organization, name, permissions, expiresAt, secret: key, user }
  const id = await insertApiKey(parts, trx, row).catch((error: unknown) => {
    throw getConstraint(error) === 'organization_deleted' ? createNotFoundProblem() : error
  })
  if (application !== null) await trx('api_keys').where({ id }).update({ application })
  return { id, key, permissions, expiresAt: expiresAt?.toISOString() ?? null }
}

/** Creates a key as an operator. @throws VALIDATION_FAILED, NOT_FOUND as `insertKey` */
export const createApiKey = (parts: AuthContext, newKey: NewApiKey): Promise<CreatedApiKey> =>
  parts.db.transaction(async (trx) => {
    const created = await insertKey(parts, trx, newKey)
    const target = { kind: 'api-key', id: created.id, label: newKey.name }
    const { application = null } = newKey
    const change = application === null ? {} : { change: `for ${application}` }
    await recordOperatorAct(trx, newKey.organization, { action: 'api-key.create', target, ...change })
    return created
  })

/**
 * Revokes a key in a transaction. A process that receives the notice refuses the key at once, every other process within
 * 5 s.
 * @throws NOT_FOUND
 */
export async function endKey(parts: AuthContext, trx: Knex, id: string): Promise<ApiKeyFacts> {
  const row = await trx('api_keys').where({ id }).first<ApiKeyFacts | undefined>('id', 'name', 'organization')
  if (!row) throw createNotFoundProblem()
  await disableApiKey(parts, trx, id, await findFirstOwner(trx, row.organization))
  return row
}

/** Revokes a key as an operator. @throws NOT_FOUND */
export const revokeApiKey = (parts: AuthContext, id: string): Promise<ApiKeyFacts> =>
  parts.db.transaction(async (trx) => {
    const ended = await endKey(parts, trx, id)
    const target = { kind: 'api-key', id, label: ended.name }
    await recordOperatorAct(trx, ended.organization, { action: 'api-key.revoke', target })
    return ended
  })

/**
 * Parses a permission map from outside.
 * @param path the beginning of the paths of the issues
 * @throws VALIDATION_FAILED with the path of every wrong part
 */
export function parsePermissions(value: unknown, path = 'permissions'): PermissionMap {
  if (!isObject(value)) throw createInvalidProblem(path, 'type', 'must be an object of resources with lists of actions')
  const issues = Object.entries(value).flatMap(([resource, list]) =>
    validateActions(resource, list, `${path}.${resource}`),
  )
  if (issues.length > 0) throw createValidationProblem(issues)
  return Object.fromEntries(
    Object.entries(value).map(([resource, list]) => [
      resource,
      actions.filter((action) => (list as unknown[]).includes(action)),
    ]),
  )
}

const formatChoices = (list: readonly string[]) => `must be one of ${list.join(', ')}`

function validateActions(resource: string, list: unknown, path: string): Issue[] {
  if (!(resources as readonly string[]).includes(resource))
    return [{ path, code: 'enum', message: formatChoices(resources) }]
  if (!Array.isArray(list)) return [{ path, code: 'type', message: 'must be a list of actions' }]
  const known: readonly unknown[] = actions
  return list.flatMap((action: unknown, at) =>
    known.includes(action) ? [] : [{ path: `${path}[${at}]`, code: 'enum', message: formatChoices(actions) }],
  )
}

/**
 * Parses the scope of a key from outside: `{application}`.
 * @returns the application's id @throws VALIDATION_FAILED for other members, or an id that is none
 */
export function parseKeyScope(value: unknown): string {
  if (!isObject(value)) throw createInvalidProblem('scope', 'type', 'must be an object with an application')
  const { application, ...others } = value
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw createInvalidProblem(`scope.${unknown}`, 'unknown', 'is no scope of a key')
  if (typeof application !== 'string' || !validate(application))
    throw createInvalidProblem('scope.application', 'format', 'must be the id of an application')
  return application.toLowerCase()
}
