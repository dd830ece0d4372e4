import type { Knex } from 'knex'
import { listPage } from '../../../database/list.ts'
import type { SessionCaller } from '../../../kernel/caller.ts'
import { emptyPage, mapListed, type Listed, type Page } from '../../../kernel/page.ts'
import { notFound } from '../../../kernel/problem.ts'
import type { ListedSession } from './list.schema.ts'
import { Session } from './session.model.ts'

const columns = {
  id: { sql: 'sessions.id' },
  createdAt: { sql: 'sessions.created_at' },
  lastSeenAt: { sql: 'sessions.last_seen_at' },
}

/** Lists where the caller is signed in: sessions of the same kind, and of the same application. */
export async function listSessions(db: Knex, caller: SessionCaller, page: Page = emptyPage): Promise<Listed<ListedSession>> {
  const listed = await listPage(Session.query(db).modify('besideCaller', caller), page, columns)
  return mapListed(listed, (row) => present(row, caller))
}

const present = ({ id, createdAt, lastSeenAt, ipAddress, userAgent }: Session, { session }: SessionCaller): ListedSession => ({
  id, createdAt, lastSeenAt, address: ipAddress || null, agent: userAgent || null, current: id === session,
})

/** Ends one session of the caller, the present one too. @returns it as it was. @throws NOT_FOUND for anybody else's */
export async function endOwnSession(db: Knex, caller: SessionCaller, id: string): Promise<ListedSession> {
  const [row] = await Session.query(db).modify('besideCaller', caller).where('sessions.id', id).delete().returning('*')
  if (!row) throw notFound()
  return present(row as Session, caller)
}

/** Ends every session of the caller but the present one. @returns how many */
export async function endOtherSessions(db: Knex, caller: SessionCaller): Promise<number> {
  return Session.query(db).modify('besideCaller', caller).whereNot('sessions.id', caller.session).delete()
}

/** Ends all sessions of a person, of each kind and application. @throws NOT_FOUND for an address that nobody has */
export async function endSessionsOf(db: Knex, email: string): Promise<{ user: string; ended: number }> {
  const user = await db('users').where({ email: email.toLowerCase() }).first<{ id: string } | undefined>('id')
  if (!user) throw notFound()
  return { user: user.id, ended: await db('sessions').where({ user_id: user.id }).delete() }
}
