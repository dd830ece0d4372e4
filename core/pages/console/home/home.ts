import { isAnswer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { listExpiringKeys } from '../../../features/identity/index.ts'
import { countFailedJobs } from '../../../features/jobs/index.ts'
import { isKeyWaiting as isCertificationKeyWaiting } from '../../../features/certification/index.ts'
import { isFeatureUsed, readApplicationNames } from '../../../features/applications/index.ts'
import { listEndingCertificates } from '../../../features/loyalty/index.ts'
import { readDppMetrics, readLoyaltyMetrics } from '../../../features/metrics/index.ts'
import { readQuotaUsage } from '../../../features/organization/index.ts'
import { listStrandedCampaigns } from '../campaigns/stranded.ts'
import { may, memberPageOptions } from '../console.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
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
  const mayReadLoyalty = may(member, 'loyalty:read')
  const mayManage = may(member, 'settings:update')
  const hasLoyalty = mayReadLoyalty && (await isFeatureUsed(work.trx, organization, 'loyalty'))
  const [metrics, loyalty, usage, failedJobs, expiringKeys, isKeyWaiting, strandedCampaigns, certificates] =
    await Promise.all([
      readDppMetrics(work, organization, { interval: 'day' }),
      hasLoyalty ? readLoyaltyMetrics(work, organization, { interval: 'day' }) : null,
      may(member, 'billing:read') ? readQuotaUsage(work, { organization }) : null,
      mayManage ? countFailedJobs(work.trx, organization) : null,
      may(member, 'apiKey:read') ? listExpiringKeys(work.trx, organization) : [],
      isCertificationKeyWaiting(work.trx, organization),
      mayReadLoyalty ? listStrandedCampaigns(page) : [],
      may(member, 'application:read') ? listCertificates(page) : [],
    ])
  const phrases = homeWords[language]
  const firstSteps = phrases.firstSteps.filter(([, , permission]) => may(member, permission))
  const view = {
    metrics,
    loyalty,
    usage,
    failedJobs,
    expiringKeys,
    isKeyWaiting,
    strandedCampaigns,
    certificates,
    firstSteps,
  }
  const content = renderHome(view, phrases, language)
  return renderFramed(page, { title: phrases.title }, content)
})

/** Lists the certificates of wallets that end soon, with the names of their applications. */
async function listCertificates({ work, member }: ConsolePage) {
  const ending = await listEndingCertificates(work.trx, member.organization, work.context.clock.now())
  const names = await readApplicationNames(
    work.trx,
    ending.map(({ application }) => application),
  )
  return ending.map((one) => ({ ...one, name: names.get(one.application) ?? '' }))
}

export const homePages: Operation[] = [homeOperation]
