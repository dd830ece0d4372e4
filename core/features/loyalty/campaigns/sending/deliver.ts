import type { Knex } from 'knex'
import { hitFaultPoint } from '../../../../kernel/process/fault-points.ts'
import { runWithSmallHeap } from '../../../../kernel/process/small-heap.ts'
import type { JobProgress, JobRun } from '../../../../kernel/job.ts'
import type { Context } from '../../../../kernel/work.ts'
import { getCampaignLimits, readAnyApplication } from '../../../applications/index.ts'
import { noteMessage, renewMessage } from '../../cards/index.ts'
import type { CampaignModel } from '../campaigns.model.ts'
import { countDeliveries, noteDelivery, type Tally } from '../campaigns.store.ts'
import {
  endSlice,
  listPendingAccounts,
  noteSlice,
  postponeChannel,
  postponeSlice,
  recordOutcomes,
  resetFutureSlices,
  settleFetched,
  takeSlice,
  type DeliveryOutcome,
  type Slice,
} from './deliveries.store.ts'
import { Senders } from './senders.ts'
import type { SendOutcome } from './senders.types.ts'

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

/** Seconds for which a wallet may put a slice off before it counts as failed, and how long to wait between. */
const maxPutOffSeconds = 86_400
const delaySeconds = { min: 1, max: 3_600 }

/**
 * Pushes slices of a campaign until none is due. While one is pushed, the outcomes of the one before are written down and
 * the next is taken. A slice is taken in one transaction with the marks on its cards, and its outcomes are written in
 * another; if the run dies between them, the slice is pushed again, and nothing is marked twice.
 */
export const deliverSlices = (run: JobRun, options: DeliverOptions): Promise<void> =>
  runWithSmallHeap(() => new Delivery(run, options).run())

class Delivery {
  readonly #run: JobRun
  readonly #options: DeliverOptions
  readonly #senders: Senders
  /** Slices that were taken and are not settled, by channel and first account. */
  readonly #inHand = new Set<string>()

  constructor(run: JobRun, options: DeliverOptions) {
    this.#run = run
    this.#options = options
    this.#senders = new Senders(run.context, options.campaign)
  }

  async run(): Promise<void> {
    let behind: Promise<Task | undefined> = this.#take()
    try {
      for (let task = await behind; task;) {
        const current: Task = task
        const next: Promise<Task | undefined> = behind.then(() => this.#take())
        behind = keepQuiet(next)
        const outcomes = await this.#push(current)
        // Settling follows taking, because each step of a run is one transaction under its lease.
        behind = keepQuiet(next.then((taken) => this.#settle(current, outcomes, taken)))
        task = await next
        // Nothing is pushed beside the last slice, and others may have come due meanwhile.
        if (!task) task = (await behind) ?? (await (behind = this.#take()))
      }
      await behind
    } finally {
      await behind.catch(() => undefined)
      await this.#senders.close()
    }
  }

  async #take(): Promise<Task | undefined> {
    const task = await takeTask(this.#run, this.#options, [...this.#inHand])
    if (task) this.#inHand.add(nameSlice(task.slice))
    return task
  }

  async #push({ slice, accounts }: Task): Promise<SendOutcome[]> {
    const { campaign, job } = this.#options
    hitFaultPoint('campaign.pushing', { job, step: 'push' })
    if (accounts.length === 0) return []
    const sender = await this.#senders.find(slice.channel)
    const outcomes = await sender.send({ campaign, slice, job, accounts, signal: this.#run.signal })
    hitFaultPoint('campaign.pushed', { job, step: 'push' })
    return outcomes
  }

  /** @returns the slice that was taken meanwhile */
  async #settle(task: Task, outcomes: readonly SendOutcome[], taken: Task | undefined): Promise<Task | undefined> {
    await settleTask(this.#run, this.#options, task, outcomes)
    this.#inHand.delete(nameSlice(task.slice))
    return taken
  }
}

/** Keeps a promise that is awaited later from counting as unhandled until then. */
function keepQuiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

const nameSlice = ({ channel, first_account: first }: Slice): string => `${channel} ${first}`

/** Keeps slices from waiting longer because the clock was set back. */
export const repairSlices = ({ db }: Pick<Context, 'db'>): Promise<void> => resetFutureSlices(db, delaySeconds.max)

/** Takes a slice, and puts the message on its cards where that was not done before. */
async function takeTask(
  { step, context }: JobRun,
  { campaign, job, helped }: DeliverOptions,
  inHand: readonly string[],
): Promise<Task | undefined> {
  const task = await step(async (trx, recordProgress) => {
    // The row of the campaign's job is locked before cards and the campaign, as by that job itself.
    if (helped !== null) await context.queue.advanceJob(trx, helped, {})
    const slice = await takeSlice(trx, { campaign: campaign.id, job, inHand })
    if (!slice) return undefined
    const fetched = slice.is_noted ? await settleFetched(trx, campaign.id, slice) : 0
    const pending = await listPendingAccounts(trx, campaign.id, slice)
    const { frequencyCapPer24h: cap } = getCampaignLimits(await readAnyApplication(trx, campaign.application))
    const noticed = { message: campaign.id, channel: slice.channel, cap, accounts: pending }
    const refusals = await (slice.is_noted ? renewMessage(trx, noticed) : noteMessage(trx, noticed))
    await noteSlice(trx, campaign.id, slice, refusals)
    if (!slice.is_noted) await noteDelivery(trx, campaign.id)
    const tally = countTaken([...refusals.values()], fetched)
    await countOutcomes(trx, { campaign, helped, context, recordProgress }, tally)
    return { slice, accounts: pending.filter((account) => !refusals.has(account)) }
  })
  hitFaultPoint('campaign.taken', { job, step: 'take' })
  return task
}

const countTaken = (refusals: readonly string[], fetched: number): Tally => {
  const excludedCap = refusals.filter((refusal) => refusal === 'frequency_cap').length
  const excludedOptOut = refusals.length - excludedCap
  return { excludedCap, excludedOptOut, sent: fetched, pending: -refusals.length - fetched }
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
  if (helped !== null) await context.queue.advanceJob(trx, helped, progress)
  await countDeliveries(trx, campaign.id, tally)
}

/** Writes down what became of a slice. What a wallet does not take now is left for later, but not for ever. */
async function settleTask(
  { step, context }: JobRun,
  { campaign, helped }: DeliverOptions,
  { slice, accounts }: Task,
  outcomes: readonly SendOutcome[],
): Promise<void> {
  const isLast = slice.put_off_seconds >= maxPutOffSeconds
  const settled: DeliveryOutcome[] = []
  let laterSeconds = 0
  for (const [at, outcome] of outcomes.entries()) {
    const account = accounts[at]
    if (account === undefined) throw new Error('There is an outcome of no account')
    if (outcome.status === 'sent') settled.push({ account, code: null })
    else if (outcome.status === 'failed' || isLast) settled.push({ account, code: outcome.code })
    else laterSeconds = Math.max(laterSeconds, outcome.afterSeconds, delaySeconds.min)
  }
  const sent = settled.filter(({ code }) => code === null).length
  await step(async (trx, recordProgress) => {
    await recordOutcomes(trx, campaign.id, slice.channel, settled)
    if (laterSeconds === 0) await endSlice(trx, campaign.id, slice)
    else {
      // The longer a wallet does not take it, the less often it is tried, but not sooner than the wallet says.
      const seconds = Math.min(Math.max(laterSeconds, slice.put_off_seconds / 8), delaySeconds.max)
      await postponeSlice(trx, campaign.id, slice, seconds)
      if (settled.length === 0) await postponeChannel(trx, campaign.id, slice.channel, Math.min(seconds, 60))
    }
    const tally = { sent, failed: settled.length - sent, pending: -settled.length }
    await countOutcomes(trx, { campaign, helped, context, recordProgress }, tally)
    if (helped !== null) await context.queue.wakeJobs(trx, helped)
  })
}
