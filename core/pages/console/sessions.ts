import { answerRedirect } from '../../kernel/answer.ts'
import type { Caller, MemberCaller } from '../../kernel/caller.ts'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { defaultPageRequest } from '../../kernel/page.ts'
import { object, uuid } from '../../kernel/schema.ts'
import { endOtherSessions, endOwnSession, listSessions, type ListedSession } from '../../features/identity/index.ts'
import { renderConsolePage, memberPageOptions } from './console.ts'
import { html, type Markup } from '../site/html.ts'

/** The maximum number of sessions that the page shows; the newest are shown. */
const maxShownSessions = 100

const sessionsPath = '/console/sessions'
const redirectToSignIn = () =>
  answerRedirect(`/console/sign-in?next=${encodeURIComponent(sessionsPath)}`, undefined, 303)
const isMember = (caller: Caller): caller is MemberCaller => caller.kind === 'member'

const listOperation = declareOperation({
  id: 'console_sessions_page_v1',
  method: 'GET',
  path: sessionsPath,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Where a member is signed in' },
}).withReadHandler(async ({ caller, work }) => {
  if (!isMember(caller)) return redirectToSignIn()
  const { data, total } = await listSessions(work.trx, caller, { ...defaultPageRequest, pageSize: maxShownSessions })
  return renderConsolePage(
    work.context,
    caller,
    { title: 'Where you are signed in', wide: false, needsNoAcceptance: true },
    renderSessions(data, total),
  )
})

const endOperation = declareOperation({
  id: 'console_session_end_page_v1',
  method: 'POST',
  path: `${sessionsPath}/end`,
  ...memberPageOptions,
  body: object({ session: uuid('The session to end.') }),
  document: { tag: 'Pages', summary: 'End a session of a member' },
}).withOutboundHandler(async ({ body, caller, context }) => {
  if (!isMember(caller)) return redirectToSignIn()
  await endOwnSession(context.db, caller, body.session)
  return answerRedirect(sessionsPath, undefined, 303)
})

const endOthersOperation = declareOperation({
  id: 'console_sessions_end_page_v1',
  method: 'POST',
  path: `${sessionsPath}/end-others`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'End all other sessions of a member' },
}).withOutboundHandler(async ({ caller, context }) => {
  if (!isMember(caller)) return redirectToSignIn()
  await endOtherSessions(context.db, caller)
  return answerRedirect(sessionsPath, undefined, 303)
})

function renderSessions(sessions: readonly ListedSession[], total: number): Markup {
  return html`<h1>Where you are signed in</h1>
<p>End what you do not know. Whoever used it is signed out at once.</p>
${sessions.map(renderSession)}
${total > sessions.length && html`<p class="quiet">The newest ${sessions.length} of ${total}.</p>`}
${total > 1 && html`<form method="post" action="${sessionsPath}/end-others"><button>End all others</button></form>`}`
}

const renderTime = (instant: string) =>
  html`<time datetime="${instant}">${instant.slice(0, 16).replace('T', ' ')} UTC</time>`

const renderSession = ({ id, createdAt, lastSeenAt, address, agent, current }: ListedSession): Markup =>
  html`<article class="card row">
<p><strong>${agent ?? 'A program without a name'}</strong>${current && html` <span class="badge good">This one</span>`}<br>
<span class="quiet">Since ${renderTime(createdAt)}${address !== null && html` from ${address}`}, last used ${renderTime(lastSeenAt)}</span></p>
${
  !current
  && html`<form method="post" action="${sessionsPath}/end"><input type="hidden" name="session" value="${id}">
<button class="small" aria-label="End the session since ${createdAt}">End</button></form>`
}
</article>`

/** The pages that show where a member is signed in and end sessions. */
export const sessionPages: Operation[] = [listOperation, endOperation, endOthersOperation]
