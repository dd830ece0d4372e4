import type { Knex } from 'knex'
import { hitFaultPoint } from '../../../../kernel/process/fault-points.ts'
import type { JobRun } from '../../../../kernel/job.ts'
import { createAudienceParts, createReachSql } from '../../../accounts/index.ts'
import { createAudienceFilter } from '../audience.ts'
import type { CampaignModel } from '../campaigns.model.ts'
import { lockCampaign, noteFrozen } from '../campaigns.store.ts'
import { freezeBatch } from './deliveries.store.ts'

/** The number of accounts that one transaction writes down. */
const batchSize = 20_000

const firstAccount = '00000000-0000-0000-0000-000000000000'

interface FreezeOptions {
  campaign: CampaignModel
  job: string
  /** The number of units that the job was made with. */
  total: number
  /** Runs in the transaction of the last batch. */
  onFrozen(trx: Knex, deliveries: number): Promise<void>
}

/**
 * Writes the audience of a campaign down, batch by batch, each in one transaction with the place that it came to. Whichever
 * job goes on with it begins there.
 */
export async function freezeAudience(
  { step }: JobRun,
  { campaign: { id, application, channels, targeting }, job, total, onFrozen }: FreezeOptions,
): Promise<void> {
  const audience = createAudienceParts(createAudienceFilter(application, channels, targeting))
  const reach = channels.map((channel) => [channel, createReachSql(channel)] as const)
  for (let isLast = false; !isLast;) {
    isLast = await step(async (trx, recordProgress) => {
      const campaign = await lockCampaign(trx, id)
      if (!campaign || campaign.frozenAt !== null) return true
      const batch = await freezeBatch(trx, {
        campaign: id,
        audience,
        reach,
        after: campaign.frozenAfter ?? firstAccount,
        limit: batchSize,
        before: { accounts: campaign.frozenAccounts, held: campaign.holdoutSize },
        holdoutPercent: targeting.holdoutPercent ?? 0,
      })
      const isOver = batch.accounts < batchSize
      const after = batch.last ?? campaign.frozenAfter ?? firstAccount
      const { pending } = await noteFrozen(trx, id, { ...batch, after, isLast: isOver })
      if (isOver) {
        recordProgress({ total: pending - total })
        await onFrozen(trx, pending)
      }
      hitFaultPoint('campaign.freezing', { job, step: 'freeze' })
      return isOver
    })
  }
}
