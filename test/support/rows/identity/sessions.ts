import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { getAuth, type AuthContext } from '../../../../core/features/identity/auth.ts'
import { hashSecret } from '../../../../core/features/identity/index.ts'

/** A session as versions before migration 027 kept it: with its token in plain. */
export interface PlainSession {
  user: string
  token: string
  /** The seconds until it ends; negative for one that has ended. */
  lifeSeconds: number
}

/** Inserts a session of a member with its token in plain, which only a schema before migration 027 takes. */
export async function insertPlainSession(db: Knex, { user, token, lifeSeconds }: PlainSession): Promise<void> {
  await db('sessions').insert({
    id: randomUUID(),
    token,
    user_id: user,
    kind: 'member',
    expires_at: db.raw('now() + make_interval(secs => ?)', [lifeSeconds]),
  })
}

/** Lists the tokens of the newest sessions as they are stored, which is what a thief of the table has. */
export async function listNewestStoredTokens(db: Knex, count: number): Promise<string[]> {
  return db('sessions').orderBy('created_at', 'desc').limit(count).pluck<string[]>('token')
}

/** Writes a token in plain into some session, which the database refuses. */
export async function storePlainToken(db: Knex, token: string): Promise<void> {
  await db('sessions').update({ token }).whereRaw('id = (select id from sessions limit 1)')
}

/** Ends the time of the session with this token a second ago: nobody waits for its days. */
export async function expireSession(db: Knex, token: string): Promise<void> {
  await db('sessions')
    .where({ token: hashSecret(token) })
    .update({ expires_at: db.raw(`now() - interval '1 second'`) })
}

/** Gives the session with this token an active organization, which the database refuses to sessions of buyers. */
export async function activateOrganization(
  db: Knex,
  { token, organization }: { token: string; organization: string },
): Promise<void> {
  await db('sessions')
    .where({ token: hashSecret(token) })
    .update({ active_organization_id: organization })
}

/** Reads when the only session of a person was last used, as it is stored: a request that asks for it is a use. */
export async function readLastSeen(db: Knex, email: string): Promise<Date> {
  const row = await selectSessions(db, email).first<{ last_seen_at: Date } | undefined>('last_seen_at')
  if (!row) throw new Error(`${email} has no session`)
  return row.last_seen_at
}

/** Lets the last use of all sessions of a person be 61 seconds ago: nobody waits for the minute. */
export async function ageLastSeen(db: Knex, email: string): Promise<void> {
  await selectSessions(db, email).update({ last_seen_at: db.raw(`now() - interval '61 seconds'`) })
}

const selectSessions = (db: Knex, email: string) =>
  db('sessions').whereIn('user_id', db('users').where({ email }).select('id'))

export interface StoredSession {
  kind: string
  application: string | null
  address: string | null
  agent: string | null
  expiresAt: Date
}

/** Reads the session whose token has this hash, as it is stored. */
export async function readStoredSession(db: Knex, token: string): Promise<StoredSession> {
  const row = await selectSession(db, token).first<StoredSession | undefined>(
    'kind',
    'application',
    'ip_address as address',
    'user_agent as agent',
    'expires_at as expiresAt',
  )
  if (!row) throw new Error('There is no session with this token')
  return row
}

/** Takes the account from a buyer's session, which has none while it is opened. */
export async function forgetSessionAccount(db: Knex, token: string): Promise<void> {
  await selectSession(db, token).update({ account: null })
}

const selectSession = (db: Knex, token: string) => db('sessions').where({ token: hashSecret(token) })

/** Lets the sign-in library open a session that no sign-in of ours asked for. */
export async function openSessionWithoutRealm(parts: AuthContext, user: string): Promise<void> {
  const { internalAdapter } = await (await getAuth(parts)).$context
  await internalAdapter.createSession(user)
}

/** Makes the codes of a person's sessions older, in minutes. */
export async function ageCodes(db: Knex, email: string, minutes: number): Promise<void> {
  await selectSessions(db, email).update({ code_at: db.raw('code_at - make_interval(mins => ?)', [minutes]) })
}
