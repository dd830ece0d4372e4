import type { Knex } from 'knex'
import { actions, resources, type PermissionMap, type Role } from '../../kernel/permission.ts'

/** A key that is not revoked. `expiresAt` in milliseconds since 1970. */
export interface KeyRow { id: string; organization: string; permissions: PermissionMap; expiresAt: number | null }

/** A session that has not ended, with what its person is there and then: a role is never remembered. */
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
  /** Whether its last use that was noted is more than a minute ago. */
  seenLongAgo: boolean
}

const keyByHash = `
  select id, organization, permissions, expires_at as "expiresAt"
  from api_keys where key = ? and enabled`

const sessionByToken = `
  select s.id, s.user_id as "userId", s.kind, m.organization_id as organization, m.role,
    s.application, a.organization as "applicationOrganization",
    s.last_seen_at < now() - interval '1 minute' as "seenLongAgo",
    case when u.email_verified then u.email end as email,
    case when u.phone_number_verified then u.phone_number end as "phoneNumber"
  from sessions s
  join users u on u.id = s.user_id
  left join members m on m.user_id = s.user_id and m.organization_id = s.active_organization_id
  left join applications a on a.id = s.application
  where s.token = ? and s.expires_at > now()`

interface StoredKey { id: string; organization: string; permissions: string | null; expiresAt: Date | null }
interface Rows<T> { rows: T[] }

/** Statements with a name are planned once a connection. */
async function prepared<T>(db: Knex, name: string, sql: string, values: readonly string[]): Promise<T[]> {
  const answer = await db.raw(sql, values as string[]).options({ name }) as Rows<T>
  return answer.rows
}

/** The key with this hash, unless it is revoked. One indexed read. */
export async function readKey(db: Knex, hash: string): Promise<KeyRow | undefined> {
  const [row] = await prepared<StoredKey>(db, 'identity_key', keyByHash, [hash])
  return row && { ...row, permissions: permissionMap(row.permissions), expiresAt: row.expiresAt?.getTime() ?? null }
}

/** The session whose token has this hash, unless it has ended. One indexed read with three joins by primary key. */
export async function readSession(db: Knex, tokenHash: string): Promise<SessionRow | undefined> {
  const [row] = await prepared<SessionRow>(db, 'identity_session', sessionByToken, [tokenHash])
  return row
}

/** Notes that a session is in use: once a minute, however many requests and processes it has. */
export async function noteSeen(db: Knex, session: string): Promise<void> {
  await db.raw(`update sessions set last_seen_at = now() where id = ? and last_seen_at < now() - interval '1 minute'`, [session])
}

/** A stored map, without words that this version does not know. */
function permissionMap(stored: string | null): PermissionMap {
  const map = (stored === null ? {} : JSON.parse(stored)) as Record<string, string[]>
  return Object.fromEntries(resources.filter((resource) => Array.isArray(map[resource])).map((resource) =>
    [resource, actions.filter((action) => map[resource]?.includes(action))]))
}
