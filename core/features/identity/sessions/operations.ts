import { answerJson } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { uuidFilter, instantFilter } from '../../../kernel/page.ts'
import { createExpiredCookie } from '../sessions.ts'
import { EndedSessions, ListedSession, SessionList } from './list.schema.ts'
import { endOtherSessions, endOwnSession, listSessions } from './list.ts'

const tag = 'Sign-in'
const headers = { 'Cache-Control': 'no-store' }
const ownDescription = 'A member sees sessions as a member, a buyer those in the same application.'

const listSessionsOperation = declareOperation({
  id: 'list_sessions_v1',
  method: 'GET',
  path: '/v1/auth/sessions',
  access: 'session',
  list: {
    rowSchema: ListedSession,
    filters: { id: uuidFilter('eq'), createdAt: instantFilter, lastSeenAt: instantFilter },
    sorters: ['id', 'createdAt', 'lastSeenAt'],
  },
  returns: { 200: SessionList },
  transport: { headers },
  document: { tag, summary: 'List where you are signed in', description: ownDescription },
}).withReadHandler(({ caller, page, work }) => listSessions(work.trx, caller, page))

const endSessionOperation = declareOperation({
  id: 'end_session_v1',
  method: 'DELETE',
  path: '/v1/auth/sessions/:id',
  access: { rule: 'session', changesSession: true },
  returns: { 200: ListedSession },
  transport: { headers },
  document: {
    tag,
    summary: 'End a session',
    description: `${ownDescription} Of the present one the cookie is taken back. It holds at once, streams that it opened end too.`,
  },
}).withOutboundHandler(async ({ caller, context, params, request }) => {
  const ended = await endOwnSession(context.db, caller, { id: params.id, request })
  return answerJson(ended, ended.current ? { 'Set-Cookie': createExpiredCookie(context, caller.kind) } : undefined)
})

const endOtherSessionsOperation = declareOperation({
  id: 'end_other_sessions_v1',
  method: 'DELETE',
  path: '/v1/auth/sessions',
  access: { rule: 'session', changesSession: true },
  returns: { 200: EndedSessions },
  transport: { headers },
  document: { tag, summary: 'End all other sessions', description: `${ownDescription} The present one goes on.` },
}).withOutboundHandler(async ({ caller, context, request }) => ({
  ended: await endOtherSessions(context.db, caller, request),
}))

/** Operations that list and end the sessions of a person. */
export const sessionOperations: Operation[] = [listSessionsOperation, endSessionOperation, endOtherSessionsOperation]
