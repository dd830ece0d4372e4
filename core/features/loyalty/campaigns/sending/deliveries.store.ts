import type { Knex } from 'knex'
import type { CardChannel, AudiencePart } from '../../../accounts/index.ts'
import type { NoticeRefusal } from '../../cards/index.ts'
import { deliveryStatus } from '../campaigns.machine.ts'

/** A part of an audience: the accounts of one channel from one to another, both among them. */
export interface Slice {
  channel: CardChannel
  first_account: string
  last_account: string
  /** Whether its cards have the message already. */
  is_noted: boolean
  /** How often it was taken, this time among them. */
  attempts: number
  /** Seconds for which a wallet has not taken all of it. */
  put_off_seconds: number
}

/** The number of accounts of a slice. What a worker had in its hands when it died is pushed again. */
const sliceSizes: Readonly<Record<CardChannel, number>> = { 'apple-wallet': 1_000, 'google-wallet': 20 }

/** What one batch of an audience came to. */
export interface FrozenBatch {
  accounts: number
  held: number
  deliveries: number
  /** The last account, behind which the next batch begins. */
  last: string | null
}

export interface FreezeOptions {
  campaign: string
  /** The accounts `a` of the audience, in parts. */
  audience: readonly AudiencePart[]
  /** For each channel, the SQL of whether it reaches an account `a`. */
  reach: readonly (readonly [CardChannel, string])[]
  /** The account behind which the batch begins. */
  after: string
  limit: number
  /** Accounts and held ones of the batches before. */
  before: { accounts: number; held: number }
  holdoutPercent: number
}

/**
 * Writes down the next accounts of an audience in the order of their ids: those who are held back, and a delivery for each
 * channel of the others, with its slices. Who is held back is drawn by a hash of account and campaign, so that it is chance
 * and still the same in every run. After each batch their number is the share of all, rounded down.
 */
export async function freezeBatch(
  trx: Knex,
  { campaign, audience, reach, after, limit, before, holdoutPercent }: FreezeOptions,
): Promise<FrozenBatch> {
  const reachSql = reach.map(([channel, sql]) => `case when ${sql} then '${channel}' end`).join(', ')
  const sizesSql = reach.map(([channel]) => `when '${channel}' then ${sliceSizes[channel]}`).join(' ')
  const { rows } = await trx.raw<{ rows: [FrozenBatch] }>(
    `with batch as materialized (
       select account, channels from (${audience
         .map(
           ({ sql }) => `(select a.id as account, array_remove(array[${reachSql}], null) as channels
         from ${sql} and a.id > ? order by a.id limit ?)`,
         )
         .join(' union all ')}) parts order by account limit ?),
     held as (
       insert into campaign_holdouts (campaign, account)
       select ?, account from batch
       order by uuid_hash_extended(account, ('x' || substr(md5(?), 1, 16))::bit(64)::bigint), account
       limit (select floor((count(*) + ?) * ? / 100.0)::int - ? from batch)
       returning account),
     numbered as materialized (
       select account, channel, (row_number() over w - 1)::int as place, (count(*) over (partition by channel))::int as total
       from batch cross join lateral unnest(channels) as reached (channel)
       where account not in (select account from held)
       window w as (partition by channel order by account)),
     sized as (select channel, case channel ${sizesSql} end as size from unnest(?::text[]) as reached (channel)),
     made as (
       insert into campaign_deliveries (campaign, account, channel, status)
       select ?, account, channel, ${deliveryStatus.target('create')} from numbered order by account, channel
       returning 1),
     sliced as (
       insert into campaign_slices (campaign, channel, first_account, last_account)
       select ?, first.channel, first.account, last.account from numbered first join sized using (channel)
         join numbered last on last.channel = first.channel and last.place = least(first.place + size, first.total) - 1
       where first.place % size = 0)
     select (select count(*) from batch)::int as accounts, (select count(*) from held)::int as held,
       (select count(*) from made)::int as deliveries, (select max(account::text) from batch) as last`,
    [
      ...audience.flatMap(({ bindings }) => [...bindings, after, limit]),
      limit,
      campaign,
      campaign,
      before.accounts,
      holdoutPercent,
      before.held,
      reach.map(([channel]) => channel),
      campaign,
      campaign,
    ] as Knex.RawBinding[],
  )
  return rows[0]
}

/** Takes the next slice that nobody has, or that the job itself had when it died. Undefined if none is due. */
export async function takeSlice(
  trx: Knex,
  { campaign, job, inHand }: { campaign: string; job: string; inHand: readonly string[] },
): Promise<Slice | undefined> {
  const { rows } = await trx.raw<{ rows: Slice[] }>(
    `update campaign_slices s set job = ?, attempts = s.attempts + 1
     from (select channel, first_account from campaign_slices
           where campaign = ? and due_at <= now() and (job is null or job = ?)
             and channel || ' ' || first_account <> all(?::text[])
             and exists (select from campaigns where id = ? and status = 'sending')
           order by channel, first_account limit 1 for update skip locked) next
     where s.campaign = ? and s.channel = next.channel and s.first_account = next.first_account
     returning s.channel, s.first_account, s.last_account, s.is_noted, s.attempts,
       coalesce(extract(epoch from now() - s.put_off_since), 0)::float8 as put_off_seconds`,
    [job, campaign, job, inHand as string[], campaign, campaign],
  )
  return rows[0]
}

/** Gives back slices of jobs that will never do them. */
export async function releaseSlices(trx: Knex, campaign: string, jobs: readonly string[]): Promise<void> {
  await trx.raw('update campaign_slices set job = null where campaign = ? and job = any(?::uuid[])', [
    campaign,
    jobs as string[],
  ])
}

/** What is left of a campaign: slices, when the next of those is due that nobody has, and the jobs that have the others. */
export interface SlicesLeft {
  count: number
  /** Seconds from now; null if every slice is in somebody's hands. */
  dueInSeconds: number | null
  jobs: string[]
}

/** Reads what is left of a campaign. */
export async function readSlicesLeft(db: Knex, campaign: string): Promise<SlicesLeft> {
  const { rows } = await db.raw<{ rows: [SlicesLeft] }>(
    `select count(*)::int as count, extract(epoch from min(due_at) filter (where job is null) - now())::float8 as "dueInSeconds",
       coalesce(array_agg(distinct job) filter (where job is not null), '{}') as jobs
     from campaign_slices where campaign = ?`,
    [campaign],
  )
  return rows[0]
}

const sliceSql = 'campaign = ? and channel = ? and account between ? and ?'
const bindSlice = (campaign: string, { channel, first_account: first, last_account: last }: Slice) => [
  campaign,
  channel,
  first,
  last,
]

/** Lists the accounts of a slice that have no outcome yet. */
export async function listPendingAccounts(trx: Knex, campaign: string, slice: Slice): Promise<string[]> {
  const { rows } = await trx.raw<{ rows: { account: string }[] }>(
    `select account from campaign_deliveries where ${sliceSql} and status = 'pending' order by account`,
    bindSlice(campaign, slice),
  )
  return rows.map(({ account }) => account)
}

/** Writes down that the cards of a slice have the message, but for those that are excluded. */
export async function noteSlice(
  trx: Knex,
  campaign: string,
  slice: Slice,
  refusals: ReadonlyMap<string, NoticeRefusal>,
): Promise<void> {
  const { channel, first_account: first } = slice
  await trx.raw('update campaign_slices set is_noted = true where campaign = ? and channel = ? and first_account = ?', [
    campaign,
    channel,
    first,
  ])
  if (refusals.size === 0) return
  await trx.raw(
    `update campaign_deliveries d set ${deliveryStatus.set('exclude')}, reason = given.reason
     from unnest(?::uuid[], ?::text[]) as given (account, reason)
     where d.campaign = ? and d.channel = ? and d.account = given.account and ${deliveryStatus.isPossible('exclude')}`,
    [[...refusals.keys()], [...refusals.values()], campaign, channel],
  )
}

/** What became of the push of a delivery. `code` is why the wallet refused it, in its own word. */
export interface DeliveryOutcome {
  account: string
  /** Null if it was sent. */
  code: string | null
}

/** Writes down what became of deliveries. */
export async function recordOutcomes(
  trx: Knex,
  campaign: string,
  channel: CardChannel,
  outcomes: readonly DeliveryOutcome[],
): Promise<void> {
  if (outcomes.length === 0) return
  await trx.raw(
    `update campaign_deliveries d set status = case when given.code is not null then ${deliveryStatus.target('fail')}
         when d.fetched_at is null then ${deliveryStatus.target('push')} else ${deliveryStatus.target('pushFetched')} end,
       error_code = given.code, sent_at = case when given.code is null then clock_timestamp() end
     from unnest(?::uuid[], ?::text[]) as given (account, code)
     where d.campaign = ? and d.channel = ? and d.account = given.account and ${deliveryStatus.isPossible('push')}`,
    [outcomes.map(({ account }) => account), outcomes.map(({ code }) => code), campaign, channel] as Knex.RawBinding[],
  )
}

/**
 * Settles those deliveries of a slice whose phones have fetched the message, while the worker that pushed it died before it
 * wrote the outcome down. @returns how many
 */
export async function settleFetched(trx: Knex, campaign: string, slice: Slice): Promise<number> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `update campaign_deliveries set ${deliveryStatus.set('pushFetched')}, sent_at = fetched_at
     where ${sliceSql} and fetched_at is not null and ${deliveryStatus.isPossible('pushFetched')}`,
    bindSlice(campaign, slice),
  )
  return rowCount
}

/** Ends a slice of which every delivery has an outcome. */
export async function endSlice(trx: Knex, campaign: string, { channel, first_account: first }: Slice): Promise<void> {
  await trx.raw('delete from campaign_slices where campaign = ? and channel = ? and first_account = ?', [
    campaign,
    channel,
    first,
  ])
}

/** Gives back a slice of which deliveries are to be pushed again. */
export async function postponeSlice(
  trx: Knex,
  campaign: string,
  { channel, first_account: first }: Slice,
  seconds: number,
): Promise<void> {
  await trx.raw(
    `update campaign_slices set job = null, due_at = now() + ? * interval '1 s', put_off_since = coalesce(put_off_since, now())
     where campaign = ? and channel = ? and first_account = ?`,
    [seconds, campaign, channel, first],
  )
}

/** Puts off slices of a channel that nobody has: what the wallet does not take now would only be marked on cards too early. */
export async function postponeChannel(
  trx: Knex,
  campaign: string,
  channel: CardChannel,
  seconds: number,
): Promise<void> {
  await trx.raw(
    `update campaign_slices set due_at = greatest(due_at, now() + ? * interval '1 s')
     where campaign = ? and channel = ? and job is null`,
    [seconds, campaign, channel],
  )
}

/**
 * Makes slices due that were put off, or written, before the clock was set back: those that wait longer than any can.
 * @param maxSeconds for which a slice is put off at most
 */
export async function resetFutureSlices(db: Knex, maxSeconds: number): Promise<void> {
  await db.raw(
    `update campaign_slices set due_at = now()
     where due_at > now() + case when attempts = 0 then 0 else ? end * interval '1 s'`,
    [maxSeconds],
  )
}

/**
 * Writes down that a phone has fetched a card with the message of a campaign. Many do so before the worker that pushed them
 * writes down the outcome of its slice, which then counts as fetched.
 */
export async function recordFetch(
  db: Knex,
  { message, account, channel }: { message: string; account: string; channel: CardChannel },
): Promise<void> {
  await db.raw(
    `update campaign_deliveries set ${deliveryStatus.setWherePossible('fetch')}, fetched_at = coalesce(fetched_at, now())
     where campaign = ? and account = ? and channel = ?
       and (${deliveryStatus.isPossible('push')} or ${deliveryStatus.isPossible('fetch')})`,
    [message, account, channel],
  )
}
