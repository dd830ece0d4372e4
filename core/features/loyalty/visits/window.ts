import type { ApplicationListener } from '../../area.ts'
import { requestReview } from '../tiers/index.ts'

/** Finds the tiers of all accounts of an application again if visits count for another number of days. */
export const reviewWindow: ApplicationListener = async (trx, context, { id, organization, before, after }) => {
  if (before.loyaltySettings.visitsWindowDays === after.loyaltySettings.visitsWindowDays) return
  await requestReview(trx, context, { organization, application: id, reason: 'window' })
}
