import type { Knex } from 'knex'
import { actions, resources, type PermissionMap, type Role } from '../../kernel/permission.ts'

/** A key that is not revoked. `expiresAt` is in milliseconds since 1970. */
export interface ApiKeyRow {
  id: string
  organization: string
  /** The application that the key was made for; null if it is for the whole organization. */
  application: string | null
  permissions: PermissionMap
  expiresAt: number | null
}

/** A session that has not ended, with the person's current role. A role is never cached. */
export interface SessionRow {
  id: string
  userId: string
  kind: 'member' | 'endUser'
  organization: string | null
  role: Role | null
  application: string | null
  applicationOrganization: string | null
  email: string | null
  phoneNumber: string | null
  /** True if the last recorded use is more than a minute ago. */
  seenLongAgo: boolean
}

/** The deletion of an organization ends its keys. One that was being created meanwhile counts for nothing either. */
const keyByHashSql = `
  select k.id, k.organization, k.application, k.permissions, k.expires_at as "expiresAt"
  from api_keys k join organizations o on o.id = k.organization and o.deleted_at is null
  where k.key = ? and k.enabled`

/**
 * A member has no role in an organization that was deleted. A buyer's session counts while the organization of the
 * application is there, unless it began before that was deleted and restored.
 */
const sessionByTokenSql = `
  select s.id, s.user_id as "userId", s.kind, mo.id as organization, case when mo.id is not null then m.role end as role,
    s.application, ao.id as "applicationOrganization",
    s.last_seen_at < now() - interval '1 minute' as "seenLongAgo",
    case when u.email_verified then u.email end as email,
    case when u.phone_number_verified then u.phone_number end as "phoneNumber"
  from sessions s
  join users u on u.id = s.user_id
  left join members m on m.user_id = s.user_id and m.organization_id = s.active_organization_id
  left join organizations mo on mo.id = m.organization_id and mo.deleted_at is null
  left join applications a on a.id = s.application
  left join organizations ao on ao.id = a.organization and ao.deleted_at is null
    and (ao.sessions_ended_at is null or s.created_at > ao.sessions_ended_at)
  where s.token = ? and s.expires_at > now()`

interface StoredKey {
  id: string
  organization: string
  application: string | null
  permissions: string | null
  expiresAt: Date | null
}
interface Rows<T> {
  rows: T[]
}

/** Runs a named statement, which PostgreSQL plans once per connection. */
async function queryPrepared<T>(db: Knex, name: string, sql: string, values: readonly string[]): Promise<T[]> {
  const answer = (await db.raw(sql, values as string[]).options({ name })) as Rows<T>
  return answer.rows
}

/** Finds the key with this hash, unless it is revoked, with one indexed read. */
export async function findApiKey(db: Knex, hash: string): Promise<ApiKeyRow | undefined> {
  const [row] = await queryPrepared<StoredKey>(db, 'identity_key', keyByHashSql, [hash])
  return (
    row && { ...row, permissions: parsePermissionMap(row.permissions), expiresAt: row.expiresAt?.getTime() ?? null }
  )
}

/**
 * Finds the session whose token has this hash, unless it has ended, with one indexed read and five joins by primary
 * key.
 */
export async function findSession(db: Knex, tokenHash: string): Promise<SessionRow | undefined> {
  const [row] = await queryPrepared<SessionRow>(db, 'identity_session', sessionByTokenSql, [tokenHash])
  return row
}

/** Records that a session is in use, at most once a minute over all requests and processes. */
export async function updateLastSeen(db: Knex, session: string): Promise<void> {
  await db.raw(`update sessions set last_seen_at = now() where id = ? and last_seen_at < now() - interval '1 minute'`, [
    session,
  ])
}

/** Records that a key is in use, at most once a minute over all requests and processes. */
export async function updateLastUse(db: Knex, key: string, address: string): Promise<void> {
  await db.raw(
    `update api_keys set last_request = date_trunc('minute', now()), last_address = ?
     where id = ? and (last_request is null or last_request < now() - interval '1 minute')`,
    [address, key],
  )
}

/** Parses a stored permission map and drops resources and actions that this version does not know. */
export function parsePermissionMap(stored: string | null): PermissionMap {
  const map = (stored === null ? {} : JSON.parse(stored)) as Record<string, string[]>
  return Object.fromEntries(
    resources
      .filter((resource) => Array.isArray(map[resource]))
      .map((resource) => [resource, actions.filter((action) => map[resource]?.includes(action))]),
  )
}
