import type { Knex } from 'knex'
import { hitFaultPoint } from '../../../../kernel/process/fault-points.ts'
import { runWithSmallHeap } from '../../../../kernel/process/small-heap.ts'
import type { JobProgress, JobRun } from '../../../../kernel/job.ts'
import type { Context } from '../../../../kernel/work.ts'
import { getCampaignLimits, readAnyApplication } from '../../../applications/index.ts'
import { noteMessage } from '../../cards/index.ts'
import type { CampaignModel } from '../campaigns.model.ts'
import { countDeliveries, type Tally } from '../campaigns.store.ts'
import {
  endSlice,
  listPendingAccounts,
  noteSlice,
  postponeSlice,
  recordOutcomes,
  resetFutureSlices,
  takeSlice,
  type DeliveryOutcome,
  type Slice,
} from './deliveries.store.ts'
import { Senders, type SendOutcome } from './senders.ts'

export interface DeliverOptions {
  campaign: CampaignModel
  job: string
  /** The job that this one helps; null for that of the campaign itself. */
  helped: string | null
}

/** A slice in the hands of a run. Its cards have the message, so that it is only to be pushed. */
interface Task {
  slice: Slice
  accounts: string[]
}

/** How often a slice is tried before what a wallet does not take counts as failed, and how long to wait between. */
const maxAttempts = 12
const delaySeconds = { min: 1, max: 300 }

/**
 * Pushes slices of a campaign until none is due. While one is pushed, the next is taken. A slice is taken in one
 * transaction with the marks on its cards, and its outcomes are written in another; if the run dies between them, the
 * slice is pushed again, and nothing is marked twice.
 */
export const deliverSlices = (run: JobRun, options: DeliverOptions): Promise<void> =>
  runWithSmallHeap(() => deliver(run, options))

async function deliver(run: JobRun, options: DeliverOptions): Promise<void> {
  const senders = new Senders(run.context, options.campaign)
  const inHand = new Set<string>()
  const takeNext = () => takeTask(run, options, inHand)
  try {
    let task = await takeNext()
    while (task) {
      const current = task
      const following = takeNext()
      // Awaited below; if the push fails first, its own error counts.
      following.catch(() => undefined)
      hitFaultPoint('campaign.pushing', { job: options.job, step: 'push' })
      const outcomes = await pushTask(run, options, senders, current)
      hitFaultPoint('campaign.pushed', { job: options.job, step: 'push' })
      task = await following
      await settleTask(run, options, current, outcomes)
      inHand.delete(current.slice.first_account)
      // The last of a campaign may have come due meanwhile.
      task ??= await takeNext()
    }
  } finally {
    await senders.close()
  }
}

/** Keeps slices from waiting longer because the clock was set back. */
export const repairSlices = ({ db }: Pick<Context, 'db'>): Promise<void> => resetFutureSlices(db, delaySeconds.max)

/** Takes a slice, and marks its cards where that was not done before. */
async function takeTask(
  { step, context }: JobRun,
  { campaign, job, helped }: DeliverOptions,
  inHand: Set<string>,
): Promise<Task | undefined> {
  const task = await step(async (trx, recordProgress) => {
    const slice = await takeSlice(trx, { campaign: campaign.id, job, isInHand: [...inHand] })
    if (!slice) return undefined
    const pending = await listPendingAccounts(trx, campaign.id, slice)
    if (slice.is_noted) return { slice, accounts: pending }
    const { frequencyCapPer24h } = getCampaignLimits(await readAnyApplication(trx, campaign.application))
    const refusals = await noteMessage(trx, {
      message: campaign.id,
      channel: slice.channel,
      cap: frequencyCapPer24h,
      accounts: pending,
    })
    await noteSlice(trx, campaign.id, slice, refusals)
    await countOutcomes(trx, { campaign, helped, context, recordProgress }, countRefusals([...refusals.values()]))
    return { slice, accounts: pending.filter((account) => !refusals.has(account)) }
  })
  if (task) inHand.add(task.slice.first_account)
  hitFaultPoint('campaign.taken', { job, step: 'take' })
  return task
}

const countRefusals = (refusals: readonly string[]): Tally => {
  const excludedCap = refusals.filter((refusal) => refusal === 'frequency_cap').length
  return { excludedCap, excludedOptOut: refusals.length - excludedCap, pending: -refusals.length }
}

interface CountOptions extends Pick<DeliverOptions, 'campaign' | 'helped'>, Pick<JobRun, 'context'> {
  recordProgress: (change: JobProgress) => void
}

/** Counts deliveries for the campaign, for the job of the campaign, and for the job that helps it. */
async function countOutcomes(
  trx: Knex,
  { campaign, helped, context, recordProgress }: CountOptions,
  tally: Tally,
): Promise<void> {
  const { pending = 0, failed = 0 } = tally
  if (pending === 0) return
  const progress = { completed: -pending - failed, failed }
  recordProgress(helped === null ? progress : { ...progress, total: -pending })
  // The row of a campaign's job is locked before the campaign, as by that job itself.
  if (helped !== null) await context.queue.advanceJob(trx, helped, progress)
  await countDeliveries(trx, campaign.id, tally)
}

async function pushTask(
  { signal }: JobRun,
  { campaign, job }: DeliverOptions,
  senders: Senders,
  { slice, accounts }: Task,
): Promise<SendOutcome[]> {
  if (accounts.length === 0) return []
  const sender = await senders.find(slice.channel)
  return sender.send({ campaign, slice, job, accounts, signal })
}

/** Writes down what became of a slice. What a wallet does not take now is left for later, but not for ever. */
async function settleTask(
  { step, context }: JobRun,
  { campaign, helped }: DeliverOptions,
  { slice, accounts }: Task,
  outcomes: readonly SendOutcome[],
): Promise<void> {
  const isLast = slice.attempts >= maxAttempts
  const settled: DeliveryOutcome[] = []
  let laterSeconds = 0
  for (const [at, outcome] of outcomes.entries()) {
    const account = accounts[at]!
    if (outcome.status === 'sent') settled.push({ account, code: null })
    else if (outcome.status === 'failed' || isLast) settled.push({ account, code: outcome.code })
    else laterSeconds = Math.max(laterSeconds, outcome.afterSeconds, delaySeconds.min)
  }
  const sent = settled.filter(({ code }) => code === null).length
  await step(async (trx, recordProgress) => {
    await recordOutcomes(trx, campaign.id, slice.channel, settled)
    if (laterSeconds === 0) await endSlice(trx, campaign.id, slice)
    else
      await postponeSlice(trx, campaign.id, slice, Math.min(laterSeconds * 2 ** (slice.attempts - 1), delaySeconds.max))
    const tally = { sent, failed: settled.length - sent, pending: -settled.length }
    await countOutcomes(trx, { campaign, helped, context, recordProgress }, tally)
    if (helped !== null) await context.queue.wakeJobs(trx, helped)
  })
}
