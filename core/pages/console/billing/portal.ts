import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import { object, string, uuid } from '../../../kernel/schema.ts'
import {
  changePlan,
  computeUpcomingInvoice,
  createPortalSession,
  findOpenPortal,
  getPlan,
  openPortal,
  readQuotaUsage,
} from '../../../features/organization/index.ts'
import { memberPageOptions, renderConsolePage } from '../console.ts'
import { getRefusal } from '../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { getProblemStatus } from '../../site/layout.ts'
import { renderEnded, renderLeave, renderPortal } from './portal.views.ts'
import { portalWords } from './portal.words.ts'
import { portalPath } from './usage.views.ts'

/** Leads from the console to the billing page: ours, or that of the provider. */
const leaveOperation = declareOperation({
  id: 'console_billing_portal_page_v1',
  method: 'POST',
  path: portalPath,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'To the page of plan and invoices' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, '/console/organization', 'billing:update')
  if (isAnswer(page)) return page
  const { url } = await createPortalSession(input.context, page.member)
  const { origin, pathname } = new URL(url)
  if (origin === new URL(input.context.settings.baseUrl).origin) return answerRedirect(pathname, undefined, 303)
  const phrases = portalWords[page.language]
  return renderFramed(page, { title: phrases.leaveTitle, wide: false }, renderLeave(phrases, url))
})

const linkPath = '/console/billing/:link/:signature'
const linkParameters = {
  link: uuid('What the link names.'),
  signature: string('Our signature of it.', { pattern: '^[\\w-]{43}$' }),
}
const getLinkPath = ({ link, signature }: { link: string; signature: string }) =>
  `/console/billing/${link}/${signature}`

/** Our own billing page, which a link opens once. */
const openOperation = declareOperation({
  id: 'console_billing_page_v1',
  method: 'GET',
  path: linkPath,
  ...memberPageOptions,
  params: linkParameters,
  document: { tag: 'Pages', summary: 'Plan and invoices' },
}).withOutboundHandler(async (input) => {
  const { context, params } = input
  const page = openPage(input, getLinkPath(params), 'billing:update')
  if (isAnswer(page)) return page
  const opened = await openPortal(context, page.member, { id: params.link, signature: params.signature })
  if (opened !== 'ended') return renderOwn(page, opened)
  const phrases = portalWords[page.language]
  return renderFramed(page, { title: phrases.endedTitle, wide: false, status: 410 }, renderEnded(phrases))
})

async function renderOwn(
  page: ConsolePage,
  { returnUrl, isChanged = false, problem }: { returnUrl: string; isChanged?: boolean; problem?: ProblemError },
): Promise<Answer> {
  const { member, work, language, here } = page
  const { context } = work
  const usage = await readQuotaUsage(work, member)
  const plan = getPlan(context, usage.plan.id)
  const content = renderPortal(page, {
    plan,
    plans: context.settings.development ? context.plans : [],
    usage,
    invoice: computeUpcomingInvoice(plan, usage),
    returnUrl,
    isChanged,
    problem,
  })
  // Nothing leads away from a page that opens once.
  const options = { needsNoAcceptance: true, lang: language, here, ...getProblemStatus(problem) }
  return renderConsolePage(context, member, { title: portalWords[language].title, ...options }, content)
}

/** Changes the plan on our own page, in development. */
const changeOperation = declareOperation({
  id: 'console_billing_change_page_v1',
  method: 'POST',
  path: linkPath,
  ...memberPageOptions,
  params: linkParameters,
  body: object({ plan: string('The plan.', { maxLength: 100 }) }),
  document: { tag: 'Pages', summary: 'Change the plan, in development' },
}).withOutboundHandler(async (input) => {
  const { context, params, body } = input
  const page = openPage(input, getLinkPath(params), 'billing:update')
  if (isAnswer(page)) return page
  const { returnUrl } = await findOpenPortal(context, page.member, { id: params.link, signature: params.signature })
  try {
    await context.db.transaction((trx) => changePlan({ ...page.work, trx }, page.member, body.plan))
  } catch (cause) {
    return renderOwn(page, { returnUrl, problem: getRefusal(cause) })
  }
  return renderOwn(page, { returnUrl, isChanged: true })
})

/** The pages of plan and invoices. */
export const billingPages: Operation[] = [leaveOperation, openOperation, changeOperation]
