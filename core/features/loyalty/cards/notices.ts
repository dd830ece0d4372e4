import type { Knex } from 'knex'
import { nextChangeSql } from './cards.store.ts'
import {
  createAudienceParts,
  createReachableSql,
  createReachSql,
  type AudienceFilter,
  type AudiencePart,
  type CardChannel,
} from '../../accounts/index.ts'

/** The most notifications that Google shows of an object in 24 hours. Source: Google Wallet, messages of a pass. */
const maxGoogleNotices = 3

/** Returns how often a card of a channel is notified in 24 hours at most. @param cap that of the application */
export const getChannelCap = (channel: CardChannel, cap: number): number =>
  channel === 'google-wallet' ? Math.min(cap, maxGoogleNotices) : cap

/** The SQL of whether a card `c` had all notifications of the last 24 hours. Its binding is the cap, from 1. */
const cappedSql = `coalesce(c.notices[?::int] > now() - interval '1 day', false)`

/** Cards that get a message. */
export interface NoticedCards {
  /** The message, which stands in `card_messages`. */
  message: string
  channel: CardChannel
  /** How often a card of the application is notified in 24 hours at most. */
  cap: number
  accounts: readonly string[]
}

/** Why a card does not get a message: its person wants none or has no card any more, or the card had enough of them. */
export type NoticeRefusal = 'opt_out' | 'frequency_cap'

/**
 * Puts a message on the cards of accounts, in the transaction of the caller, and counts it as a notification of each card.
 * The cards are locked in the order of their ids, so that no two messages take the last place of a card.
 * @returns the refusals, by account; the other cards have the message
 */
export async function noteMessage(
  trx: Knex,
  { message, channel, cap, accounts }: NoticedCards,
): Promise<Map<string, NoticeRefusal>> {
  const limit = getChannelCap(channel, cap)
  const { rows } = await trx.raw<{ rows: { account: string; refusal: NoticeRefusal }[] }>(
    `with given as (select unnest(?::uuid[]) as account),
     locked as materialized (
       select c.id, c.account, ${limit === 0 ? 'true' : cappedSql} as is_capped
       from loyalty_cards c where c.channel = ? and c.account in (select account from given)
         and ${createReachableSql('c.account', channel)}
       order by c.id for no key update of c),
     noted as (
       update loyalty_cards c set message = ?, changed_at = ${nextChangeSql},
         notices = (array_prepend(clock_timestamp()::timestamptz(3), c.notices))[1:?::int]
       from locked where c.id = locked.id and not locked.is_capped)
     select given.account, case when locked.id is null then 'opt_out' else 'frequency_cap' end as refusal
     from given left join locked using (account) where locked.id is null or locked.is_capped`,
    [accounts, ...(limit === 0 ? [] : [limit]), channel, message, Math.max(cap, maxGoogleNotices)] as Knex.RawBinding[],
  )
  return new Map(rows.map(({ account, refusal }) => [account, refusal]))
}

/**
 * Renews a message that was put on cards before, when it is to be pushed again: it counts as a notification of now, and who
 * does not want it any more, or has a newer one, does not get it.
 * @returns the refusals, by account
 */
export async function renewMessage(
  trx: Knex,
  { message, channel, accounts }: NoticedCards,
): Promise<Map<string, NoticeRefusal>> {
  // At Google every message stands by itself.
  const isReplacing = channel === 'apple-wallet'
  const { rows } = await trx.raw<{ rows: { account: string; refusal: NoticeRefusal }[] }>(
    `with given as (select unnest(?::uuid[]) as account),
     locked as materialized (
       select c.id, c.account, ${isReplacing ? 'c.message is distinct from ?' : 'false'} as is_replaced
       from loyalty_cards c where c.channel = ? and c.account in (select account from given)
         and ${createReachableSql('c.account', channel)}
       order by c.id for no key update of c),
     renewed as (
       update loyalty_cards c set notices[1] = greatest(c.notices[1], clock_timestamp()::timestamptz(3))
       from locked where c.id = locked.id and not locked.is_replaced)
     select given.account, case when locked.id is null then 'opt_out' else 'frequency_cap' end as refusal
     from given left join locked using (account) where locked.id is null or locked.is_replaced`,
    [accounts, ...(isReplacing ? [message] : []), channel] as Knex.RawBinding[],
  )
  return new Map(rows.map(({ account, refusal }) => [account, refusal]))
}

/** Accounts of an audience all of whose cards had enough messages, and when each of them can get one. */
export interface Withheld {
  count: number
  /** Null if there is none. */
  freeAt: Date | null
}

/** Counts the accounts of an audience whose cards cannot be notified now. @param cap from 1 */
export async function countWithheld(db: Knex, filter: AudienceFilter, cap: number): Promise<Withheld> {
  const found: Withheld = { count: 0, freeAt: null }
  for (const part of createAudienceParts(filter)) {
    const { count, free_at: freeAt } = await countWithheldOf(db, part, { filter, cap })
    found.count += count
    if (freeAt && (!found.freeAt || freeAt > found.freeAt)) found.freeAt = freeAt
  }
  return found
}

/** Counts those of a part of an audience: all other channels that reach an account have had enough, too. */
async function countWithheldOf(
  db: Knex,
  { channel, sql, bindings }: AudiencePart,
  { filter, cap }: { filter: AudienceFilter; cap: number },
): Promise<{ count: number; free_at: Date | null }> {
  const createFreeSql = (row: string, of: CardChannel) => `${row}.notices[${getChannelCap(of, cap)}] + interval '1 day'`
  const others = filter.channels.slice(filter.channels.indexOf(channel) + 1).map((other) => ({
    condition: `(not ${createReachSql(other)} or exists (select from loyalty_cards o
       where o.account = a.id and o.channel = '${other}' and ${createFreeSql('o', other)} > now()))`,
    freeAt: `case when ${createReachSql(other)} then (select ${createFreeSql('o', other)} from loyalty_cards o
       where o.account = a.id and o.channel = '${other}') end`,
  }))
  const freeSql = `least(${[createFreeSql('c', channel), ...others.map(({ freeAt }) => freeAt)].join(', ')})`
  const { rows } = await db.raw<{ rows: [{ count: number; free_at: Date | null }] }>(
    `select count(*)::int as count, max(${freeSql}) as free_at
     from (select * from loyalty_cards where application = ? and channel = ?) c, ${sql} and a.id = c.account
       and ${[`${createFreeSql('c', channel)} > now()`, ...others.map(({ condition }) => condition)].join(' and ')}`,
    [filter.application, channel, ...bindings] as Knex.RawBinding[],
  )
  return rows[0]
}

/** Stores the text of a message, once. */
export async function insertCardMessage(
  trx: Knex,
  message: { id: string; organization: string; application: string; headline: string; body: string },
): Promise<void> {
  await trx('card_messages').insert(message).onConflict('id').ignore()
}

/** A card that is to be pushed, with the phones that have it, if it is Apple's. */
export interface PushTarget {
  account: string
  card: string
  /** By which the phones are known, and where pushes to each go, in the same order. */
  devices: string[]
  tokens: string[]
}

interface PhoneRow {
  account: string
  card: string
  device: string | null
  token: string | null
}

/** Reads where the cards of accounts are pushed. An account without a card is left out. */
export async function listPushTargets(
  db: Knex,
  channel: CardChannel,
  accounts: readonly string[],
): Promise<Map<string, PushTarget>> {
  const { rows } = await db.raw<{ rows: PhoneRow[] }>(
    `select c.account, c.id as card, r.device, r.push_token as token
     from loyalty_cards c left join card_registrations r on r.card = c.id
     where c.channel = ? and c.account = any(?::uuid[])`,
    [channel, accounts as string[]],
  )
  const targets = new Map<string, PushTarget>()
  for (const { account, card, device, token } of rows) {
    let target = targets.get(account)
    if (!target) targets.set(account, (target = { account, card, devices: [], tokens: [] }))
    if (device === null || token === null) continue
    target.devices.push(device)
    target.tokens.push(token)
  }
  return targets
}
