export const campaignsPath = '/console/campaigns'

/** Returns the address of a campaign, or of a page below it. @param part as `/send` */
export const getCampaignAddress = (id: string, part = ''): string => `${campaignsPath}/${id}${part}`

/** The script of the pages of campaigns: numbers and cards follow what is typed. */
export const campaignScript = '/assets/campaigns.js'
