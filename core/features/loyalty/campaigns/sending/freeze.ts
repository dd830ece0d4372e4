import { hitFaultPoint } from '../../../../kernel/process/fault-points.ts'
import type { JobRun } from '../../../../kernel/job.ts'
import { createAudienceParts, createReachSql } from '../../../accounts/index.ts'
import { createAudienceFilter } from '../audience.ts'
import type { CampaignModel } from '../campaigns.model.ts'
import { countDeliveries, noteFrozen } from '../campaigns.store.ts'
import { freezeBatch } from './deliveries.store.ts'

/** The number of accounts that one transaction writes down. */
const batchSize = 20_000

/** How far the audience of a campaign is frozen; part of the state of its job. */
export interface FreezeState extends Record<string, unknown> {
  accounts: number
  held: number
  after: string
}

const beginning: FreezeState = { accounts: 0, held: 0, after: '00000000-0000-0000-0000-000000000000' }

/** What became of the freezing of an audience. */
interface FreezeOptions {
  campaign: CampaignModel
  job: string
  /** What an earlier run left. */
  state: FreezeState | undefined
  /** What the job was said to have to do. */
  total: number
  /** Runs in the transaction that ends it. */
  onFrozen(trx: Parameters<Parameters<JobRun['step']>[0]>[0], deliveries: number): Promise<void>
}

/** Writes the audience of a campaign down, batch by batch, each in one transaction. It goes on where a run died. */
export async function freezeAudience(
  { step }: JobRun,
  { campaign, job, onFrozen, ...options }: FreezeOptions,
): Promise<void> {
  const { id, application, channels, targeting } = campaign
  const audience = createAudienceParts(createAudienceFilter(application, channels, targeting))
  const reach = channels.map((channel) => [channel, createReachSql(channel)] as const)
  for (let state = options.state ?? beginning, isOver = false; !isOver;) {
    ;({ state, isOver } = await step(async (trx, recordProgress) => {
      const batch = await freezeBatch(trx, {
        campaign: id,
        audience,
        reach,
        after: state.after,
        limit: batchSize,
        before: state,
        holdoutPercent: targeting.holdoutPercent ?? 0,
      })
      const accounts = state.accounts + batch.accounts
      const next = { accounts, held: state.held + batch.held, after: batch.last ?? state.after }
      await countDeliveries(trx, id, { pending: batch.deliveries })
      const isLast = batch.accounts < batchSize
      recordProgress({ state: { frozen: next } })
      if (isLast) {
        const { pending } = await noteFrozen(trx, id, { audienceSize: accounts, holdoutSize: next.held })
        recordProgress({ total: pending - options.total })
        await onFrozen(trx, pending)
      }
      hitFaultPoint('campaign.freezing', { job, step: 'freeze' })
      return { state: next, isOver: isLast }
    }))
  }
}
