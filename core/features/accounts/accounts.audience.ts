import type { Network } from '../../chains/networks.ts'
import { cardChannels, type CardChannel } from './accounts.cards.ts'

/** Which accounts of an application an audience has. What is left out does not matter. */
export interface AudienceFilter {
  application: string
  /** At least one of them has to reach the account. */
  channels: readonly CardChannel[]
  network?: Network
  minPoints?: number
  maxPoints?: number
  minVisits?: number
  maxVisits?: number
  /** One of these tiers. */
  rewardTiers?: readonly string[]
  /** Languages, or languages with their regions: `fr` takes `fr-CH` too. */
  locales?: readonly string[]
  /** Days without a visit, or since the account was created if it has none. */
  inactiveForDays?: number
  /** 1 for January. An account without a birth date is in no month. */
  birthdayMonth?: number
}

/** A part of a statement with its bindings. */
export interface StatementPart {
  sql: string
  bindings: unknown[]
}

const channelSql: Readonly<Record<CardChannel, string>> = {
  'apple-wallet': '(a.opt_in_apple and a.has_apple_card)',
  'google-wallet': '(a.opt_in_google and a.has_google_card)',
}

/** The SQL of whether a channel reaches an account `a`: it has a card there and wants messages. */
export const createReachSql = (channel: CardChannel): string => channelSql[channel]

/** The SQL of whether a channel, which another SQL names, reaches an account `a`. */
export const createChannelReachSql = (channel: string): string =>
  `case ${channel} ${cardChannels.map((one) => `when '${one}' then ${channelSql[one]}`).join(' ')} end`

type Condition = [sql: string, ...bindings: unknown[]] | false

/**
 * Creates the SQL of the accounts `a` of an audience, from which they can be counted without reading the table: all that it
 * names stands in the index `accounts_audience`.
 */
export function createAudienceSql({ application, channels, ...filter }: AudienceFilter): StatementPart {
  const conditions: Condition[] = [
    ['a.application = ?', application],
    ['a.user_id is not null and (a.has_apple_card or a.has_google_card)'],
    [`(${channels.map(createReachSql).join(' or ')})`],
    filter.network !== undefined && ['a.network = ?', filter.network],
    filter.minPoints !== undefined && ['a.points >= ?', filter.minPoints],
    filter.maxPoints !== undefined && ['a.points <= ?', filter.maxPoints],
    filter.minVisits !== undefined && ['a.visits >= ?', filter.minVisits],
    filter.maxVisits !== undefined && ['a.visits <= ?', filter.maxVisits],
    filter.rewardTiers !== undefined && ['a.reward_tier = any(?::uuid[])', filter.rewardTiers],
    filter.locales !== undefined && [
      `(lower(a.locale) = any(?::text[]) or split_part(lower(a.locale), '-', 1) = any(?::text[]))`,
      ...Array.from({ length: 2 }, () => filter.locales?.map((locale) => locale.toLowerCase())),
    ],
    filter.inactiveForDays !== undefined && [
      'coalesce(a.last_visit_at, a.created_at) < now() - make_interval(days => ?)',
      filter.inactiveForDays,
    ],
    filter.birthdayMonth !== undefined && ['extract(month from a.birth_date) = ?', filter.birthdayMonth],
  ]
  const found = conditions.filter((condition) => condition !== false)
  return {
    sql: `accounts a where ${found.map(([sql]) => sql).join(' and ')}`,
    bindings: found.flatMap(([, ...bindings]) => bindings),
  }
}

/** The SQL of an account `a` that belongs to an id, for what is joined to it. @param id the SQL of the id */
export const createAccountJoinSql = (id: string): string => `join accounts a on a.id = ${id}`

/** The SQL of whether a channel reaches an account. @param id the SQL of its id @param channel the SQL of the channel */
export const createReachableSql = (id: string, channel: string): string =>
  `exists (select from accounts a where a.id = ${id} and a.user_id is not null and ${createChannelReachSql(channel)})`
