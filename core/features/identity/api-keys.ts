import { actions, resources, type PermissionMap } from '../../kernel/permission.ts'
import { invalid, notFound, type Violation } from '../../kernel/problem.ts'
import { isName } from '../../kernel/text/characters.ts'
import { disableKey, insertKey, type AuthParts } from './auth.ts'
import { newSecret } from './keys.ts'

export interface NewKey {
  organization: string
  name: string
  permissions: PermissionMap
  expiresAt?: Date | null
  /** The secret itself, for a key that is known beforehand; else a new one is made. */
  secret?: string
}

/** A key as it is shown once: `key` is not kept and cannot be read again. */
export interface CreatedKey { id: string; key: string; permissions: PermissionMap; expiresAt: string | null }

interface KeyFacts { id: string; name: string | null; organization: string }

const refusal = (path: string, code: string, message: string) => invalid([{ path, code, message }])

/**
 * A new key of an organization. In the name of its first owner, whose role plays no part in what the key may do.
 * @throws VALIDATION_FAILED for an expiry that is past or a name that is empty or longer than 100
 * @throws NOT_FOUND without such an organization
 */
export async function createKey(parts: AuthParts, wanted: NewKey): Promise<CreatedKey> {
  const { organization, name, permissions, expiresAt = null, secret } = wanted
  if (name.length < 1 || name.length > 100) throw refusal('name', 'length', 'must have 1 to 100 characters')
  if (!isName(name)) throw refusal('name', 'format', 'must be one line without hidden characters')
  if (expiresAt && expiresAt.getTime() <= Date.now()) throw refusal('expiresAt', 'past', 'must be in the future')
  const key = secret ?? newSecret(parts.settings.production ? 'live' : 'test')
  const user = await ownerOf(parts, organization)
  const id = await insertKey(parts, { organization, name, permissions, expiresAt, secret: key, user })
  return { id, key, permissions, expiresAt: expiresAt?.toISOString() ?? null }
}

/** Revokes a key. Every process that hears of it refuses the key at once, the others within 5 s. @throws NOT_FOUND */
export async function revokeKey(parts: AuthParts, id: string): Promise<KeyFacts> {
  const row = await parts.db('api_keys').where({ id }).first<KeyFacts | undefined>('id', 'name', 'organization')
  if (!row) throw notFound()
  await disableKey(parts, id, await ownerOf(parts, row.organization))
  return row
}

async function ownerOf({ db }: AuthParts, organization: string): Promise<string> {
  const owner = await db('members').where({ organization_id: organization, role: 'owner' }).orderBy('id')
    .first<{ user_id: string } | undefined>('user_id')
  if (!owner) throw notFound()
  return owner.user_id
}

/**
 * A permission map as it came from outside. @param path what the violations' paths begin with
 * @throws VALIDATION_FAILED with the path of every wrong part
 */
export function readPermissions(value: unknown, path = 'permissions'): PermissionMap {
  if (!isObject(value)) throw refusal(path, 'type', 'must be an object of resources with lists of actions')
  const violations = Object.entries(value).flatMap(([resource, list]) => wrongIn(resource, list, `${path}.${resource}`))
  if (violations.length > 0) throw invalid(violations)
  return Object.fromEntries(Object.entries(value).map(([resource, list]) =>
    [resource, actions.filter((action) => (list as unknown[]).includes(action))]))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const words = (list: readonly string[]) => `must be one of ${list.join(', ')}`

function wrongIn(resource: string, list: unknown, path: string): Violation[] {
  if (!(resources as readonly string[]).includes(resource)) return [{ path, code: 'enum', message: words(resources) }]
  if (!Array.isArray(list)) return [{ path, code: 'type', message: 'must be a list of actions' }]
  const known: readonly unknown[] = actions
  return list.flatMap((action: unknown, at) =>
    known.includes(action) ? [] : [{ path: `${path}[${at}]`, code: 'enum', message: words(actions) }])
}
