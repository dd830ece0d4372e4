import type { CampaignModel } from './campaigns.model.ts'
import type { Campaign } from './campaigns.schema.ts'

/** Returns a campaign as its organization sees it. */
export const presentCampaign = (row: CampaignModel): Campaign => ({
  id: row.id,
  application: row.application,
  name: row.name,
  description: row.description,
  channels: row.channels,
  targeting: row.targeting,
  content: row.headline === null || row.body === null ? null : { headline: row.headline, body: row.body },
  status: row.status,
  sendAt: row.sendAt,
  scheduledImmediately: row.scheduledImmediately,
  audienceSize: row.audienceSize,
  conversionWindowDays: row.conversionWindowDays,
  sentAt: row.sentAt,
  finishedAt: row.finishedAt,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})
