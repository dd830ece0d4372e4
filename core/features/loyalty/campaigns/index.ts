export { campaignOperations } from './campaigns.operations.ts'
export { countCampaigns, eraseCampaigns, finishDueCampaigns } from './campaigns.store.ts'
export { campaignJob, recordFetch, recoverCampaigns } from './sending/index.ts'
