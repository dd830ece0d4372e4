export {
  planCampaign,
  presentDetails,
  previewSending,
  recoverCampaigns,
  resumeCampaign,
  sendCampaign,
  unscheduleCampaign,
} from './begin.ts'
export { campaignJob } from './campaign.jobs.ts'
export { repairSlices } from './deliver.ts'
export { noteFetch } from './fetches.ts'
