import { isAnswer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { listPlans, readQuotaUsage } from '../../../features/organization/index.ts'
import { may, memberPageOptions } from '../console.ts'
import { openPage, renderFramed } from '../frame/frame.ts'
import { renderPlans } from './plans.views.ts'
import { plansPath } from './usage.views.ts'
import { usageWords } from './usage.words.ts'

/** The plans of the platform side by side, with the own one marked. */
const plansOperation = declareOperation({
  id: 'console_plans_page_v1',
  method: 'GET',
  path: plansPath,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Plans side by side' },
}).withReadHandler(async (input) => {
  const page = openPage(input, plansPath, 'billing:read')
  if (isAnswer(page)) return page
  const { member, work, language } = page
  const { plan } = await readQuotaUsage(work, member)
  const plans = listPlans(work.context)
  const content = renderPlans(page, { plans, own: plan.id, mayOpenPortal: may(member, 'billing:update') })
  return renderFramed(page, { title: usageWords[language].plans }, content)
})

export const planPages: Operation[] = [plansOperation]
