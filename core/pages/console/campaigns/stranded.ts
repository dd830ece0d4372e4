import { listCampaigns, presentDetails, readOwnCampaign } from '../../../features/loyalty/index.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { createFilter, createPageRequest } from '../frame/lists.ts'

/** Lists the campaigns that stopped before all of their messages were sent, among the newest that are being sent. */
export async function listStrandedCampaigns({ work, member }: ConsolePage): Promise<{ id: string; name: string }[]> {
  const { data } = await listCampaigns(work, member, createPageRequest(createFilter('status', 'eq', 'sending')))
  const details = await Promise.all(
    data.map(async ({ id }) => presentDetails(work.trx, await readOwnCampaign(work.trx, member, id))),
  )
  return details.filter(({ isStranded }) => isStranded).map(({ id, name }) => ({ id, name }))
}
