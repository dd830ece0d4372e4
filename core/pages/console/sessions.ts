import { answerRedirect } from '../../kernel/answer.ts'
import type { Caller, MemberCaller } from '../../kernel/caller.ts'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { defaultPageRequest } from '../../kernel/page.ts'
import { object, uuid } from '../../kernel/schema.ts'
import { endOtherSessions, endOwnSession, listSessions, type ListedSession } from '../../features/identity/index.ts'
import { renderConsolePage, memberPageOptions } from './console.ts'
import { detectLanguage } from './frame/frame.ts'
import { renderInstant } from './frame/lists.views.ts'
import { signInWords, type SignInWords } from './sign-in.words.ts'
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
}).withReadHandler(async ({ caller, request, work }) => {
  if (!isMember(caller)) return redirectToSignIn()
  const language = detectLanguage(request)
  const phrases = signInWords[language]
  const { data, total } = await listSessions(work.trx, caller, { ...defaultPageRequest, pageSize: maxShownSessions })
  return renderConsolePage(
    work.context,
    caller,
    { title: phrases.sessionsTitle, wide: false, needsNoAcceptance: true, lang: language, here: sessionsPath },
    renderSessions(data, total, phrases),
  )
})

const endOperation = declareOperation({
  id: 'console_session_end_page_v1',
  method: 'POST',
  path: `${sessionsPath}/end`,
  ...memberPageOptions,
  body: object({ session: uuid('The session to end.') }),
  document: { tag: 'Pages', summary: 'End a session of a member' },
}).withOutboundHandler(async ({ body, caller, context, request }) => {
  if (!isMember(caller)) return redirectToSignIn()
  await endOwnSession(context.db, caller, { id: body.session, request })
  return answerRedirect(sessionsPath, undefined, 303)
})

const endOthersOperation = declareOperation({
  id: 'console_sessions_end_page_v1',
  method: 'POST',
  path: `${sessionsPath}/end-others`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'End all other sessions of a member' },
}).withOutboundHandler(async ({ caller, context, request }) => {
  if (!isMember(caller)) return redirectToSignIn()
  await endOtherSessions(context.db, caller, request)
  return answerRedirect(sessionsPath, undefined, 303)
})

function renderSessions(sessions: readonly ListedSession[], total: number, phrases: SignInWords): Markup {
  return html`<h1>${phrases.sessionsTitle}</h1>
<p>${phrases.sessionsIntro}</p>
${sessions.map((session) => renderSession(session, phrases))}
${total > sessions.length && html`<p class="quiet">${phrases.newestOf(sessions.length, total)}</p>`}
${total > 1 && html`<form method="post" action="${sessionsPath}/end-others"><button>${phrases.endOthers}</button></form>`}`
}

const renderSession = (
  { id, createdAt, lastSeenAt, address, agent, current }: ListedSession,
  phrases: SignInWords,
): Markup =>
  html`<article class="card row">
<p><strong>${agent ?? phrases.noName}</strong>${current && html` <span class="badge good">${phrases.thisOne}</span>`}<br>
<span class="quiet">${phrases.since} ${renderInstant(createdAt)}${address !== null && html` ${phrases.from} ${address}`}, ${phrases.lastUsed} ${renderInstant(lastSeenAt)}</span></p>
${
  !current
  && html`<form method="post" action="${sessionsPath}/end"><input type="hidden" name="session" value="${id}">
<button class="small" aria-label="${phrases.endSince(createdAt)}">${phrases.end}</button></form>`
}
</article>`

/** The pages that show where a member is signed in and end sessions. */
export const sessionPages: Operation[] = [listOperation, endOperation, endOthersOperation]
