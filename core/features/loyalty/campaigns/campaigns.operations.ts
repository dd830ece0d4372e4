import { answerJson, answerStream } from '../../../kernel/answer.ts'
import { DryRun, dryRunQuery } from '../../../kernel/dry-run.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { object } from '../../../kernel/schema.ts'
import { applicationEntity } from '../../applications/index.ts'
import { previewAudience } from './audience.ts'
import { campaignEntity } from './campaigns.model.ts'
import {
  Campaign,
  CampaignDetails,
  CampaignList,
  campaignList,
  CampaignPatch,
  CampaignSchedule,
  CampaignStarted,
  CampaignStats,
  NewCampaign,
} from './campaigns.schema.ts'
import { changeCampaign, createCampaign, listCampaigns, readOwnCampaign, removeCampaign } from './campaigns.ts'
import { exportDeliveries, maxExportedDeliveries } from './deliveries.export.ts'
import {
  planCampaign,
  presentDetails,
  previewSending,
  resumeCampaign,
  sendCampaign,
  unscheduleCampaign,
} from './sending/index.ts'
import { readStatistics } from './statistics.ts'
import { AudiencePreview, AudiencePreviewRequest } from './targeting.schema.ts'

const tag = 'Campaigns'
const scope = { params: { id: campaignEntity } }
/** Every invalid body is 400: the operations say so of their own rules, too. */
const invalidBodyStatus = 400

/** A campaign has no entity tag: what its route answers changes with its job. */
const precondition = () => undefined

const NoBody = object({}, { title: 'NoMembers', description: 'Has no members.', default: {} })

const listOperation = declareOperation({
  id: 'list_loyalty_campaigns_v1',
  method: 'GET',
  path: '/v1/loyalty/campaigns',
  access: 'loyalty:read',
  scope: { list: 'application.id' },
  list: campaignList,
  returns: { 200: CampaignList },
  document: {
    tag,
    summary: 'List campaigns',
    description: 'Of all applications, the newest first.',
    mcpName: 'list_loyalty_campaigns',
  },
}).withReadHandler(({ caller, page, work }) => listCampaigns(work, caller, page))

const createOperation = declareOperation({
  id: 'create_loyalty_campaign_v1',
  method: 'POST',
  path: '/v1/loyalty/campaigns',
  access: 'loyalty:create',
  scope: { body: { application: applicationEntity } },
  body: NewCampaign,
  returns: { 201: Campaign },
  problemCodes: ['NOT_FOUND'],
  transport: { location: ({ id }: Campaign) => `/v1/loyalty/campaigns/${id}`, invalidBodyStatus },
  document: {
    tag,
    summary: 'Create a campaign',
    description: 'A draft; nothing is sent.',
    mcpName: 'create_loyalty_campaign',
  },
}).withTransactionHandler(({ body, caller, work }) => createCampaign(work, caller, body))

const readOperation = declareOperation({
  id: 'get_loyalty_campaign_v1',
  method: 'GET',
  path: '/v1/loyalty/campaigns/:id',
  access: 'loyalty:read',
  scope,
  returns: { 200: CampaignDetails },
  document: {
    tag,
    summary: 'Read a campaign',
    description: 'With the state of its job.',
    mcpName: 'get_loyalty_campaign',
    mcpType: 'tool',
  },
}).withReadHandler(async ({ caller, params, work }) =>
  presentDetails(work.trx, await readOwnCampaign(work.trx, caller, params.id)),
)

const updateOperation = declareOperation({
  id: 'update_loyalty_campaign_v1',
  method: 'PATCH',
  path: '/v1/loyalty/campaigns/:id',
  access: 'loyalty:update',
  scope,
  body: CampaignPatch,
  returns: { 200: Campaign },
  problemCodes: ['CAMPAIGN_NOT_DRAFT'],
  transport: { invalidBodyStatus },
  document: {
    tag,
    summary: 'Change a campaign',
    description: 'A draft; `targeting` and `content` are replaced as a whole.',
    mcpName: 'update_loyalty_campaign',
  },
}).withTransactionHandler(({ body, caller, params, work }) =>
  changeCampaign(work, caller, { id: params.id, patch: body, precondition }),
)

const deleteOperation = declareOperation({
  id: 'delete_loyalty_campaign_v1',
  method: 'DELETE',
  path: '/v1/loyalty/campaigns/:id',
  access: 'loyalty:delete',
  scope,
  returns: { 200: Campaign },
  problemCodes: ['CAMPAIGN_NOT_DRAFT'],
  document: {
    tag,
    summary: 'Delete a campaign',
    description: 'A draft.',
    mcpName: 'delete_loyalty_campaign',
    needsConfirmation: true,
  },
}).withTransactionHandler(({ caller, params, work }) => removeCampaign(work, caller, { id: params.id, precondition }))

const statsOperation = declareOperation({
  id: 'get_loyalty_campaign_stats_v1',
  method: 'GET',
  path: '/v1/loyalty/campaigns/:id/stats',
  access: 'loyalty:read',
  scope,
  returns: { 200: CampaignStats },
  document: {
    tag,
    summary: 'Read what came of a campaign',
    description: 'At this moment; all 0 before it is sent.',
    mcpName: 'get_loyalty_campaign_stats',
    mcpType: 'tool',
  },
}).withReadHandler(async ({ caller, params, work }) =>
  readStatistics(work.trx, await readOwnCampaign(work.trx, caller, params.id)),
)

const exportOperation = declareOperation({
  id: 'export_loyalty_campaign_deliveries_v1',
  method: 'GET',
  path: '/v1/loyalty/campaigns/:id/deliveries/export',
  access: 'loyalty:read',
  scope,
  returns: { 200: { type: 'text/csv', description: 'A line for each customer and wallet.' } },
  document: {
    tag,
    summary: 'Export the deliveries of a campaign',
    description: `The first ${maxExportedDeliveries.toLocaleString('en')} as CSV; \`X-Truncated: true\` if there are more.`,
    mcpName: 'export_loyalty_campaign_deliveries',
    mcpType: 'tool',
  },
}).withReadHandler(async ({ caller, params, work }) => {
  const campaign = await readOwnCampaign(work.trx, caller, params.id)
  const { body, isTruncated } = await exportDeliveries(work.context, campaign)
  return answerStream(body, 'text/csv; charset=utf-8; header=present', {
    'Content-Disposition': `attachment; filename="campaign-${campaign.id}.csv"`,
    ...(isTruncated && { 'X-Truncated': 'true' }),
  })
})

const previewOperation = declareOperation({
  id: 'preview_loyalty_campaign_audience_v1',
  method: 'POST',
  path: '/v1/loyalty/campaigns/audience-preview',
  access: 'loyalty:read',
  scope: { body: { application: applicationEntity } },
  body: AudiencePreviewRequest,
  returns: { 200: AudiencePreview },
  problemCodes: ['NOT_FOUND'],
  transport: { invalidBodyStatus },
  document: {
    tag,
    summary: 'Count an audience',
    description: 'Whom a campaign would reach now. Nothing is stored.',
    mcpName: 'preview_loyalty_campaign_audience',
    mcpHints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  },
}).withTransactionHandler(({ body, caller, work }) => previewAudience(work, caller, body))

const sendOperation = declareOperation({
  id: 'send_loyalty_campaign_v1',
  method: 'POST',
  path: '/v1/loyalty/campaigns/:id/send',
  access: 'loyalty:update',
  scope,
  query: dryRunQuery,
  body: NoBody,
  returns: { 200: DryRun, 202: CampaignStarted },
  problemCodes: ['CAMPAIGN_NOT_DRAFT', 'CAMPAIGN_CONTENT_MISSING', 'WALLET_NOT_CONFIGURED'],
  transport: { invalidBodyStatus },
  execution: { startsJobType: 'campaign', hasDryRun: true },
  document: {
    tag,
    summary: 'Send a campaign',
    description: 'Notifies the phones of its customers. Cannot be taken back.',
    mcpName: 'send_loyalty_campaign',
    mcpHints: { destructiveHint: true, openWorldHint: true },
    needsConfirmation: true,
    preview: 'always',
  },
}).withTransactionHandler(async ({ caller, params: { id }, query, work }) =>
  query.dryRun
    ? previewSending(work, caller, { id, precondition })
    : answerJson(await sendCampaign(work, caller, { id, precondition }), undefined, 202),
)

const scheduleOperation = declareOperation({
  id: 'schedule_loyalty_campaign_v1',
  method: 'POST',
  path: '/v1/loyalty/campaigns/:id/schedule',
  access: 'loyalty:update',
  scope,
  query: dryRunQuery,
  body: CampaignSchedule,
  returns: { 200: DryRun, 202: CampaignStarted },
  problemCodes: ['CAMPAIGN_NOT_DRAFT', 'CAMPAIGN_CONTENT_MISSING', 'CAMPAIGN_INVALID_SEND_AT', 'WALLET_NOT_CONFIGURED'],
  transport: { invalidBodyStatus },
  execution: { startsJobType: 'campaign', hasDryRun: true },
  document: {
    tag,
    summary: 'Schedule a campaign',
    description: 'Sends it at `sendAt`; cancel it before.',
    mcpName: 'schedule_loyalty_campaign',
    mcpHints: { destructiveHint: true, openWorldHint: true },
    needsConfirmation: true,
    preview: 'always',
  },
}).withTransactionHandler(async ({ body: { sendAt }, caller, params: { id }, query, work }) =>
  query.dryRun
    ? previewSending(work, caller, { id, sendAt, precondition })
    : answerJson(await planCampaign(work, caller, { id, sendAt, precondition }), undefined, 202),
)

const cancelOperation = declareOperation({
  id: 'cancel_loyalty_campaign_v1',
  method: 'POST',
  path: '/v1/loyalty/campaigns/:id/cancel',
  access: 'loyalty:update',
  scope,
  body: NoBody,
  returns: { 200: Campaign },
  problemCodes: ['CAMPAIGN_NOT_SCHEDULED'],
  transport: { invalidBodyStatus },
  document: {
    tag,
    summary: 'Cancel a scheduled campaign',
    description: 'It is a draft again.',
    mcpName: 'cancel_loyalty_campaign',
  },
}).withTransactionHandler(({ caller, params: { id }, work }) => unscheduleCampaign(work, caller, { id, precondition }))

const resumeOperation = declareOperation({
  id: 'resume_loyalty_campaign_v1',
  method: 'POST',
  path: '/v1/loyalty/campaigns/:id/resume',
  access: 'loyalty:update',
  scope,
  body: NoBody,
  returns: { 202: CampaignStarted },
  problemCodes: ['CAMPAIGN_NOT_STRANDED', 'WALLET_NOT_CONFIGURED'],
  transport: { invalidBodyStatus },
  execution: { startsJobType: 'campaign' },
  document: {
    tag,
    summary: 'Resume a stranded campaign',
    description: 'Sends the rest; who has it gets no other.',
    mcpName: 'resume_loyalty_campaign',
    mcpHints: { openWorldHint: true },
  },
}).withTransactionHandler(({ caller, params: { id }, work }) => resumeCampaign(work, caller, { id, precondition }))

export const campaignOperations: Operation[] = [
  listOperation,
  createOperation,
  previewOperation,
  readOperation,
  updateOperation,
  deleteOperation,
  statsOperation,
  exportOperation,
  sendOperation,
  scheduleOperation,
  cancelOperation,
  resumeOperation,
]
