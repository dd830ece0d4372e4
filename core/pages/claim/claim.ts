import { answerRedirect, type Answer } from '../../kernel/answer.ts'
import type { Caller, EndUserCaller } from '../../kernel/caller.ts'
import { declareOperation, type Operation, type RequestDetails } from '../../kernel/operation.ts'
import { createNotFoundProblem, ProblemError } from '../../kernel/problem.ts'
import { object, optional, string, uuid } from '../../kernel/schema.ts'
import type { Context, Work } from '../../kernel/work.ts'
import { listEnabledSignInMethods, readAnyApplication } from '../../features/applications/index.ts'
import {
  claimByContact,
  claimByToken,
  requestPassport,
  maxRequestLength,
  readClaimJob,
  readPassportView,
  readTokenView,
  type PassportView,
} from '../../features/dpp/index.ts'
import { sendBuyerCode, createSessionCookie, signInBuyer } from '../../features/identity/index.ts'
import { presentJob } from '../../features/jobs/index.ts'
import {
  renderAskForm,
  renderRequestSent,
  renderBrokenClaim,
  getClaimAddress,
  renderClaimForm,
  renderCodeForm,
  renderContactForm,
  renderJobPage,
  type ClaimContext,
  type ClaimAccess,
} from './claim.views.ts'
import { dressReader } from '../site/brand.views.ts'
import { codeParameter, contactParameters, parseCode, parseContact } from '../site/sign-in.views.ts'
import { keepLanguage, languageParameter, detectReader } from '../site/reader.ts'

const tag = 'Pages'
const htmlResponse = { 200: { type: 'text/html', description: 'The page.' } } as const
/** The query parameters or form members by which a buyer enters: a token or a passport. */
const claimParameters = {
  token: optional(string('The magic token of the link.', { maxLength: 4096 })),
  passport: optional(uuid('Passport to claim with an e-mail address or phone number that its seller has named.')),
  lang: languageParameter,
}
interface ClaimQuery {
  token?: string
  passport?: string
  lang?: string
}

/** Returns the buyer if they are signed in to the passport's application, otherwise null. */
const getBuyer = (caller: Caller, view: PassportView): EndUserCaller | null =>
  caller.kind === 'endUser' && caller.application === view.application.id ? caller : null

/** Opens what a buyer has come to claim; returns `broken`, a page that says why, if it cannot be claimed. */
async function openClaim(
  context: Context,
  given: ClaimQuery,
  request: RequestDetails,
): Promise<ClaimContext | { broken: Answer }> {
  const detected = detectReader(request, given.lang)
  const { token = '', passport } = given
  const access: ClaimAccess = passport !== undefined && token === '' ? { passport } : { token }
  const { view, works } = await findClaimable(context, access, detected.language)
  const reader = view ? await dressReader(context, detected, { ...view, theme: view.application.theme }) : detected
  return view && works ? { view, access, reader } : { broken: renderBrokenClaim(access, view, reader) }
}

async function findClaimable(
  context: Context,
  access: ClaimAccess,
  language: string,
): Promise<{ view: PassportView | null; works: boolean }> {
  if ('passport' in access) {
    const view = await readPassportView(context.db, access.passport, language)
    return { view, works: view?.claimable ?? false }
  }
  return readTokenView(context, access.token, language).catch((error: unknown) => {
    if (error instanceof ProblemError) return { view: null, works: false }
    throw error
  })
}

/** The first step: the page shows what the link is for and asks for a contact. */
const startOperation = declareOperation({
  id: 'claim_page_v1',
  method: 'GET',
  path: '/claim',
  access: 'public',
  query: claimParameters,
  returns: htmlResponse,
  transport: { page: true },
  document: { tag, summary: 'The page behind a magic link' },
}).withReadHandler(async ({ caller, query, request, work }) => {
  const opened = await openClaim(work.context, query, request)
  if ('broken' in opened) return opened.broken
  const buyer = getBuyer(caller, opened.view)
  if (buyer) return renderClaimForm(opened, buyer)
  return renderContactForm(opened, await listEnabledSignInMethods(work.trx, opened.view.organization))
})

/** The second step: a code is sent to the buyer. */
const sendCodeOperation = declareOperation({
  id: 'claim_code_page_v1',
  method: 'POST',
  path: '/claim/code',
  access: 'public',
  body: object({ ...claimParameters, ...contactParameters }),
  returns: htmlResponse,
  transport: { page: true },
  document: { tag, summary: 'Send the buyer a code' },
}).withOutboundHandler(async ({ body, context, request }) => {
  const opened = await openClaim(context, body, request)
  if ('broken' in opened) return opened.broken
  const { view } = opened
  const given = parseContact(body)
  try {
    await sendBuyerCode(
      context,
      { application: view.application.id, ...given } as Parameters<typeof sendBuyerCode>[1],
      request,
      opened.reader.language,
    )
    return renderCodeForm(opened, given)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return renderContactForm(opened, await listEnabledSignInMethods(context.db, view.organization), given, error)
  }
})

/** The third step: the code opens a session, and the buyer returns to the first page, now signed in. */
const signInOperation = declareOperation({
  id: 'claim_sign_in_page_v1',
  method: 'POST',
  path: '/claim/sign-in',
  access: 'public',
  body: object({ ...claimParameters, ...contactParameters, otp: codeParameter }),
  returns: htmlResponse,
  transport: { page: true },
  document: { tag, summary: 'Sign the buyer in' },
}).withOutboundHandler(async ({ body, context, request }) => {
  const opened = await openClaim(context, body, request)
  if ('broken' in opened) return opened.broken
  const { access: from, reader, view } = opened
  const enteredContact = parseContact(body)
  try {
    const signInRequest = {
      application: view.application.id,
      ...enteredContact,
      otp: parseCode(body.otp),
    } as Parameters<typeof signInBuyer>[1]
    const { session } = await signInBuyer(context, signInRequest, { network: view.passport.network, request })
    const cookie = createSessionCookie(context, 'endUser', session.token, session.expiresAt)
    return answerRedirect(keepLanguage(getClaimAddress(from), reader), { 'Set-Cookie': cookie }, 303)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return renderCodeForm(opened, enteredContact, error)
  }
})

/** The fourth step: the claim itself. */
const claimOperation = declareOperation({
  id: 'claim_do_page_v1',
  method: 'POST',
  path: '/claim',
  access: 'public',
  body: object(claimParameters),
  returns: htmlResponse,
  transport: { page: true },
  document: { tag, summary: 'Claim the passport' },
}).withOutboundHandler(async ({ body, caller, context, finish, request }) => {
  const opened = await openClaim(context, body, request)
  if ('broken' in opened) return opened.broken
  const { access, reader } = opened
  const buyer = getBuyer(caller, opened.view)
  if (!buyer) return answerRedirect(keepLanguage(getClaimAddress(access), reader), undefined, 303)
  try {
    return await finish(async (work) => {
      const { jobId } = await createClaim(work, buyer, access)
      return answerRedirect(keepLanguage(`/claim/${jobId}`, reader), undefined, 303)
    })
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return error.code === 'DPP_CLAIM_NOT_ALLOWED'
      ? renderAskForm(opened, buyer, error)
      : renderClaimForm(opened, buyer, error)
  }
})

const createClaim = (work: Work, buyer: EndUserCaller, access: ClaimAccess): Promise<{ jobId: string }> =>
  'token' in access ? claimByToken(work, buyer, { magicToken: access.token }) : claimByContact(work, buyer, access)

/** The last step: the page watches the job until the passport belongs to the buyer. */
const watchOperation = declareOperation({
  id: 'claim_job_page_v1',
  method: 'GET',
  path: '/claim/:jobId',
  access: 'public',
  params: { jobId: uuid('Job of the claim.') },
  query: { lang: languageParameter },
  returns: htmlResponse,
  transport: { page: true },
  document: { tag, summary: 'Watch a claim' },
}).withReadHandler(async ({ caller, params, query, request, work }) => {
  if (caller.kind !== 'endUser') throw createNotFoundProblem()
  const job = presentJob(await readClaimJob(work, caller, params.jobId))
  const application = await readAnyApplication(work.trx, caller.application)
  const reader = await dressReader(work.context, detectReader(request, query.lang), application)
  const passport = job.status === 'completed' ? job.result?.['passport'] : undefined
  const view = typeof passport === 'string' ? await readPassportView(work.trx, passport, reader.language) : null
  return renderJobPage(job, { application, view }, reader)
})

/** What a buyer does whom the seller has not named: they ask the brand. */
const askOperation = declareOperation({
  id: 'claim_ask_page_v1',
  method: 'POST',
  path: '/claim/ask',
  access: 'public',
  body: object({
    passport: uuid('Passport of the item.'),
    text: optional(string('How the item came to them.', { maxLength: 4_000 })),
    lang: languageParameter,
  }),
  returns: htmlResponse,
  transport: { page: true },
  document: { tag, summary: 'Ask for a passport' },
}).withOutboundHandler(async ({ body, caller, context, finish, request }) => {
  const { passport, text = '' } = body
  const opened = await openClaim(context, body, request)
  if ('broken' in opened) return opened.broken
  const { reader, access, view } = opened
  const buyer = getBuyer(caller, view)
  if (!buyer) return answerRedirect(keepLanguage(getClaimAddress(access), reader), undefined, 303)
  try {
    return await finish(async (work) => {
      const wanted = { passport, text: text.replaceAll('\r\n', '\n').slice(0, maxRequestLength) }
      await requestPassport(work, buyer, wanted, reader.language)
      return renderRequestSent(opened)
    })
  } catch (error) {
    if (error instanceof ProblemError) return renderAskForm(opened, buyer, error)
    throw error
  }
})

export const claimOperations: Operation[] = [
  startOperation,
  sendCodeOperation,
  signInOperation,
  claimOperation,
  askOperation,
  watchOperation,
]
