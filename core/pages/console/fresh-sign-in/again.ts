import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import type { Caller, MemberCaller } from '../../../kernel/caller.ts'
import { declareOperation, type Operation, type RequestDetails } from '../../../kernel/operation.ts'
import { ProblemError } from '../../../kernel/problem.ts'
import { object, optional, string } from '../../../kernel/schema.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import type { Context } from '../../../kernel/work.ts'
import { createSessionCookie, readSessionUser, renewSignIn, sendMemberCode } from '../../../features/identity/index.ts'
import { html, type Markup } from '../../site/html.ts'
import { addNext, getNextPath, memberPageOptions, renderConsolePage, signInPath } from '../console.ts'
import { renderHiddenFields } from '../frame/forms.views.ts'
import { detectLanguage } from '../frame/frame.ts'
import { getProblemStatus } from '../../site/layout.ts'
import { renderCodeFields, renderSignInProblem } from '../sign-in.views.ts'
import { signInWords } from '../sign-in.words.ts'
import type { SentFields } from './acts.ts'
import { keepForm, maxKeptLength, parseKept, renderKept, type KeptForm } from './kept.ts'

const againPath = `${signInPath}/again`

/** The most characters of the page to come back to: the question about many passports names each of them. */
const maxNextLength = 8_000
const nextParameter = optional(string('The page to go to afterwards.', { maxLength: maxNextLength }))
const returnFields = {
  next: nextParameter,
  kept: optional(string('The form to go on with afterwards.', { maxLength: maxKeptLength })),
}
const maxBodyBytes = 4 * maxKeptLength

/** Leads to the question for a code. @param here the page to come back to, path and query */
export const redirectToSignInAgain = (here: string): Answer => answerRedirect(addNext(againPath, here), undefined, 303)

interface AgainInput {
  caller: Caller
  request: RequestDetails
  context: Context
}

/** The page of a member who signs in again, in their language. */
interface AgainPage {
  context: Context
  member: MemberCaller
  language: ConsoleLanguage
  next: string
  /** The form that waits for the code. */
  kept: KeptForm | null
}

function openAgainPage({ caller, request, context }: AgainInput, wanted: { next?: string; kept?: string }) {
  const next = getNextPath(wanted.next)
  if (caller.kind !== 'member') return answerRedirect(addNext(signInPath, next), undefined, 303)
  const kept = parseKept(wanted.kept)
  return { context, member: caller, language: detectLanguage(request), next, kept } satisfies AgainPage
}

/** Answers the question for a code to a form that needs one. The form is kept, and goes on with the code. */
export async function askToSignInAgain(input: AgainInput & { caller: MemberCaller }, fields: SentFields) {
  const { caller: member, context, request } = input
  const page = { context, member, language: detectLanguage(request), next: '/console' }
  return renderAgain({ ...page, kept: keepForm(request.target, fields) }, { isSent: false, status: 403 })
}

interface AgainState {
  isSent: boolean
  status?: number
  problem?: ProblemError
}

/** Renders the question for a code, or the field for it once it was sent. */
async function renderAgain(page: AgainPage, { isSent, status, problem }: AgainState): Promise<Answer> {
  const { context, member, language, next, kept } = page
  const phrases = signInWords[language]
  const { email } = await readSessionUser(context.db, member.user)
  const hidden = html`<input type="hidden" name="next" value="${next}">${renderKept(kept)}`
  const form = isSent
    ? html`<p>${phrases.sentTo} <strong>${email}</strong>. ${phrases.goodFor}</p>
${renderSignInProblem(problem, language)}
<form class="card" method="post" action="${againPath}/code">${hidden}
${renderCodeFields(language)}
</form>
<form method="post" action="${againPath}">${hidden}<button class="plain">${phrases.anotherCode}</button></form>`
    : html`<p>${phrases.againText(email ?? '')}</p>
${kept && html`<p>${phrases.againKept}</p>`}
${renderSignInProblem(problem, language)}
<form class="card" method="post" action="${againPath}">${hidden}<button>${phrases.sendCode}</button></form>`
  const shown = { title: phrases.againTitle, ...(status !== undefined && { status }), ...getProblemStatus(problem) }
  return renderOwn(page, shown, form)
}

interface ShownOptions {
  title: string
  status?: number
  headers?: Record<string, string>
}

const renderOwn = ({ context, member, language, next }: AgainPage, options: ShownOptions, content: Markup) =>
  renderConsolePage(
    context,
    member,
    { ...options, wide: false, lang: language, here: next, needsNoAcceptance: true },
    html`<h1>${options.title}</h1>
${content}
<p><a href="/console">${signInWords[language].againCancel}</a></p>`,
  )

/** Renders the kept form for a member who has signed in again: it goes on when they say so. */
function renderGoOn(page: AgainPage, { action, fields }: KeptForm, cookie: string): Promise<Answer> {
  const phrases = signInWords[page.language]
  return renderOwn(
    page,
    { title: phrases.goOnTitle, headers: { 'Set-Cookie': cookie } },
    html`<p>${phrases.goOnText}</p>
<form class="card" method="post" action="${action}">${renderHiddenFields(fields)}<button>${phrases.goOn}</button></form>`,
  )
}

/** Answers what `act` does, or the page with the problem that it throws. */
async function orShowProblem(page: AgainPage, isSent: boolean, act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act()
  } catch (problem) {
    if (!(problem instanceof ProblemError)) throw problem
    return renderAgain(page, { isSent, problem })
  }
}

const showOperation = declareOperation({
  id: 'console_sign_in_again_page_v1',
  method: 'GET',
  path: againPath,
  ...memberPageOptions,
  query: { next: nextParameter },
  document: { tag: 'Pages', summary: 'Before a member signs in again' },
}).withReadHandler(async ({ caller, query, request, work }) => {
  const page = openAgainPage({ caller, request, context: work.context }, query)
  return isAnswer(page) ? page : renderAgain(page, { isSent: false })
})

const sendOperation = declareOperation({
  id: 'console_code_again_page_v1',
  method: 'POST',
  path: againPath,
  ...memberPageOptions,
  transport: { ...memberPageOptions.transport, maxBodyBytes },
  body: object(returnFields),
  document: { tag: 'Pages', summary: 'Send a signed-in member a code' },
}).withOutboundHandler(async (input) => {
  const page = openAgainPage(input, input.body)
  if (isAnswer(page)) return page
  return orShowProblem(page, false, async () => {
    const { email } = await readSessionUser(page.context.db, page.member.user)
    await sendMemberCode(page.context, email ?? '', input.request, page.language)
    return renderAgain(page, { isSent: true })
  })
})

const signInOperation = declareOperation({
  id: 'console_session_again_page_v1',
  method: 'POST',
  path: `${againPath}/code`,
  ...memberPageOptions,
  transport: { ...memberPageOptions.transport, maxBodyBytes },
  body: object({ ...returnFields, otp: string('The six digits.', { maxLength: 20 }) }),
  document: { tag: 'Pages', summary: 'Sign a member in again' },
}).withOutboundHandler(async (input) => {
  const page = openAgainPage(input, input.body)
  if (isAnswer(page)) return page
  return orShowProblem(page, true, async () => {
    const digits = input.body.otp.replace(/\D/g, '')
    const { token, expiresAt } = await renewSignIn(page.context, page.member, digits, input.request)
    const cookie = createSessionCookie(page.context, 'member', token, expiresAt)
    return page.kept ? renderGoOn(page, page.kept, cookie) : answerRedirect(page.next, { 'Set-Cookie': cookie }, 303)
  })
})

/** The pages where a member who signed in long ago signs in again. */
export const freshSignInPages: Operation[] = [showOperation, sendOperation, signInOperation]
