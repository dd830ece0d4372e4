import { isAnswer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { listExpiringKeys } from '../../../features/identity/index.ts'
import { countFailedJobs } from '../../../features/jobs/index.ts'
import { isKeyWaiting as isCertificationKeyWaiting } from '../../../features/certification/index.ts'
import { isFeatureUsed } from '../../../features/applications/index.ts'
import { readDppMetrics, readLoyaltyMetrics } from '../../../features/metrics/index.ts'
import { readQuotaUsage } from '../../../features/organization/index.ts'
import { may, memberPageOptions } from '../console.ts'
import { openPage, renderFramed } from '../frame/frame.ts'
import { renderHome } from './home.views.ts'
import { homeWords } from './words.ts'

const path = '/console'

/**
 * The first page: what waits for somebody, passports by status, claims and scans of the last 30 days, what customers did
 * in them where an application uses points, and usage against the plan. A part whose operation the role may not call is absent.
 */
const homeOperation = declareOperation({
  id: 'console_page_v1',
  method: 'GET',
  path,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'The first page of the console' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'dpp:read')
  if (isAnswer(page)) return page
  const { member, work, language } = page
  const { organization } = member
  const mayManage = may(member, 'settings:update')
  const hasLoyalty = may(member, 'loyalty:read') && (await isFeatureUsed(work.trx, organization, 'loyalty'))
  const [metrics, loyalty, usage, failedJobs, expiringKeys, isKeyWaiting] = await Promise.all([
    readDppMetrics(work, organization, { interval: 'day' }),
    hasLoyalty ? readLoyaltyMetrics(work, organization, { interval: 'day' }) : null,
    may(member, 'billing:read') ? readQuotaUsage(work, { organization }) : null,
    mayManage ? countFailedJobs(work.trx, organization) : null,
    may(member, 'apiKey:read') ? listExpiringKeys(work.trx, organization) : [],
    isCertificationKeyWaiting(work.trx, organization),
  ])
  const phrases = homeWords[language]
  const firstSteps = phrases.firstSteps.filter(([, , permission]) => may(member, permission))
  const view = { metrics, loyalty, usage, failedJobs, expiringKeys, isKeyWaiting, firstSteps }
  const content = renderHome(view, phrases, language)
  return renderFramed(page, { title: phrases.title }, content)
})

export const homePages: Operation[] = [homeOperation]
