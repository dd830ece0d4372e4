import { answerRedirect, isAnswer, type Answer } from '../../kernel/answer.ts'
import type { Caller, MemberCaller } from '../../kernel/caller.ts'
import { declareOperation, type Operation, type RequestDetails } from '../../kernel/operation.ts'
import { ProblemError } from '../../kernel/problem.ts'
import { object, optional, string } from '../../kernel/schema.ts'
import type { Language } from '../../kernel/text/languages.ts'
import type { Context, Work } from '../../kernel/work.ts'
import {
  createSessionCookie,
  isSignInFresh,
  readSessionUser,
  renewSignIn,
  sendMemberCode,
} from '../../features/identity/index.ts'
import { getNextPath, memberPageOptions, renderConsolePage } from './console.ts'
import { detectLanguage } from './frame/frame.ts'
import { html } from '../site/html.ts'
import { getProblemStatus, renderCodeFields, renderSignInProblem, signInPath } from './sign-in.views.ts'
import { signInWords } from './sign-in.words.ts'

const againPath = `${signInPath}/again`
const addNext = (path: string, next: string) => `${path}?next=${encodeURIComponent(next)}`
const nextParameter = optional(string('The page to go to afterwards.', { maxLength: 300 }))

/**
 * Returns the way to a fresh code for a member who signed in more than 12 hours ago, or null if there is no need. Pages
 * call it before they show or do what cannot be undone, or what moves money.
 * @param here the page to come back to
 */
export async function requireFreshSignIn(
  { member, work }: { member: MemberCaller; work: Work },
  here: string,
): Promise<Answer | null> {
  return (await isSignInFresh(work.context.db, member))
    ? null
    : answerRedirect(addNext(againPath, here), undefined, 303)
}

/** The page of a member who signs in again, in their language. */
interface AgainPage {
  context: Context
  member: MemberCaller
  language: Language
  next: string
}

function openAgainPage(
  { caller, request, context }: { caller: Caller; request: RequestDetails; context: Context },
  wanted: string | undefined,
): AgainPage | Answer {
  const next = getNextPath(wanted)
  if (caller.kind !== 'member') return answerRedirect(addNext(signInPath, next), undefined, 303)
  return { context, member: caller, language: detectLanguage(request), next }
}

/** Renders the question for a code, or the field for it once it was sent. */
async function renderAgain(
  { context, member, language, next }: AgainPage,
  { isSent, problem }: { isSent: boolean; problem?: ProblemError },
): Promise<Answer> {
  const phrases = signInWords[language]
  const { email } = await readSessionUser(context.db, member.user)
  const hidden = html`<input type="hidden" name="next" value="${next}">`
  const form = isSent
    ? html`<p>${phrases.sentTo} <strong>${email}</strong>. ${phrases.goodFor}</p>
${renderSignInProblem(problem, language)}
<form class="card" method="post" action="${againPath}/code">${hidden}
${renderCodeFields(language)}
</form>
<form method="post" action="${againPath}">${hidden}<button class="plain">${phrases.anotherCode}</button></form>`
    : html`<p>${phrases.againText(email ?? '')}</p>
${renderSignInProblem(problem, language)}
<form class="card" method="post" action="${againPath}">${hidden}<button>${phrases.sendCode}</button></form>`
  return renderConsolePage(
    context,
    member,
    {
      title: phrases.againTitle,
      wide: false,
      lang: language,
      here: next,
      needsNoAcceptance: true,
      ...getProblemStatus(problem),
    },
    html`<h1>${phrases.againTitle}</h1>
${form}
<p><a href="/console">${phrases.againCancel}</a></p>`,
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
  const page = openAgainPage({ caller, request, context: work.context }, query.next)
  return isAnswer(page) ? page : renderAgain(page, { isSent: false })
})

const sendOperation = declareOperation({
  id: 'console_code_again_page_v1',
  method: 'POST',
  path: againPath,
  ...memberPageOptions,
  body: object({ next: nextParameter }),
  document: { tag: 'Pages', summary: 'Send a signed-in member a code' },
}).withOutboundHandler(async (input) => {
  const page = openAgainPage(input, input.body.next)
  if (isAnswer(page)) return page
  return orShowProblem(page, false, async () => {
    const { email } = await readSessionUser(page.context.db, page.member.user)
    await sendMemberCode(page.context, email ?? '', input.request)
    return renderAgain(page, { isSent: true })
  })
})

const signInOperation = declareOperation({
  id: 'console_session_again_page_v1',
  method: 'POST',
  path: `${againPath}/code`,
  ...memberPageOptions,
  body: object({ next: nextParameter, otp: string('The six digits.', { maxLength: 20 }) }),
  document: { tag: 'Pages', summary: 'Sign a member in again' },
}).withOutboundHandler(async (input) => {
  const page = openAgainPage(input, input.body.next)
  if (isAnswer(page)) return page
  return orShowProblem(page, true, async () => {
    const digits = input.body.otp.replace(/\D/g, '')
    const { token, expiresAt } = await renewSignIn(page.context, page.member, digits, input.request)
    const cookie = createSessionCookie(page.context, 'member', token, expiresAt)
    return answerRedirect(page.next, { 'Set-Cookie': cookie }, 303)
  })
})

/** The pages where a member who signed in long ago signs in again. */
export const freshSignInPages: Operation[] = [showOperation, sendOperation, signInOperation]
