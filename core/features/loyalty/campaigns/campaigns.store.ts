import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import type { OrganizationErasure } from '../../area.ts'
import { campaignStatus } from './campaigns.machine.ts'
import { CampaignModel } from './campaigns.model.ts'

/** What can be changed of a draft. */
export type CampaignContent = Pick<
  CampaignModel,
  'name' | 'description' | 'channels' | 'targeting' | 'headline' | 'body'
>

/** Reads a campaign of an organization, or undefined if there is none. @param lock until the transaction ends */
export async function findOwnCampaign(
  db: Knex,
  organization: string,
  id: string,
  lock?: 'forUpdate',
): Promise<CampaignModel | undefined> {
  const query = CampaignModel.query(db).findById(id).modify('ofOrganization', organization)
  return lock ? query.forUpdate() : query
}

/** Reads a campaign by its id, whoever's it is. */
export const readCampaignRow = (db: Knex, id: string): Promise<CampaignModel> =>
  CampaignModel.query(db).findById(id).throwIfNotFound().execute()

/** Locks a campaign until the transaction ends, or returns undefined if there is none. */
export const lockCampaign = async (trx: Knex, id: string): Promise<CampaignModel | undefined> =>
  CampaignModel.query(trx).findById(id).forUpdate()

/** Inserts a draft. */
export async function insertCampaign(
  trx: Knex,
  values: CampaignContent & { organization: string; application: string; conversionWindowDays: number },
): Promise<CampaignModel> {
  const id = newId()
  await CampaignModel.query(trx).insert({ ...values, id, status: campaignStatus.moves.create.to })
  return readCampaignRow(trx, id)
}

/** Changes a draft, which is locked. */
export async function updateCampaign(trx: Knex, id: string, content: CampaignContent): Promise<CampaignModel> {
  await CampaignModel.query(trx)
    .findById(id)
    .patch({ ...content, updatedAt: trx.fn.now() as unknown as string })
  return readCampaignRow(trx, id)
}

/** Deletes a draft, which is locked. */
export async function deleteCampaign(trx: Knex, id: string): Promise<void> {
  await CampaignModel.query(trx).deleteById(id)
}

/** Writes down when a draft, which is locked, is to be sent, and by which job. */
export async function scheduleCampaign(
  trx: Knex,
  id: string,
  { sendAt, job }: { sendAt: Date; job: string },
): Promise<void> {
  await trx.raw(
    `update campaigns set ${campaignStatus.set('schedule')}, send_at = ?, job = ?, updated_at = now() where id = ?`,
    [sendAt, job, id],
  )
}

/** Makes a scheduled campaign, which is locked, a draft again. */
export async function cancelCampaign(trx: Knex, id: string): Promise<void> {
  await trx.raw(
    `update campaigns set ${campaignStatus.set('cancel')}, send_at = null, job = null, updated_at = now() where id = ?`,
    [id],
  )
}

/** How a campaign begins to be sent. */
export interface CampaignStart {
  /** Null if nobody is in the audience. */
  job: string | null
  audienceSize: number
  conversionWindowDays: number
  /** When it was to be sent, if that was said. */
  sendAt?: Date
  isScheduledImmediately?: boolean
}

/** Begins to send a campaign, which is locked. With an audience of nobody it is finished at once. */
export async function startCampaign(
  trx: Knex,
  id: string,
  { job, audienceSize, conversionWindowDays, sendAt, isScheduledImmediately = false }: CampaignStart,
): Promise<void> {
  const move = job === null ? campaignStatus.set('sendToNobody') : campaignStatus.set('send')
  await trx.raw(
    `update campaigns set ${move}, job = ?, audience_size = ?, conversion_window_days = ?,
       send_at = coalesce(?, send_at), scheduled_immediately = ?, sent_at = now(),
       finished_at = case when ?::boolean then now() end, updated_at = now() where id = ?`,
    [
      job,
      audienceSize,
      conversionWindowDays,
      sendAt ?? null,
      isScheduledImmediately,
      job === null,
      id,
    ] as Knex.RawBinding[],
  )
}

/** Gives a campaign that is being sent, and is locked, another job. */
export async function setCampaignJob(trx: Knex, id: string, job: string): Promise<void> {
  await trx.raw('update campaigns set job = ?, updated_at = now() where id = ?', [job, id])
}

/** Changes of what became of a campaign's deliveries. */
export type Tally = Partial<Pick<CampaignModel, 'pending' | 'sent' | 'failed' | 'excludedCap' | 'excludedOptOut'>>

/** Counts what became of deliveries. That is no change of the campaign, so `updated_at` stays. */
export async function countDeliveries(
  trx: Knex,
  id: string,
  { pending = 0, sent = 0, failed = 0, excludedCap = 0, excludedOptOut = 0 }: Tally,
): Promise<void> {
  await trx.raw(
    `update campaigns set pending = pending + ?, sent = sent + ?, failed = failed + ?, excluded_cap = excluded_cap + ?,
       excluded_opt_out = excluded_opt_out + ? where id = ?`,
    [pending, sent, failed, excludedCap, excludedOptOut, id],
  )
}

/** Notes that the message of a campaign was put on cards, which counts for the cap. */
export async function noteDelivery(trx: Knex, id: string): Promise<void> {
  await trx.raw('update campaigns set delivered_at = clock_timestamp() where id = ?', [id])
}

/** A part of an audience that was written down. */
export interface FrozenPart {
  /** The last account. */
  after: string
  accounts: number
  held: number
  deliveries: number
  /** Whether nobody is left. */
  isLast: boolean
}

/**
 * Notes how far an audience is written down; with the last part, who is in it. Nobody: the campaign is finished.
 * @returns the campaign
 */
export async function noteFrozen(
  trx: Knex,
  id: string,
  { after, accounts, held, deliveries, isLast }: FrozenPart,
): Promise<CampaignModel> {
  await trx.raw(
    `update campaigns set frozen_after = ?, frozen_accounts = frozen_accounts + ?, holdout_size = holdout_size + ?,
       pending = pending + ? where id = ?`,
    [after, accounts, held, deliveries, id],
  )
  if (isLast)
    await trx.raw(
      `update campaigns set audience_size = frozen_accounts, frozen_at = now(),
         ${campaignStatus.setWhen('frozen_accounts = 0', 'sendToNobody')},
         finished_at = case when frozen_accounts = 0 then now() end, updated_at = now() where id = ?`,
      [id],
    )
  return readCampaignRow(trx, id)
}

/** Notes that every delivery of a campaign has an outcome. One that is finished stays so. */
export async function noteDelivered(trx: Knex, id: string): Promise<void> {
  await trx.raw(
    `update campaigns set ${campaignStatus.set('deliver')}, updated_at = now()
     where id = ? and ${campaignStatus.isPossible('deliver')}`,
    [id],
  )
}

/** Lists campaigns whose figures may change, behind a campaign, in the order of their ids. */
export async function listOpenCampaigns(db: Knex, after: string, limit: number): Promise<CampaignModel[]> {
  return CampaignModel.query(db)
    .whereIn('status', ['sending', 'sent'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
}

/** Keeps how many customers got a campaign and came. That is no change of the campaign, so `updated_at` stays. */
export async function recordRecipients(
  db: Knex,
  id: string,
  { notified, visited }: { notified: number; visited: number },
): Promise<void> {
  await db.raw('update campaigns set recipients_notified = ?, recipients_visited = ? where id = ?', [
    notified,
    visited,
    id,
  ])
}

/** Finishes campaigns whose window is over. What is still pending of them stays so: nobody pushes it any more. */
export async function finishDueCampaigns(db: Knex): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `update campaigns set ${campaignStatus.set('finish')}, finished_at = now(), updated_at = now()
     where ${campaignStatus.isPossible('finish')} and sent_at + make_interval(days => conversion_window_days) < now()`,
  )
  return rowCount
}

/** Lists scheduled campaigns whose time has come. */
export async function listDueCampaigns(db: Knex, limit: number): Promise<CampaignModel[]> {
  return CampaignModel.query(db)
    .where('status', 'scheduled')
    .whereRaw('send_at <= now()')
    .orderBy('send_at')
    .limit(limit)
}

/** Counts the campaigns of an application that notified cards in the last day, or may be doing so. */
export async function countRecentCampaigns(db: Knex, application: string): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ count: number }] }>(
    `select count(*)::int as count from campaigns where application = ?
       and (status = 'sending' or delivered_at > now() - interval '1 day')`,
    [application],
  )
  return rows[0].count
}

/** Counts the campaigns of an application. */
export const countCampaigns = (db: Knex, application: string): Promise<number> =>
  CampaignModel.query(db).where({ application }).resultSize()

/** The tables of what belongs to campaigns, with their keys. */
const partTables = {
  campaign_deliveries: 'campaign, account, channel',
  campaign_holdouts: 'campaign, account',
  campaign_slices: 'campaign, channel, first_account',
} as const

/** Deletes the campaigns of a deleted organization, and before them all that belongs to them. */
export const eraseCampaigns: OrganizationErasure = ({ organization, limit, runStep }) =>
  runStep(async (trx) => {
    for (const [table, key] of Object.entries(partTables)) {
      const { rowCount } = await trx.raw<{ rowCount: number }>(
        `delete from ${table} where (${key}) in (
           select ${key} from ${table} where campaign in (select id from campaigns where organization = ?) limit ?)`,
        [organization, limit],
      )
      if (rowCount > 0) return rowCount
    }
    const { rowCount } = await trx.raw<{ rowCount: number }>(
      'delete from campaigns where id = any(array(select id from campaigns where organization = ? limit ?))',
      [organization, limit],
    )
    return rowCount
  })
