import { answerRedirect } from '../../kernel/answer.ts'
import type { Caller, MemberCaller } from '../../kernel/caller.ts'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { defaultPageRequest } from '../../kernel/page.ts'
import { createNotFoundProblem } from '../../kernel/problem.ts'
import { object, uuid } from '../../kernel/schema.ts'
import type { ConsoleLanguage } from '../../kernel/text/languages.ts'
import type { Work } from '../../kernel/work.ts'
import { endOtherSessions, endOwnSession, listSessions, type ListedSession } from '../../features/identity/index.ts'
import { addNext, renderConsolePage, memberPageOptions, signInPath } from './console.ts'
import { renderQuestion } from './frame/forms.views.ts'
import { detectLanguage } from './frame/frame.ts'
import { renderInstant } from './frame/lists.views.ts'
import { signInWords, type SignInWords } from './sign-in.words.ts'
import { consoleWords } from './words/words.ts'
import { html, type Markup } from '../site/html.ts'

/** The maximum number of sessions that the page shows; the newest are shown. */
const maxShownSessions = 100

const sessionsPath = '/console/sessions'
const redirectToSignIn = () => answerRedirect(addNext(signInPath, sessionsPath), undefined, 303)
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
  const { data, total } = await listNewestSessions(work, caller)
  return renderConsolePage(
    work.context,
    caller,
    { title: phrases.sessionsTitle, wide: false, needsNoAcceptance: true, lang: language, here: sessionsPath },
    renderSessions(data, total, phrases),
  )
})

const listNewestSessions = ({ trx }: Work, member: MemberCaller) =>
  listSessions(trx, member, { ...defaultPageRequest, pageSize: maxShownSessions })

interface EndQuestion {
  title: string
  consequences: string[]
  action: string
  button: string
  fields?: Record<string, string>
}

/** Renders the page that says what ending sessions does. */
function askEnd(work: Work, member: MemberCaller, language: ConsoleLanguage, question: EndQuestion) {
  const content = renderQuestion({ ...question, back: sessionsPath, problem: undefined }, consoleWords[language])
  const options = { title: question.title, wide: false, needsNoAcceptance: true, lang: language, here: sessionsPath }
  return renderConsolePage(work.context, member, options, content)
}

const endQuestion = declareOperation({
  id: 'console_session_end_question_v1',
  method: 'GET',
  path: `${sessionsPath}/end`,
  ...memberPageOptions,
  query: { session: uuid('The session to end.') },
  document: { tag: 'Pages', summary: 'Before a session of a member ends' },
}).withReadHandler(async ({ caller, query, request, work }) => {
  if (!isMember(caller)) return redirectToSignIn()
  const language = detectLanguage(request)
  const phrases = signInWords[language]
  const { data } = await listNewestSessions(work, caller)
  const session = data.find(({ id }) => id === query.session.toLowerCase())
  if (!session) throw createNotFoundProblem()
  return askEnd(work, caller, language, {
    title: phrases.endQuestion(session.agent ?? phrases.noName),
    consequences: [phrases.endText],
    action: `${sessionsPath}/end`,
    button: phrases.endSession,
    fields: { session: session.id },
  })
})

const endOthersQuestion = declareOperation({
  id: 'console_sessions_end_question_v1',
  method: 'GET',
  path: `${sessionsPath}/end-others`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before all other sessions of a member end' },
}).withReadHandler(async ({ caller, request, work }) => {
  if (!isMember(caller)) return redirectToSignIn()
  const language = detectLanguage(request)
  const phrases = signInWords[language]
  const { total } = await listNewestSessions(work, caller)
  return askEnd(work, caller, language, {
    title: phrases.endOthersQuestion,
    consequences: [phrases.endOthersText(total - 1), phrases.endText],
    action: `${sessionsPath}/end-others`,
    button: phrases.endOthers,
  })
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
${total > 1 && html`<p><a class="button" href="${sessionsPath}/end-others">${phrases.endOthers}</a></p>`}`
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
  && html`<a class="button small" href="${sessionsPath}/end?session=${id}" aria-label="${phrases.endSince(createdAt)}">${phrases.end}</a>`
}
</article>`

/** The pages that show where a member is signed in and end sessions. */
export const sessionPages: Operation[] = [
  listOperation,
  endQuestion,
  endOperation,
  endOthersQuestion,
  endOthersOperation,
]
