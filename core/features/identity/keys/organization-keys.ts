import type { Knex } from 'knex'
import { createModelSource, listPage } from '../../../database/list/index.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import type { PageRequest, PageResult } from '../../../kernel/page.ts'
import type { PermissionMap } from '../../../kernel/permission.ts'
import { createNotFoundProblem, createProblem, createValidationProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { readApplicationNames } from '../../applications/index.ts'
import { recordAct } from '../acts/acts.ts'
import { parsePermissionMap } from '../identity.reads.ts'
import { lockOrganization } from '../members/ranks.ts'
import { endKey, insertKey, type CreatedApiKey } from './api-keys.ts'
import { apiKeyColumns, ApiKeyModel } from './api-keys.model.ts'

/** Maximum number of keys of an organization that work at a time. */
const maxActiveKeys = 100

/** Hours for which the old key of a rotation may live on. */
export const overlapHours = [0, 1, 24] as const

/** A key as the members of its organization see it. */
export interface ListedKey {
  id: string
  name: string
  /** The last four characters of the secret; the others are not known. */
  lastFour: string
  permissions: PermissionMap
  /** The application that the key is for; null for all of them. */
  application: { id: string; name: string } | null
  status: 'active' | 'expired' | 'revoked'
  createdAt: string
  expiresAt: string | null
  /** When it was used last, to the minute, and from which network address; null if it never was. */
  lastUsedAt: string | null
  lastUsedFrom: string | null
}

/** Presents keys, each with the name of its application. */
async function presentKeys(trx: Knex, rows: readonly ApiKeyModel[]): Promise<ListedKey[]> {
  const applications = rows.flatMap(({ application }) => application ?? [])
  const names = await readApplicationNames(trx, applications)
  return rows.map((row) => presentKey(row, names))
}

function presentKey(row: ApiKeyModel, names: ReadonlyMap<string, string>): ListedKey {
  const { id, name, metadata, permissions, enabled, isOver, createdAt, expiresAt, lastRequest, lastAddress } = row
  const { application } = row
  return {
    id,
    name: name ?? '',
    lastFour: parseLastFour(metadata),
    permissions: parsePermissionMap(permissions),
    application: application === null ? null : { id: application, name: names.get(application) ?? '' },
    status: !enabled ? 'revoked' : isOver ? 'expired' : 'active',
    createdAt,
    expiresAt,
    lastUsedAt: lastRequest,
    lastUsedFrom: lastAddress,
  }
}

function parseLastFour(metadata: string | null): string {
  const { lastFour } = JSON.parse(metadata ?? '{}') as { lastFour?: unknown }
  return typeof lastFour === 'string' ? lastFour : ''
}

/** Lists the keys of an organization, those that ended included. */
export async function listApiKeys(trx: Knex, organization: string, page: PageRequest): Promise<PageResult<ListedKey>> {
  const keys = createModelSource(ApiKeyModel.query(trx).modify('ofOrganization', organization))
  const found = await listPage(keys, page, apiKeyColumns)
  return { ...found, data: await presentKeys(trx, found.data) }
}

/** Days before its end in which a key is said to expire soon. */
const expiringDays = 14

/** Lists the keys of an organization that work and expire within 14 days, the next to expire first. */
export async function listExpiringKeys(trx: Knex, organization: string): Promise<ExpiringKey[]> {
  const rows = await trx('api_keys')
    .where({ organization, enabled: true })
    .whereRaw(`expires_at > now() and expires_at < now() + interval '${expiringDays} days'`)
    .orderBy('expires_at')
    .select<{ name: string | null; expires_at: Date }[]>('name', 'expires_at')
  return rows.map(({ name, expires_at: end }) => ({ name: name ?? '', expiresAt: end.toISOString() }))
}

/** A key that works and has an end. */
export interface ExpiringKey {
  name: string
  /** RFC 3339. */
  expiresAt: string
}

/** Reads a key of an organization. @throws NOT_FOUND */
export async function readApiKey(trx: Knex, organization: string, id: string): Promise<ListedKey> {
  const row = await ApiKeyModel.query(trx).modify('ofOrganization', organization).findOne('api_keys.id', id)
  const [key] = await presentKeys(trx, row ? [row] : [])
  if (!key) throw createNotFoundProblem()
  return key
}

const countActiveKeys = (db: Knex, organization: string): Promise<number> =>
  ApiKeyModel.query(db).where({ organization }).modify('working').resultSize()

/** Counts the keys of an application that work. */
export const countApplicationKeys = (db: Knex, application: string): Promise<number> =>
  ApiKeyModel.query(db).where({ application }).modify('working').resultSize()

/** A key that members make. */
export interface WantedKey {
  name: string
  permissions: PermissionMap
  /** The application that it is for; null for all of them. */
  application: string | null
  expiresAt: Date | null
}

/**
 * Creates a key for an organization and returns its secret, which is not stored. The organization is locked, so that keys
 * that are created at once count each other.
 * @throws VALIDATION_FAILED for a name, an application or an expiry as `insertKey`, and for no permission at all
 * @throws API_KEY_LIMIT if 100 keys work already
 */
export async function createOrganizationKey(
  work: Work,
  caller: OrganizationCaller,
  { name, permissions, application, expiresAt }: WantedKey,
): Promise<CreatedApiKey> {
  if (Object.values(permissions).every((actions) => actions.length === 0))
    throw createValidationProblem([{ path: 'permissions', code: 'required', message: 'must name one at least' }])
  const { organization } = caller
  return inTransaction(work, async (trx) => {
    await lockOrganization(trx, organization)
    if ((await countActiveKeys(trx, organization)) >= maxActiveKeys)
      throw createProblem('API_KEY_LIMIT', `At most ${maxActiveKeys} keys work at a time. Revoke one first.`)
    const created = await insertKey(work.context, trx, { organization, name, permissions, application, expiresAt })
    const target = { kind: 'api-key', id: created.id, label: name }
    const change = application === null ? {} : { change: `for ${application}` }
    await recordAct({ ...work, trx }, organization, { action: 'api-key.create', target, ...change })
    return created
  })
}

/** The secret of a new key is shown once, so the change is committed before anything is answered. */
const inTransaction = <T>({ context }: Work, change: (trx: Knex) => Promise<T>): Promise<T> =>
  context.db.transaction(change)

/**
 * Replaces a key by one with the same name, permissions, application and expiry.
 * @param hours how long the old one lives on
 * @throws NOT_FOUND, API_KEY_ENDED for a key that does not work any more
 */
export async function rotateApiKey(
  work: Work,
  caller: OrganizationCaller,
  { id, hours }: { id: string; hours: (typeof overlapHours)[number] },
): Promise<CreatedApiKey> {
  const { organization } = caller
  return inTransaction(work, async (trx) => {
    await lockOrganization(trx, organization)
    const { name, permissions, application, expiresAt } = await readWorkingKey(trx, organization, id)
    const end = expiresAt === null ? null : new Date(expiresAt)
    const wanted = { organization, name, permissions, application: application?.id ?? null, expiresAt: end }
    const created = await insertKey(work.context, trx, wanted)
    if (hours === 0) await endKey(work.context, trx, id)
    else
      await ApiKeyModel.query(trx)
        .where({ id, organization })
        .whereRaw(`(expires_at is null or expires_at > now() + make_interval(hours => ?))`, [hours])
        .patch({ expiresAt: new Date(Date.now() + hours * 3_600_000).toISOString() })
    await recordAct({ ...work, trx }, organization, {
      action: 'api-key.rotate',
      target: { kind: 'api-key', id, label: name },
      change: `${id} > ${created.id}, ${hours} h`,
    })
    return created
  })
}

/** Revokes a key of an organization. @throws NOT_FOUND, API_KEY_ENDED for a key that does not work any more */
export async function revokeOrganizationKey(work: Work, caller: OrganizationCaller, id: string): Promise<void> {
  const { organization } = caller
  await inTransaction(work, async (trx) => {
    await lockOrganization(trx, organization)
    const { name } = await readWorkingKey(trx, organization, id)
    await endKey(work.context, trx, id)
    const target = { kind: 'api-key', id, label: name }
    await recordAct({ ...work, trx }, organization, { action: 'api-key.revoke', target })
  })
}

async function readWorkingKey(db: Knex, organization: string, id: string): Promise<ListedKey> {
  const key = await readApiKey(db, organization, id)
  if (key.status !== 'active') throw createProblem('API_KEY_ENDED', 'This key was revoked or has expired.')
  return key
}
