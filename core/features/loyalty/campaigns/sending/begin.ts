import type { Knex } from 'knex'
import type { OrganizationCaller } from '../../../../kernel/caller.ts'
import { formatCount, type DryRun } from '../../../../kernel/dry-run.ts'
import { isInstant } from '../../../../kernel/json/schema-validators.ts'
import { createProblem } from '../../../../kernel/problem.ts'
import type { Context, Work } from '../../../../kernel/work.ts'
import { getCampaignLimits, readAnyApplication } from '../../../applications/index.ts'
import { findJob } from '../../../jobs/index.ts'
import { insertCardMessage, readWalletCredentials } from '../../cards/index.ts'
import { countAudience, createAudienceFilter, measureAudience } from '../audience.ts'
import type { CampaignModel } from '../campaigns.model.ts'
import { presentCampaign } from '../campaigns.present.ts'
import type { CampaignDetails, CampaignStarted } from '../campaigns.schema.ts'
import {
  cancelCampaign,
  findOwnCampaign,
  listDueCampaigns,
  lockCampaign,
  readCampaignRow,
  scheduleCampaign,
  setCampaignJob,
  startCampaign,
} from '../campaigns.store.ts'
import { lockDraft, readOwnCampaign } from '../campaigns.ts'

/** The payload of the job that sends a campaign, and of those that help it. */
export interface CampaignPayload {
  campaign: string
  /** The job that they help. */
  helps?: string
}

/** How far ahead a campaign can be scheduled, in days. */
const maxDaysAhead = 366
const dayMs = 86_400_000

type Precondition = (representation: unknown) => void

/**
 * Sends a draft now.
 * @throws NOT_FOUND; PRECONDITION_FAILED; CAMPAIGN_NOT_DRAFT; CAMPAIGN_CONTENT_MISSING
 * @throws WALLET_NOT_CONFIGURED for a channel that the application has no credentials of
 * @throws RATE_LIMITED if too many campaigns of the organization wait
 */
export async function sendCampaign(
  work: Work,
  caller: OrganizationCaller,
  { id, precondition }: { id: string; precondition: Precondition },
): Promise<CampaignStarted> {
  const campaign = await lockSendable(work, caller, id, precondition)
  return begin(work, campaign, {})
}

/**
 * Schedules a draft; at a time that is not in the future, it is sent now.
 * @throws CAMPAIGN_INVALID_SEND_AT, and as `sendCampaign` does
 */
export async function planCampaign(
  work: Work,
  caller: OrganizationCaller,
  { id, sendAt: text, precondition }: { id: string; sendAt: string; precondition: Precondition },
): Promise<CampaignStarted> {
  const { trx, context } = work
  const sendAt = parseSendAt(text)
  const campaign = await lockSendable(work, caller, id, precondition)
  if (await isPast(trx, sendAt)) return begin(work, campaign, { sendAt, isScheduledImmediately: true })
  const job = await enqueueCampaign(trx, context, campaign, { total: 0, dueAt: sendAt })
  await scheduleCampaign(trx, id, { sendAt, job })
  work.afterCommit(() => context.queue.notifyWorker(job))
  return { ...presentCampaign(await readCampaignRow(trx, id)), jobId: job }
}

/** Checks whether a time has come. @throws CAMPAIGN_INVALID_SEND_AT for one that is too far ahead */
async function isPast(db: Knex, sendAt: Date): Promise<boolean> {
  const { ms } = await readDatabaseTime(db)
  if (sendAt.getTime() > ms + maxDaysAhead * dayMs)
    throw createSendAtProblem(`sendAt is more than ${maxDaysAhead} days ahead.`)
  return sendAt.getTime() <= ms
}

const createSendAtProblem = (detail: string) => createProblem('CAMPAIGN_INVALID_SEND_AT', detail, { path: 'sendAt' })

/** @throws CAMPAIGN_INVALID_SEND_AT for a text that is no instant with its offset */
function parseSendAt(text: string): Date {
  if (isInstant(text)) return new Date(text)
  throw createSendAtProblem('sendAt must be a time with its offset, such as 2026-12-24T10:00:00+01:00 (RFC 3339).')
}

async function readDatabaseTime(db: Knex): Promise<{ ms: number }> {
  const { rows } = await db.raw<{ rows: [{ ms: number }] }>('select extract(epoch from now())::float8 * 1000 as ms')
  return rows[0]
}

/** Locks a draft that could be sent. @throws as `sendCampaign` */
async function lockSendable(
  work: Work,
  caller: OrganizationCaller,
  id: string,
  precondition: Precondition,
): Promise<CampaignModel> {
  const campaign = await lockDraft(work.trx, caller, id, precondition)
  if (campaign.headline === null)
    throw createProblem('CAMPAIGN_CONTENT_MISSING', 'The campaign has no text yet: give it its content first.', {
      path: 'content',
    })
  await assertWallets(work, campaign)
  return campaign
}

/** Checks that the application can write to all wallets of a campaign. @throws WALLET_NOT_CONFIGURED */
async function assertWallets({ trx, context }: Work, { application, channels }: CampaignModel): Promise<void> {
  const owner = await readAnyApplication(trx, application)
  for (const channel of channels) await readWalletCredentials(trx, context, owner, channel)
}

interface BeginOptions {
  sendAt?: Date
  isScheduledImmediately?: boolean
}

/** Begins to send a campaign, which is locked. */
async function begin(work: Work, campaign: CampaignModel, options: BeginOptions): Promise<CampaignStarted> {
  const job = await startSending(work.trx, work.context, campaign, options)
  if (job !== null) work.afterCommit(() => work.context.queue.notifyWorker(job))
  const sent = presentCampaign(await readCampaignRow(work.trx, campaign.id))
  return { ...sent, ...(job !== null && { jobId: job }) }
}

/**
 * Begins to send a campaign, which is locked: counts its audience, and enqueues the job that freezes and sends it.
 * @returns the job; null if nobody is in the audience, so that the campaign is finished
 */
export async function startSending(
  trx: Knex,
  context: Context,
  campaign: CampaignModel,
  { job: known, ...options }: BeginOptions & { job?: string },
): Promise<string | null> {
  const { id, application, channels, targeting } = campaign
  const { conversionWindowDays } = getCampaignLimits(await readAnyApplication(trx, application))
  const audienceSize = await countAudience(trx, createAudienceFilter(application, channels, targeting))
  const job =
    audienceSize === 0 ? null : (known ?? (await enqueueCampaign(trx, context, campaign, { total: audienceSize })))
  await startCampaign(trx, id, { ...options, job, audienceSize, conversionWindowDays })
  if (job !== null) await storeMessage(trx, campaign)
  return job
}

async function storeMessage(
  trx: Knex,
  { id, organization, application, headline, body }: CampaignModel,
): Promise<void> {
  if (headline === null || body === null) throw new Error(`Campaign ${id} has no text`)
  await insertCardMessage(trx, { id, organization, application, headline, body })
}

function enqueueCampaign(
  trx: Knex,
  { queue }: Context,
  { id, organization, application }: CampaignModel,
  { total, dueAt }: { total: number; dueAt?: Date },
): Promise<string> {
  const payload: CampaignPayload = { campaign: id }
  const times = dueAt && { dueAt }
  return queue.enqueue(trx, {
    type: 'campaign',
    organization,
    application,
    total,
    payload,
    // A scheduled one waits for its time, not for a worker.
    countsTowardsLimit: dueAt === undefined,
    ...times,
  })
}

/**
 * Makes a scheduled campaign a draft again. Its job ends without having done anything.
 * @throws NOT_FOUND; PRECONDITION_FAILED; CAMPAIGN_NOT_SCHEDULED, also if it began to be sent a moment ago
 */
export async function unscheduleCampaign(
  work: Work,
  caller: OrganizationCaller,
  { id, precondition }: { id: string; precondition: Precondition },
): Promise<ReturnType<typeof presentCampaign>> {
  const { trx, context } = work
  const campaign = await readOwnCampaign(trx, caller, id, 'forUpdate')
  precondition(presentCampaign(campaign))
  if (campaign.status !== 'scheduled')
    throw createProblem('CAMPAIGN_NOT_SCHEDULED', `The campaign is ${campaign.status}, not scheduled.`)
  await cancelCampaign(trx, id)
  const { job } = campaign
  // After the commit, because a job that begins locks its own row before the campaign. If it is lost, the job ends later.
  if (job !== null) work.afterCommit(() => void context.queue.wakeJobs(context.db, job).catch(logLost(context)))
  return presentCampaign(await readCampaignRow(trx, id))
}

/**
 * Sends the rest of a campaign whose job failed or is gone. Who has the message gets no other.
 * @throws NOT_FOUND; PRECONDITION_FAILED; CAMPAIGN_NOT_STRANDED; WALLET_NOT_CONFIGURED; RATE_LIMITED
 */
export async function resumeCampaign(
  work: Work,
  caller: OrganizationCaller,
  { id, precondition }: { id: string; precondition: Precondition },
): Promise<CampaignStarted> {
  const { trx, context } = work
  const campaign = await readOwnCampaign(trx, caller, id, 'forUpdate')
  precondition(presentCampaign(campaign))
  if (!(await isStranded(trx, campaign)))
    throw createProblem(
      'CAMPAIGN_NOT_STRANDED',
      campaign.status === 'sending' ? 'The campaign is being sent.' : `The campaign is ${campaign.status}.`,
    )
  await assertWallets(work, campaign)
  const total = campaign.frozenAt === null ? (campaign.audienceSize ?? 0) : campaign.pending
  const job = await enqueueCampaign(trx, context, campaign, { total })
  await setCampaignJob(trx, id, job)
  work.afterCommit(() => context.queue.notifyWorker(job))
  return { ...presentCampaign(await readCampaignRow(trx, id)), jobId: job }
}

const logLost =
  ({ log }: Context) =>
  (cause: unknown) =>
    log.warn({ err: cause }, 'the job of a cancelled campaign ends at its time')

const hasOpenJob = async (db: Knex, { job }: CampaignModel): Promise<boolean> =>
  job !== null && (await findJob(db, job))?.status === 'pending'

const isStranded = async (db: Knex, campaign: CampaignModel): Promise<boolean> =>
  campaign.status === 'sending' && !(await hasOpenJob(db, campaign))

/** Returns a campaign with the state of its job. */
export async function presentDetails(db: Knex, campaign: CampaignModel): Promise<CampaignDetails> {
  const isOpen = await hasOpenJob(db, campaign)
  // A job that has ended since the campaign was read moved the campaign before it ended.
  const current = isOpen ? campaign : ((await findOwnCampaign(db, campaign.organization, campaign.id)) ?? campaign)
  const isLost = !isOpen && current.job === campaign.job
  return {
    ...presentCampaign(current),
    isStranded: isLost && current.status === 'sending',
    scheduleJobLost: isLost && current.status === 'scheduled',
  }
}

/** The most campaigns that one look recovers. */
const maxRecovered = 100

/** Sends scheduled campaigns whose time has come and whose job is gone. */
export async function recoverCampaigns(context: Context): Promise<void> {
  for (const { id } of await listDueCampaigns(context.db, maxRecovered)) {
    // One that cannot be sent keeps no other one waiting.
    const job = await recoverCampaign(context, id).catch((cause: unknown) => {
      context.log.error({ err: cause, campaign: id }, 'a campaign whose job is lost could not be sent')
      return null
    })
    if (job !== null) context.queue.notifyWorker(job)
  }
}

const recoverCampaign = (context: Context, id: string): Promise<string | null> =>
  context.db.transaction(async (trx) => {
    const campaign = await lockCampaign(trx, id)
    if (campaign?.status !== 'scheduled' || (await hasOpenJob(trx, campaign))) return null
    return startSending(trx, context, campaign, {})
  })

/**
 * Tells whom sending a draft would reach. @param sendAt when it would be sent; now by default
 * @throws as `sendCampaign` and `planCampaign`
 */
export async function previewSending(
  work: Work,
  caller: OrganizationCaller,
  { id, sendAt, precondition }: { id: string; sendAt?: string; precondition: Precondition },
): Promise<DryRun> {
  const isNow = sendAt === undefined || (await isPast(work.trx, parseSendAt(sendAt)))
  const campaign = await lockSendable(work, caller, id, precondition)
  const { application, channels, targeting, name } = campaign
  const { frequencyCapPer24h } = getCampaignLimits(await readAnyApplication(work.trx, application))
  const filter = createAudienceFilter(application, channels, targeting)
  const { matching, reachableNow, withheld } = await measureAudience(work.trx, filter, frequencyCapPer24h)
  const holdout = Math.floor((reachableNow * (targeting.holdoutPercent ?? 0)) / 100)
  return {
    matched: matching,
    willChange: reachableNow - holdout,
    samples: [{ id, name }],
    skipped: [
      ...(withheld > 0 ? [{ reason: 'Their cards had all messages of 24 hours.', count: withheld }] : []),
      ...(holdout > 0 ? [{ reason: 'Held back to compare with.', count: holdout }] : []),
    ],
    warnings: [
      isNow
        ? `${formatCount(reachableNow - holdout, 'customer')} will see it on the phone at once. It cannot be taken back.`
        : `${formatCount(reachableNow - holdout, 'customer')} would see it now; who matches at ${sendAt} gets it then.`,
    ],
  }
}
