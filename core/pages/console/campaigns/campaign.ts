import { readApplication } from '../../../features/applications/index.ts'
import { readOrganizationDays } from '../../../features/identity/index.ts'
import { findJob } from '../../../features/jobs/index.ts'
import {
  exportDeliveries,
  listTierChoices,
  presentDetails,
  readOwnCampaign,
  readStatistics,
} from '../../../features/loyalty/index.ts'
import { answerStream, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import { optional, string } from '../../../kernel/schema.ts'
import { getProblemStatus } from '../../site/layout.ts'
import { may, memberPageOptions } from '../console.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { renderCampaignPage } from './campaign.views.ts'
import { renderDraft } from './editor/editor.ts'
import { campaignsPath, getCampaignAddress } from './paths.ts'
import { campaignWords } from './words/words.ts'

/** The interval between two reloads of a browser without scripts, in seconds. */
const refreshSeconds = 2

interface CampaignState {
  isSaved?: boolean
  problem?: ProblemError
}

/** Renders a campaign: a draft as its form, any other as what becomes of it. */
export async function renderCampaign(
  page: ConsolePage,
  id: string,
  { isSaved = false, problem }: CampaignState = {},
): Promise<Answer> {
  const { work, member, language } = page
  const row = await readOwnCampaign(work.trx, member, id)
  const campaign = await presentDetails(work.trx, row)
  if (campaign.status === 'draft' && may(member, 'loyalty:update') && !problem)
    return renderDraft(page, campaign, { isSaved })
  const [job, statistics, application, tiers, { timeZone }] = await Promise.all([
    row.job === null ? undefined : findJob(work.trx, row.job),
    readStatistics(work.trx, row),
    readApplication(work, campaign.application),
    listTierChoices(work, member, campaign.application),
    readOrganizationDays(work.context.directDatabase, member.organization),
  ])
  const isMoving = campaign.status === 'sending' && !campaign.isStranded
  const content = renderCampaignPage(page, {
    campaign,
    job: job ?? null,
    isFrozen: row.frozenAt !== null,
    statistics,
    application,
    tiers,
    timeZone,
    now: work.context.clock.now(),
    problem,
  })
  const options = {
    title: campaignWords[language].editTitle(campaign.name),
    ...(isMoving && { refresh: refreshSeconds, script: '/assets/imports.js' }),
    ...getProblemStatus(problem),
  }
  return renderFramed(page, options, content)
}

const readOperation = declareOperation({
  id: 'console_campaign_page_v1',
  method: 'GET',
  path: `${campaignsPath}/:id`,
  ...memberPageOptions,
  query: { saved: optional(string('Whether a draft has just been kept.', { maxLength: 3 })) },
  document: { tag: 'Pages', summary: 'One campaign' },
}).withReadHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getCampaignAddress(id), 'loyalty:read')
  return isAnswer(page) ? page : renderCampaign(page, id, { isSaved: input.query.saved !== undefined })
})

/** The CSV file of the deliveries, as the API exports it. */
const fileOperation = declareOperation({
  id: 'console_campaign_deliveries_file_v1',
  method: 'GET',
  path: `${campaignsPath}/:id/deliveries.csv`,
  ...memberPageOptions,
  returns: { 200: { type: 'text/csv', description: 'A line for each customer and wallet.' } },
  document: { tag: 'Pages', summary: 'Deliveries of a campaign as CSV' },
}).withReadHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getCampaignAddress(id), 'loyalty:read')
  if (isAnswer(page)) return page
  const campaign = await readOwnCampaign(page.work.trx, page.member, id)
  const { body, isTruncated } = await exportDeliveries(page.work.context, campaign)
  return answerStream(body, 'text/csv; charset=utf-8; header=present', {
    'Content-Disposition': `attachment; filename="campaign-${id}.csv"`,
    'Cache-Control': 'no-store',
    ...(isTruncated && { 'X-Truncated': 'true' }),
  })
})

export const campaignPages: Operation[] = [readOperation, fileOperation]
