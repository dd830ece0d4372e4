import type { Knex } from 'knex'
import { createModelSource, listPage } from '../../../database/list/index.ts'
import type { SessionCaller } from '../../../kernel/caller.ts'
import { defaultPageRequest, mapPageResult, type PageResult, type PageRequest } from '../../../kernel/page.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import { recordSessionAct, type ActRequest } from '../acts/acts.ts'
import type { ListedSession } from './list.schema.ts'
import { Session } from './session.model.ts'

const listColumns = {
  id: { sql: 'sessions.id' },
  createdAt: { sql: 'sessions.created_at' },
  lastSeenAt: { sql: 'sessions.last_seen_at' },
}

/** Lists the sessions of the caller: those of the same kind and the same application. */
export async function listSessions(
  db: Knex,
  caller: SessionCaller,
  page: PageRequest = defaultPageRequest,
): Promise<PageResult<ListedSession>> {
  const sessions = createModelSource(Session.query(db).modify('besideCaller', caller))
  return mapPageResult(await listPage(sessions, page, listColumns), (row) => presentSession(row, caller))
}

const presentSession = (
  { id, createdAt, lastSeenAt, ipAddress, userAgent }: Session,
  { session }: SessionCaller,
): ListedSession => ({
  id,
  createdAt,
  lastSeenAt,
  address: ipAddress || null,
  agent: userAgent || null,
  current: id === session,
})

/**
 * Ends one session of the caller, which may be the current one.
 * @returns the session before its end
 * @throws NOT_FOUND if the session is not the caller's
 */
export async function endOwnSession(
  db: Knex,
  caller: SessionCaller,
  { id, request }: { id: string; request: ActRequest },
): Promise<ListedSession> {
  return db.transaction(async (trx) => {
    const [row] = await Session.query(trx)
      .modify('besideCaller', caller)
      .where('sessions.id', id)
      .delete()
      .returning('*')
    if (!row) throw createNotFoundProblem()
    if (caller.kind === 'member')
      await recordSessionAct(trx, caller.user, { action: 'session.end', target: { kind: 'session', id } }, request)
    return presentSession(row as Session, caller)
  })
}

/** Ends every session of the caller except the current one. @returns the number of ended sessions */
export async function endOtherSessions(db: Knex, caller: SessionCaller, request: ActRequest): Promise<number> {
  return db.transaction(async (trx) => {
    const ended = await Session.query(trx)
      .modify('besideCaller', caller)
      .whereNot('sessions.id', caller.session)
      .delete()
    if (caller.kind === 'member' && ended > 0)
      await recordSessionAct(trx, caller.user, { action: 'session.end', change: `${ended} sessions` }, request)
    return ended
  })
}

/**
 * Ends all sessions of a person as an operator, of every kind and application, those that an organization vouches for too.
 * @throws NOT_FOUND if no user has this address
 */
export async function endSessionsOfUser(db: Knex, email: string): Promise<{ user: string; ended: number }> {
  return db.transaction(async (trx) => {
    const users = await trx('users')
      .where({ email: email.toLowerCase() })
      .orderByRaw('organization nulls first')
      .pluck<string[]>('id')
    const [user] = users
    if (user === undefined) throw createNotFoundProblem()
    const ended = await trx('sessions').whereIn('user_id', users).delete()
    if (ended > 0) await recordSessionAct(trx, user, { action: 'session.end', change: `${ended} sessions` }, null)
    return { user, ended }
  })
}
