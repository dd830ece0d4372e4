import { listEnabledSignInMethods } from '../../features/applications/index.ts'
import { acceptOffer, declineOffer, findLinkedOffer, readPassportView } from '../../features/dpp/index.ts'
import { createSessionCookie, sendBuyerCode, signInBuyer } from '../../features/identity/index.ts'
import { answerRedirect, type Answer } from '../../kernel/answer.ts'
import type { Caller, EndUserCaller } from '../../kernel/caller.ts'
import { declareOperation, type Operation, type RequestDetails } from '../../kernel/operation.ts'
import { ProblemError } from '../../kernel/problem.ts'
import { object, string } from '../../kernel/schema.ts'
import type { Context } from '../../kernel/work.ts'
import { dressReader } from '../site/brand.views.ts'
import { detectReader, keepLanguage, languageParameter } from '../site/reader.ts'
import { codeParameter, contactParameters, parseCode, parseContact } from '../site/sign-in.views.ts'
import {
  getLinkAddress,
  renderAnswers,
  renderForSomebodyElse,
  renderLinkCode,
  renderLinkEnd,
  renderLinkSignIn,
  type LinkPage,
} from './link.views.ts'

const tag = 'Pages'
const htmlResponse = { 200: { type: 'text/html', description: 'The page.' } } as const
const transport = { page: true } as const
const linkParameters = { token: string('The token of the link.', { maxLength: 200 }), lang: languageParameter }

interface LinkQuery {
  token: string
  lang?: string
}

/** The page of an open offer, with the buyer who looks at it if they are signed in. */
interface OpenedLink {
  page: LinkPage
  buyer: EndUserCaller | null
  isTheirs: boolean
}

/** Opens the page of a link; returns `broken`, a page that says so, if nothing is offered by it. */
async function openLink(
  context: Context,
  { token, lang }: LinkQuery,
  caller: Caller,
  request: RequestDetails,
): Promise<OpenedLink | { broken: Answer }> {
  const detected = detectReader(request, lang)
  const offer = await findLinkedOffer(context.db, token, caller.kind === 'endUser' ? caller : null)
  const view = offer && (await readPassportView(context.db, offer.passport, detected.language))
  const reader = view ? await dressReader(context, detected, { ...view, theme: view.application.theme }) : detected
  if (!offer?.isOpen || !view) return { broken: renderLinkEnd(reader, view, 'broken') }
  const buyer = caller.kind === 'endUser' && caller.application === view.application.id ? caller : null
  return { page: { view, token, reader }, buyer, isTheirs: offer.isTheirs }
}

const startOperation = declareOperation({
  id: 'transfer_page_v1',
  method: 'GET',
  path: '/transfer',
  access: 'public',
  query: linkParameters,
  returns: htmlResponse,
  transport,
  document: { tag, summary: 'The page behind the link of an offer' },
}).withReadHandler(async ({ caller, query, request, work }) => {
  const opened = await openLink(work.context, query, caller, request)
  if ('broken' in opened) return opened.broken
  const { page, buyer, isTheirs } = opened
  if (buyer && isTheirs) return renderAnswers(page, buyer.email ?? buyer.phoneNumber ?? '')
  const methods = await listEnabledSignInMethods(work.trx, page.view.organization)
  return buyer ? renderForSomebodyElse(page, methods) : renderLinkSignIn(page, methods)
})

const sendCodeOperation = declareOperation({
  id: 'transfer_code_page_v1',
  method: 'POST',
  path: '/transfer/code',
  access: 'public',
  body: object({ ...linkParameters, ...contactParameters }),
  returns: htmlResponse,
  transport,
  document: { tag, summary: 'Send a code to whoever gets a passport' },
}).withOutboundHandler(async ({ body, caller, context, request }) => {
  const opened = await openLink(context, body, caller, request)
  if ('broken' in opened) return opened.broken
  const { page } = opened
  const { application, organization } = page.view
  const contact = parseContact(body)
  try {
    await sendBuyerCode(context, { application: application.id, ...contact }, request, page.reader.language)
    return renderLinkCode(page, contact)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return renderLinkSignIn(page, await listEnabledSignInMethods(context.db, organization), { contact, problem: error })
  }
})

const signInOperation = declareOperation({
  id: 'transfer_sign_in_page_v1',
  method: 'POST',
  path: '/transfer/sign-in',
  access: 'public',
  body: object({ ...linkParameters, ...contactParameters, otp: codeParameter }),
  returns: htmlResponse,
  transport,
  document: { tag, summary: 'Sign in whoever gets a passport' },
}).withOutboundHandler(async ({ body, caller, context, request }) => {
  const opened = await openLink(context, body, caller, request)
  if ('broken' in opened) return opened.broken
  const { page } = opened
  const contact = parseContact(body)
  try {
    const signIn = { application: page.view.application.id, ...contact, otp: parseCode(body.otp) }
    const { session } = await signInBuyer(context, signIn, { network: page.view.passport.network, request })
    const cookie = createSessionCookie(context, 'endUser', session.token, session.expiresAt)
    return answerRedirect(keepLanguage(getLinkAddress(page.token), page.reader), { 'Set-Cookie': cookie }, 303)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return renderLinkCode(page, contact, error)
  }
})

const acceptOperation = declareOperation({
  id: 'transfer_accept_page_v1',
  method: 'POST',
  path: '/transfer',
  access: 'public',
  body: object(linkParameters),
  returns: htmlResponse,
  transport,
  document: { tag, summary: 'Accept a passport' },
}).withOutboundHandler(async ({ body, caller, context, finish, request }) => {
  const opened = await openLink(context, body, caller, request)
  if ('broken' in opened) return opened.broken
  const { page, buyer } = opened
  const { reader, token, view } = page
  if (!buyer) return answerRedirect(keepLanguage(getLinkAddress(token), reader), undefined, 303)
  try {
    return await finish(async (work) => {
      const { jobId } = await acceptOffer(work, buyer, view.passport.id, token)
      return answerRedirect(keepLanguage(`/claim/${jobId}`, reader), undefined, 303)
    })
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return renderAnswers(page, buyer.email ?? buyer.phoneNumber ?? '', error)
  }
})

const declineOperation = declareOperation({
  id: 'transfer_decline_page_v1',
  method: 'POST',
  path: '/transfer/decline',
  access: 'public',
  body: object(linkParameters),
  returns: htmlResponse,
  transport,
  document: { tag, summary: 'Decline a passport' },
}).withOutboundHandler(async ({ body, caller, context, finish, request }) => {
  const opened = await openLink(context, body, caller, request)
  if ('broken' in opened) return opened.broken
  const { page, buyer } = opened
  const { reader, token, view } = page
  if (!buyer) return answerRedirect(keepLanguage(getLinkAddress(token), reader), undefined, 303)
  try {
    return await finish(async (work) => {
      await declineOffer(work, buyer, view.passport.id, token)
      return renderLinkEnd(reader, view, 'declined')
    })
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return renderAnswers(page, buyer.email ?? buyer.phoneNumber ?? '', error)
  }
})

/** The pages behind the link of an offer: sign in, accept or decline. */
export const transferPages: Operation[] = [
  startOperation,
  sendCodeOperation,
  signInOperation,
  acceptOperation,
  declineOperation,
]
