import type { Knex } from 'knex'
import { declareJob, type JobOutcome, type JobRun, type RunningJob } from '../../../../kernel/job.ts'
import { ProblemError } from '../../../../kernel/problem.ts'
import { readJobs } from '../../../../queue/engine/rows.ts'
import type { CampaignModel } from '../campaigns.model.ts'
import { lockCampaign, noteDelivered, readCampaignRow } from '../campaigns.store.ts'
import { startSending, type CampaignPayload } from './begin.ts'
import { deliverSlices } from './deliver.ts'
import { readSlicesLeft, releaseSlices } from './deliveries.store.ts'
import { freezeAudience } from './freeze.ts'
import { WalletRefusedError } from './senders.types.ts'

/** The number of deliveries for which one more worker helps, and the most that do. */
const deliveriesPerHelper = 50_000
const maxHelpers = 3

/** The longest that a job waits for the time of its campaign before it looks again, in seconds: clocks are set. */
const maxDelaySeconds = 3_600
/** Seconds after which a job looks again whether others are done. */
const lookSeconds = 2

type Job = RunningJob<CampaignPayload>

/**
 * The job that sends a campaign. It waits for the time of a scheduled one, freezes the audience, and pushes the message
 * slice by slice, together with jobs that help it in other workers. A campaign that was cancelled or got another job ends it.
 */
export const campaignJob = declareJob<CampaignPayload>({
  type: 'campaign',
  permission: 'loyalty:read',
  retryPermission: 'loyalty:update',
  maxAttempts: 20,
  async run(job, run) {
    try {
      return await (job.payload.helps === undefined ? sendCampaign(job, run) : helpCampaign(job, run))
    } catch (cause) {
      // Nothing gets better by trying again: somebody has to give the credentials and to resume the campaign.
      if (cause instanceof ProblemError && cause.code === 'WALLET_NOT_CONFIGURED')
        return { status: 'failed', code: cause.code, message: cause.detail }
      if (cause instanceof WalletRefusedError)
        return { status: 'failed', code: 'WALLET_REFUSED', message: cause.message }
      throw cause
    }
  },
})

async function sendCampaign(job: Job, run: JobRun): Promise<JobOutcome> {
  const opened = await openCampaign(job, run)
  if ('status' in opened) return opened
  const { campaign } = opened
  if (campaign.frozenAt === null)
    await freezeAudience(run, {
      campaign,
      job: job.id,
      total: job.total,
      onFrozen: (trx, deliveries) => callHelpers(trx, run, campaign, { job: job.id, deliveries }),
    })
  await deliverSlices(run, { campaign, job: job.id, helped: null })
  return endCampaign(job, run)
}

async function helpCampaign({ id, payload }: Job, run: JobRun): Promise<JobOutcome> {
  const { campaign: campaignId, helps = null } = payload
  const campaign = await readCampaignRow(run.context.db, campaignId)
  if (campaign.status === 'sending' && campaign.job === helps)
    await deliverSlices(run, { campaign, job: id, helped: helps })
  return { status: 'completed', result: null }
}

/** Begins a scheduled campaign if its time has come. @returns the campaign, or how the run ends without one */
async function openCampaign(
  { id, payload }: Job,
  { step, context }: JobRun,
): Promise<{ campaign: CampaignModel } | JobOutcome> {
  return step(async (trx) => {
    const campaign = await lockCampaign(trx, payload.campaign)
    if (campaign?.job !== id) return { status: 'completed', result: { cancelled: true } }
    if (campaign.status === 'scheduled') {
      const seconds = await countSecondsUntil(trx, campaign)
      if (seconds > 0) return { status: 'waiting', delaySeconds: Math.min(seconds, maxDelaySeconds) }
      await startSending(trx, context, campaign, { job: id })
    }
    const current = await readCampaignRow(trx, campaign.id)
    return current.status === 'sending'
      ? { campaign: current }
      : { status: 'completed', result: presentResult(current) }
  })
}

async function countSecondsUntil(trx: Knex, { sendAt }: CampaignModel): Promise<number> {
  const { rows } = await trx.raw<{ rows: [{ seconds: number }] }>(
    'select extract(epoch from ?::timestamptz - now())::float8 as seconds',
    [sendAt] as Knex.RawBinding[],
  )
  return rows[0].seconds
}

/** Enqueues jobs for other workers that push slices of the same campaign. */
async function callHelpers(
  trx: Knex,
  { context: { queue } }: JobRun,
  { id, organization, application }: CampaignModel,
  { job, deliveries }: { job: string; deliveries: number },
): Promise<void> {
  const helpers = Math.min(Math.floor(deliveries / deliveriesPerHelper), maxHelpers)
  const payload: CampaignPayload = { campaign: id, helps: job }
  for (let helper = 0; helper < helpers; helper++) {
    const made = await queue.enqueue(trx, { type: 'campaign', organization, application, total: 0, payload })
    await queue.wakeJobs(trx, made)
  }
}

/** Ends the job if nothing is left; else waits for what is due later, or in the hands of other jobs. */
async function endCampaign({ id, payload: { campaign } }: Job, { step, context }: JobRun): Promise<JobOutcome> {
  const { count, dueInSeconds, jobs } = await readSlicesLeft(context.db, campaign)
  if (count > 0) {
    const others = await readJobs(context.db, jobs)
    const open = new Set(others.filter(({ status }) => status === 'pending').map((job) => job.id))
    const ended = jobs.filter((job) => job !== id && !open.has(job))
    if (ended.length > 0) await step((trx) => releaseSlices(trx, campaign, ended))
    const seconds = ended.length > 0 ? 0 : (dueInSeconds ?? lookSeconds)
    return { status: 'waiting', delaySeconds: Math.max(0.1, Math.min(seconds, lookSeconds * 15)) }
  }
  return step(async (trx) => {
    await noteDelivered(trx, campaign)
    return { status: 'completed', result: presentResult(await readCampaignRow(trx, campaign)) }
  })
}

const presentResult = ({ audienceSize, sent, failed, excludedCap, excludedOptOut }: CampaignModel) => ({
  audienceSize,
  sent,
  failed,
  excludedFrequencyCap: excludedCap,
  excludedOptOut,
})
