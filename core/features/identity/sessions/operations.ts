import { json } from '../../../kernel/answer.ts'
import { operation, type Operation } from '../../../kernel/operation.ts'
import { byId, byInstant } from '../../../kernel/page.ts'
import { expiredCookie } from '../sessions.ts'
import { EndedSessions, ListedSession, SessionList } from './list.schema.ts'
import { endOtherSessions, endOwnSession, listSessions } from './list.ts'

const tag = 'Sign-in'
const headers = { 'Cache-Control': 'no-store' }
const own = 'A member sees sessions as a member, a buyer those in the same application.'

const listOwn = operation({
  id: 'list_sessions_v1', method: 'GET', path: '/v1/auth/sessions', tag, access: 'session', headers,
  summary: 'List where you are signed in', description: own,
  list: {
    of: ListedSession, filters: { id: byId('eq'), createdAt: byInstant, lastSeenAt: byInstant }, sorters: ['id', 'createdAt', 'lastSeenAt'],
  },
  returns: { 200: SessionList },
}).readBy(({ caller, page, work }) => listSessions(work.trx, caller, page))

const endOne = operation({
  id: 'end_session_v1', method: 'DELETE', path: '/v1/auth/sessions/:id', tag, access: 'session', headers, changesSession: true,
  summary: 'End a session', description: `${own} Of the present one the cookie is taken back. It holds at once, streams that it opened end too.`,
  returns: { 200: ListedSession },
}).performedBy(async ({ caller, context, params }) => {
  const ended = await endOwnSession(context.db, caller, params.id)
  return json(ended, ended.current ? { 'Set-Cookie': expiredCookie(context, caller.kind) } : undefined)
})

const endOthers = operation({
  id: 'end_other_sessions_v1', method: 'DELETE', path: '/v1/auth/sessions', tag, access: 'session', headers, changesSession: true,
  summary: 'End all other sessions', description: `${own} The present one goes on.`,
  returns: { 200: EndedSessions },
}).performedBy(async ({ caller, context }) => ({ ended: await endOtherSessions(context.db, caller) }))

/** Where a person is signed in, and how to end it. */
export const sessionOperations: Operation[] = [listOwn, endOne, endOthers]
