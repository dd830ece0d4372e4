export { previewAudience } from './audience.ts'
export { campaignOperations } from './campaigns.operations.ts'
export { campaignStates } from './campaigns.machine.ts'
export {
  type Campaign,
  type CampaignDetails,
  type CampaignStats,
  messageLengths,
  NewCampaign,
} from './campaigns.schema.ts'
export { countCampaigns, eraseCampaigns } from './campaigns.store.ts'
export { type CampaignDay, readCampaignDays, sweepCampaigns } from './figures.ts'
export { changeCampaign, createCampaign, listCampaigns, readOwnCampaign, removeCampaign } from './campaigns.ts'
export { exportDeliveries } from './deliveries.export.ts'
export {
  campaignJob,
  planCampaign,
  presentDetails,
  previewSending,
  noteFetch,
  recoverCampaigns,
  repairSlices,
  resumeCampaign,
  sendCampaign,
  unscheduleCampaign,
} from './sending/index.ts'
export { readStatistics } from './statistics.ts'
export type { AudiencePreview, Targeting } from './targeting.schema.ts'
