import { redirect, type Answer } from '../kernel/answer.ts'
import type { Caller, EndUserCaller } from '../kernel/caller.ts'
import { operation, type Operation } from '../kernel/operation.ts'
import { notFound, Problem } from '../kernel/problem.ts'
import { object, optional, string, uuid } from '../kernel/schema.ts'
import type { Context } from '../kernel/work.ts'
import { enabledMethods } from '../features/applications/index.ts'
import { claimByToken, findClaimJob, tokenView, type PassportView } from '../features/dpp/index.ts'
import { sendBuyerCode, sessionCookie, signInBuyer } from '../features/identity/index.ts'
import { jobView } from '../features/jobs/index.ts'
import { brokenLink, claimForm, codeForm, contactForm, jobPage, type Contact } from './claim.views.ts'

const tag = 'Pages'
const html = { 200: { type: 'text/html', description: 'The page.' } } as const
const token = string('The magic token of the link.', { minLength: 1, maxLength: 4096 })
const contact = {
  email: optional(string('E-mail address of the buyer.', { maxLength: 320 })),
  phoneCallingCode: optional(string('Calling code, as +33.', { maxLength: 6 })),
  phone: optional(string('Phone number without calling code.', { maxLength: 20 })),
}

/** The buyer of the passport's application, signed in, or null. */
const buyerOf = (caller: Caller, view: PassportView): EndUserCaller | null =>
  caller.kind === 'endUser' && caller.application === view.application.id ? caller : null

/** The passport behind a link that works; what a broken link shows otherwise. */
async function open(context: Context, shown: string): Promise<{ view: PassportView } | { broken: Answer }> {
  const { view, works } = await tokenView(context, shown).catch((error: unknown) => {
    if (error instanceof Problem) return { view: null, works: false }
    throw error
  })
  return view && works ? { view } : { broken: brokenLink(view) }
}

/** First step: what the link is for, and the way in. */
const start = operation({
  id: 'claim_page_v1', method: 'GET', path: '/claim', summary: 'The page behind a magic link', tag, access: 'public', page: true,
  query: { token: optional(token) }, returns: html,
}).readBy(async ({ caller, query, work }) => {
  const opened = await open(work.context, query.token ?? '')
  if ('broken' in opened) return opened.broken
  const { view } = opened
  const buyer = buyerOf(caller, view)
  if (buyer) return claimForm(view, query.token ?? '', buyer)
  return contactForm(view, query.token ?? '', await enabledMethods(work.trx, view.organization))
})

/** Second step: the code is on its way. */
const sendCode = operation({
  id: 'claim_code_page_v1', method: 'POST', path: '/claim/code', summary: 'Send the buyer a code', tag, access: 'public', page: true,
  body: object({ token, ...contact }), returns: html,
}).performedBy(async ({ body, context }) => {
  const opened = await open(context, body.token)
  if ('broken' in opened) return opened.broken
  const { view } = opened
  const given = contactOf(body)
  try {
    await sendBuyerCode(context, { application: view.application.id, ...given } as Parameters<typeof sendBuyerCode>[1])
    return codeForm(view, body.token, given)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return contactForm(view, body.token, await enabledMethods(context.db, view.organization), given, error)
  }
})

/** Third step: the code opens the session, and the way goes back to the link, now signed in. */
const signIn = operation({
  id: 'claim_sign_in_page_v1', method: 'POST', path: '/claim/sign-in', summary: 'Sign the buyer in', tag, access: 'public', page: true,
  body: object({ token, ...contact, otp: string('The six digits.', { maxLength: 20 }) }), returns: html,
}).performedBy(async ({ body, context }) => {
  const opened = await open(context, body.token)
  if ('broken' in opened) return opened.broken
  const { view } = opened
  const given = contactOf(body)
  try {
    const door = { application: view.application.id, ...given, otp: body.otp.replace(/\D/g, '') } as Parameters<typeof signInBuyer>[1]
    const session = await signInBuyer(context, door, view.passport.network)
    const cookie = sessionCookie(context, 'endUser', session.token, session.expiresAt)
    return redirect(`/claim?token=${encodeURIComponent(body.token)}`, { 'Set-Cookie': cookie }, 303)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return codeForm(view, body.token, given, error)
  }
})

/** Fourth step: the claim itself. */
const claim = operation({
  id: 'claim_do_page_v1', method: 'POST', path: '/claim', summary: 'Claim the passport', tag, access: 'public', page: true,
  body: object({ token }), returns: html,
}).performedBy(async ({ body, caller, context, finish }) => {
  const opened = await open(context, body.token)
  if ('broken' in opened) return opened.broken
  const buyer = buyerOf(caller, opened.view)
  if (!buyer) return redirect(`/claim?token=${encodeURIComponent(body.token)}`, undefined, 303)
  try {
    return await finish(async (work) => {
      const { jobId } = await claimByToken(work, buyer, { magicToken: body.token })
      return redirect(`/claim/${jobId}`, undefined, 303)
    })
  } catch (error) {
    if (error instanceof Problem) return claimForm(opened.view, body.token, buyer, error)
    throw error
  }
})

/** Last step: watch the job until the passport is the buyer's. */
const watch = operation({
  id: 'claim_job_page_v1', method: 'GET', path: '/claim/:jobId', summary: 'Watch a claim', tag, access: 'public', page: true,
  params: { jobId: uuid('Job of the claim.') }, returns: html,
}).readBy(async ({ caller, params, work }) => {
  if (caller.kind !== 'endUser') throw notFound()
  return jobPage(jobView(await findClaimJob(work, caller, params.jobId)))
})

function contactOf(body: { email?: string; phoneCallingCode?: string; phone?: string }): Contact {
  const { email, phoneCallingCode = '', phone } = body
  return phone ? { type: 'phone-otp', phoneCallingCode, phone } : { type: 'email-otp', email: (email ?? '').trim() }
}

export const claimOperations: Operation[] = [start, sendCode, signIn, claim, watch]
