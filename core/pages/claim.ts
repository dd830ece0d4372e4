import { redirect, type Answer } from '../kernel/answer.ts'
import type { Caller, EndUserCaller } from '../kernel/caller.ts'
import { operation, type Operation, type RequestFacts } from '../kernel/operation.ts'
import { notFound, Problem } from '../kernel/problem.ts'
import { object, optional, string, uuid } from '../kernel/schema.ts'
import type { Context, Work } from '../kernel/work.ts'
import { enabledMethods } from '../features/applications/index.ts'
import { claimByContact, claimByToken, findClaimJob, passportView, tokenView, type PassportView } from '../features/dpp/index.ts'
import { sendBuyerCode, sessionCookie, signInBuyer } from '../features/identity/index.ts'
import { jobView } from '../features/jobs/index.ts'
import {
  brokenDoor, claimAddress, claimForm, codeForm, contactForm, jobPage, type Claiming, type Contact, type Door,
} from './claim.views.ts'
import { inLanguage, lang, readerOf } from './reader.ts'

const tag = 'Pages'
const html = { 200: { type: 'text/html', description: 'The page.' } } as const
/** By one of these a buyer comes in. */
const doors = {
  token: optional(string('The magic token of the link.', { maxLength: 4096 })),
  passport: optional(uuid('Passport to claim with an e-mail address or phone number that its seller has named.')),
  lang,
}
const contact = {
  email: optional(string('E-mail address of the buyer.', { maxLength: 320 })),
  phoneCallingCode: optional(string('Calling code, as +33.', { maxLength: 6 })),
  phone: optional(string('Phone number without calling code.', { maxLength: 20 })),
}
interface Given { token?: string; passport?: string; lang?: string }

/** The buyer of the passport's application, signed in, or null. */
const buyerOf = (caller: Caller, view: PassportView): EndUserCaller | null =>
  caller.kind === 'endUser' && caller.application === view.application.id ? caller : null

/** What a buyer has come to claim; what one who cannot is shown otherwise. */
async function open(context: Context, given: Given, request: RequestFacts): Promise<Claiming | { broken: Answer }> {
  const reader = readerOf(request, given.lang)
  const { token = '', passport } = given
  const door: Door = passport !== undefined && token === '' ? { passport } : { token }
  const { view, works } = await behind(context, door)
  return view && works ? { view, door, reader } : { broken: brokenDoor(door, view, reader) }
}

async function behind(context: Context, door: Door): Promise<{ view: PassportView | null; works: boolean }> {
  if ('passport' in door) {
    const view = await passportView(context.db, door.passport)
    return { view, works: view?.claimable ?? false }
  }
  return tokenView(context, door.token).catch((error: unknown) => {
    if (error instanceof Problem) return { view: null, works: false }
    throw error
  })
}

/** First step: what the link is for, and the way in. */
const start = operation({
  id: 'claim_page_v1', method: 'GET', path: '/claim', summary: 'The page behind a magic link', tag, access: 'public', page: true,
  query: doors, returns: html,
}).readBy(async ({ caller, query, request, work }) => {
  const opened = await open(work.context, query, request)
  if ('broken' in opened) return opened.broken
  const buyer = buyerOf(caller, opened.view)
  if (buyer) return claimForm(opened, buyer)
  return contactForm(opened, await enabledMethods(work.trx, opened.view.organization))
})

/** Second step: the code is on its way. */
const sendCode = operation({
  id: 'claim_code_page_v1', method: 'POST', path: '/claim/code', summary: 'Send the buyer a code', tag, access: 'public', page: true,
  body: object({ ...doors, ...contact }), returns: html,
}).performedBy(async ({ body, context, request }) => {
  const opened = await open(context, body, request)
  if ('broken' in opened) return opened.broken
  const { view } = opened
  const given = contactOf(body)
  try {
    await sendBuyerCode(context, { application: view.application.id, ...given } as Parameters<typeof sendBuyerCode>[1], request)
    return codeForm(opened, given)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return contactForm(opened, await enabledMethods(context.db, view.organization), given, error)
  }
})

/** Third step: the code opens the session, and the way goes back to the first page, now signed in. */
const signIn = operation({
  id: 'claim_sign_in_page_v1', method: 'POST', path: '/claim/sign-in', summary: 'Sign the buyer in', tag, access: 'public', page: true,
  body: object({ ...doors, ...contact, otp: string('The six digits.', { maxLength: 20 }) }), returns: html,
}).performedBy(async ({ body, context, request }) => {
  const opened = await open(context, body, request)
  if ('broken' in opened) return opened.broken
  const { door: from, reader, view } = opened
  const given = contactOf(body)
  try {
    const door = { application: view.application.id, ...given, otp: body.otp.replace(/\D/g, '') } as Parameters<typeof signInBuyer>[1]
    const { session } = await signInBuyer(context, door, { network: view.passport.network, request })
    const cookie = sessionCookie(context, 'endUser', session.token, session.expiresAt)
    return redirect(inLanguage(claimAddress(from), reader), { 'Set-Cookie': cookie }, 303)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return codeForm(opened, given, error)
  }
})

/** Fourth step: the claim itself. */
const claim = operation({
  id: 'claim_do_page_v1', method: 'POST', path: '/claim', summary: 'Claim the passport', tag, access: 'public', page: true,
  body: object(doors), returns: html,
}).performedBy(async ({ body, caller, context, finish, request }) => {
  const opened = await open(context, body, request)
  if ('broken' in opened) return opened.broken
  const { door, reader } = opened
  const buyer = buyerOf(caller, opened.view)
  if (!buyer) return redirect(inLanguage(claimAddress(door), reader), undefined, 303)
  try {
    return await finish(async (work) => {
      const { jobId } = await claimBy(work, buyer, door)
      return redirect(inLanguage(`/claim/${jobId}`, reader), undefined, 303)
    })
  } catch (error) {
    if (error instanceof Problem) return claimForm(opened, buyer, error)
    throw error
  }
})

const claimBy = (work: Work, buyer: EndUserCaller, door: Door): Promise<{ jobId: string }> =>
  'token' in door ? claimByToken(work, buyer, { magicToken: door.token }) : claimByContact(work, buyer, door)

/** Last step: watch the job until the passport is the buyer's. */
const watch = operation({
  id: 'claim_job_page_v1', method: 'GET', path: '/claim/:jobId', summary: 'Watch a claim', tag, access: 'public', page: true,
  params: { jobId: uuid('Job of the claim.') }, query: { lang }, returns: html,
}).readBy(async ({ caller, params, query, request, work }) => {
  if (caller.kind !== 'endUser') throw notFound()
  return jobPage(jobView(await findClaimJob(work, caller, params.jobId)), readerOf(request, query.lang))
})

function contactOf(body: { email?: string; phoneCallingCode?: string; phone?: string }): Contact {
  const { email, phoneCallingCode = '', phone } = body
  return phone ? { type: 'phone-otp', phoneCallingCode, phone } : { type: 'email-otp', email: (email ?? '').trim() }
}

export const claimOperations: Operation[] = [start, sendCode, signIn, claim, watch]
