import type { Knex } from 'knex'
import type { Caller } from '../../../kernel/caller.ts'
import type { Notices } from '../../../kernel/parts.ts'

/** Where PostgreSQL says that a key, a session or a membership ended, or that it may do other things from now on. */
const credentialNotices = 'credentials'

/**
 * What ended or changed. `member`: the membership of the user `id` in an organization. `unknown`: the connection to
 * PostgreSQL was away, so anything may have ended; ask `isCurrent` for each caller.
 */
export type EndedCredential =
  | { kind: 'key'; id: string }
  | { kind: 'session'; id: string }
  | { kind: 'member'; id: string; organization: string }
  | { kind: 'unknown' }

/** Calls the listener for each credential that ended, in any process, as soon as its change is committed. @returns how to stop */
export function onCredentialEnded(notices: Notices, listener: (ended: EndedCredential) => void): () => void {
  return notices.on(credentialNotices, (payload) => {
    listener(payload === '' ? { kind: 'unknown' } : JSON.parse(payload) as EndedCredential)
  })
}

/** Tells whether what ended may be what this caller came by. The caller then asks `isCurrent`, or starts anew. */
export function concerns(ended: EndedCredential, caller: Caller): boolean {
  if (caller.kind === 'anonymous') return false
  if (ended.kind === 'unknown') return true
  if (ended.kind === 'key') return caller.kind === 'key' && caller.id === ended.id
  if (ended.kind === 'session') return caller.kind !== 'key' && caller.session === ended.id
  return caller.kind === 'member' && caller.user === ended.id && caller.organization === ended.organization
}

const currentKey = `
  select 1 from api_keys where id = :id and enabled and (expires_at is null or expires_at > now())
    and organization = :organization and coalesce(permissions, '{}')::jsonb @> :permissions::jsonb`

const currentSession = `
  select 1 from sessions s
  left join members m on m.user_id = s.user_id and m.organization_id = s.active_organization_id
  where s.id = :session and s.expires_at > now()
    and m.organization_id is not distinct from :organization::uuid and m.role is not distinct from :role::text`

/** Tells whether a caller still has what it came with: the same key with its permissions, or session with its role. */
export async function isCurrent(db: Knex, caller: Caller): Promise<boolean> {
  if (caller.kind === 'anonymous') return true
  const { rows } = await (caller.kind === 'key'
    ? db.raw<{ rows: unknown[] }>(currentKey, {
      id: caller.id, organization: caller.organization, permissions: JSON.stringify(caller.permissions),
    })
    : db.raw<{ rows: unknown[] }>(currentSession, {
      session: caller.session,
      organization: caller.kind === 'member' ? caller.organization : null,
      role: caller.kind === 'member' ? caller.role : null,
    }))
  return rows.length > 0
}
