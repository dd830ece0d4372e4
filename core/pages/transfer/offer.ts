import {
  isTransferable,
  offerDays,
  offerPassport,
  readPassportView,
  type PassportView,
  withdrawOffer,
} from '../../features/dpp/index.ts'
import { listEnabledSignInMethods } from '../../features/applications/index.ts'
import {
  createSessionCookie,
  isCodeFresh,
  parseAddress,
  sendBuyerCode,
  signInBuyer,
} from '../../features/identity/index.ts'
import { listPersonAccounts } from '../../features/loyalty/index.ts'
import { answerRedirect } from '../../kernel/answer.ts'
import type { Caller, EndUserCaller } from '../../kernel/caller.ts'
import { declareOperation, type Operation, type RequestDetails } from '../../kernel/operation.ts'
import { createNotFoundProblem, ProblemError } from '../../kernel/problem.ts'
import { object } from '../../kernel/schema.ts'
import type { Context, Work } from '../../kernel/work.ts'
import { dressReader } from '../site/brand.views.ts'
import { detectReader, keepLanguage, languageParameter } from '../site/reader.ts'
import { codeParameter, contactParameters, parseCode, parseContact, type Contact } from '../site/sign-in.views.ts'
import {
  getOfferAddress,
  renderNoOffer,
  renderOfferForm,
  renderProof,
  renderProofCode,
  type OfferPage,
} from './offer.views.ts'

const tag = 'Pages'
const path = '/p/:id/transfer'
const htmlResponse = { 200: { type: 'text/html', description: 'The page.' } } as const
const transport = { page: true } as const

/** @throws NOT_FOUND for a passport that is not public */
async function openPage(
  context: Context,
  passport: string,
  request: RequestDetails,
  language: string | undefined,
): Promise<OfferPage> {
  const reader = detectReader(request, language)
  const view = await readPassportView(context.db, passport, reader.language)
  if (!view) throw createNotFoundProblem()
  return { view, reader: await dressReader(context, reader, { ...view, theme: view.application.theme }) }
}

/** Returns the buyer if they are signed in to the passport's application. */
const getBuyer = (caller: Caller, { application }: PassportView): EndUserCaller | null =>
  caller.kind === 'endUser' && caller.application === application.id ? caller : null

/** The form for an owner with a fresh code; before that, a sign-in with one. */
const formOperation = declareOperation({
  id: 'passport_offer_form_v1',
  method: 'GET',
  path,
  access: 'public',
  query: { lang: languageParameter },
  returns: htmlResponse,
  transport,
  document: { tag, summary: 'A form to pass a passport on' },
}).withReadHandler(async ({ caller, params, query, request, work }) => {
  const page = await openPage(work.context, params.id, request, query.lang)
  const buyer = getBuyer(caller, page.view)
  if (!buyer || !(await isCodeFresh(work.trx, buyer)))
    return renderProof(page, await listEnabledSignInMethods(work.trx, page.view.organization))
  if (!(await isHolder(work, buyer, page.view))) return renderNoOffer(page, 'notYours')
  if (!(await isTransferable(work, page.view.passport.id))) return renderNoOffer(page, 'closed')
  return renderOfferForm(page, offerDays)
})

async function isHolder(work: Work, buyer: EndUserCaller, { holder }: PassportView): Promise<boolean> {
  const accounts = await listPersonAccounts(work, buyer)
  return accounts.some(({ id }) => id === holder)
}

const sendCodeOperation = declareOperation({
  id: 'passport_offer_code_page_v1',
  method: 'POST',
  path: `${path}/code`,
  access: 'public',
  body: object({ ...contactParameters, lang: languageParameter }),
  returns: htmlResponse,
  transport,
  document: { tag, summary: 'Send the owner a code' },
}).withOutboundHandler(async ({ body, context, params, request }) => {
  const page = await openPage(context, params.id, request, body.lang)
  const contact = parseContact(body)
  const { application, organization } = page.view
  try {
    await sendBuyerCode(context, { application: application.id, ...contact }, request, page.reader.language)
    return renderProofCode(page, contact)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return renderProof(page, await listEnabledSignInMethods(context.db, organization), { contact, problem: error })
  }
})

const signInOperation = declareOperation({
  id: 'passport_offer_sign_in_page_v1',
  method: 'POST',
  path: `${path}/sign-in`,
  access: 'public',
  body: object({ ...contactParameters, otp: codeParameter, lang: languageParameter }),
  returns: htmlResponse,
  transport,
  document: { tag, summary: 'Sign the owner in' },
}).withOutboundHandler(async ({ body, context, params, request }) => {
  const page = await openPage(context, params.id, request, body.lang)
  const contact = parseContact(body)
  const { application, passport } = page.view
  try {
    const signIn = { application: application.id, ...contact, otp: parseCode(body.otp) }
    const { session } = await signInBuyer(context, signIn, { network: passport.network, request })
    const cookie = createSessionCookie(context, 'endUser', session.token, session.expiresAt)
    return answerRedirect(keepLanguage(getOfferAddress(passport.id), page.reader), { 'Set-Cookie': cookie }, 303)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return renderProofCode(page, contact, error)
  }
})

/** Takes the form, and leads to the list of what the owner has and has offered. */
const sendOperation = declareOperation({
  id: 'passport_offer_send_v1',
  method: 'POST',
  path,
  access: 'public',
  body: object({ ...contactParameters, lang: languageParameter }),
  returns: htmlResponse,
  transport,
  document: { tag, summary: 'Offer a passport to somebody' },
}).withOutboundHandler(async ({ body, caller, context, finish, params, request }) => {
  const page = await openPage(context, params.id, request, body.lang)
  const buyer = getBuyer(caller, page.view)
  const here = keepLanguage(getOfferAddress(params.id), page.reader)
  if (!buyer) return answerRedirect(here, undefined, 303)
  const contact = parseContact(body)
  try {
    const wanted = await parseWanted(contact)
    return await finish(async (work) => {
      await offerPassport(work, buyer, params.id, wanted, page.reader.language)
      return answerRedirect(keepLanguage('/me?sent=yes', page.reader), undefined, 303)
    })
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    if (error.code === 'AUTH_FRESH_CODE_REQUIRED') return answerRedirect(here, undefined, 303)
    return renderOfferForm(page, offerDays, { contact, problem: error })
  }
})

/** Converts what was entered to the body of an offer. @throws VALIDATION_FAILED for a number that does not exist */
async function parseWanted(contact: Contact): Promise<{ email: string } | { phone: string }> {
  const { channel, to } = await parseAddress({ application: '', ...contact })
  return channel === 'email' ? { email: to } : { phone: to }
}

/** Takes an open offer back, from the list of the owner. */
const withdrawOperation = declareOperation({
  id: 'passport_offer_withdraw_page_v1',
  method: 'POST',
  path: `${path}/withdraw`,
  access: 'public',
  query: { lang: languageParameter },
  returns: htmlResponse,
  transport,
  document: { tag, summary: 'Take an offer back' },
}).withOutboundHandler(async ({ caller, context, finish, params, query, request }) => {
  const page = await openPage(context, params.id, request, query.lang)
  const buyer = getBuyer(caller, page.view)
  const list = answerRedirect(keepLanguage('/me', page.reader), undefined, 303)
  if (!buyer) return list
  try {
    return await finish(async (work) => {
      await withdrawOffer(work, buyer, params.id)
      return list
    })
  } catch (error) {
    // Somebody answered it first: the list says what became of it.
    if (error instanceof ProblemError && error.code === 'DPP_TRANSFER_NOT_OPEN') return list
    throw error
  }
})

export const passportOfferPages: Operation[] = [
  formOperation,
  sendCodeOperation,
  signInOperation,
  sendOperation,
  withdrawOperation,
]
