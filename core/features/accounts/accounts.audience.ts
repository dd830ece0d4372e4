import type { Network } from '../../chains/networks.ts'
import type { CardChannel } from './accounts.cards.ts'

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

/** What an account has to have for a channel to reach it: a card there, and the wish for messages. */
const channelSql: Readonly<Record<CardChannel, string>> = {
  'apple-wallet': 'a.opt_in_apple and a.has_apple_card',
  'google-wallet': 'a.opt_in_google and a.has_google_card',
}

/** The SQL of whether a channel reaches an account `a`. */
export const createReachSql = (channel: CardChannel): string => `(${channelSql[channel]})`

type Condition = [sql: string, ...bindings: unknown[]] | false

/** The accounts of an audience that a channel reaches, and none of the channels before it. */
export interface AudiencePart extends StatementPart {
  channel: CardChannel
}

/**
 * Creates the SQL of the accounts `a` of an audience, a part for each channel; no account is in two of them. All that a part
 * names stands in an index of the channel (`accounts_apple_audience`, `accounts_google_audience`), so that it can be counted
 * without reading the table.
 */
export function createAudienceParts({ application, channels, ...filter }: AudienceFilter): AudiencePart[] {
  const conditions: Condition[] = [
    ['a.application = ?', application],
    filter.network !== undefined && ['a.network = ?', filter.network],
    filter.minPoints !== undefined && ['a.points >= ?', filter.minPoints],
    filter.maxPoints !== undefined && ['a.points <= ?', filter.maxPoints],
    filter.minVisits !== undefined && ['a.visits >= ?', filter.minVisits],
    filter.maxVisits !== undefined && ['a.visits <= ?', filter.maxVisits],
    filter.rewardTiers !== undefined && ['a.reward_tier = any(?::uuid[])', filter.rewardTiers],
    filter.locales !== undefined && createLocaleCondition(filter.locales),
    filter.inactiveForDays !== undefined && [
      'coalesce(a.last_visit_at, a.created_at) < now() - make_interval(days => ?)',
      filter.inactiveForDays,
    ],
    filter.birthdayMonth !== undefined && [`date_part('month', a.birth_date) = ?`, filter.birthdayMonth],
  ]
  const found = conditions.filter((condition) => condition !== false)
  const bindings = found.flatMap(([, ...values]) => values)
  return channels.map((channel, at) => {
    const earlier = channels.slice(0, at).map((other) => `not ${createReachSql(other)}`)
    const all = ['a.user_id is not null', channelSql[channel], ...earlier, ...found.map(([sql]) => sql)]
    return { channel, sql: `accounts a where ${all.join(' and ')}`, bindings }
  })
}

/** Accounts keep their language as it is spelled for all. Source: RFC 5646, section 2.1.1. */
function createLocaleCondition(locales: readonly string[]): Condition {
  const tags = locales.map((locale) => new Intl.Locale(locale).toString())
  const languages = tags.filter((tag) => !tag.includes('-'))
  return [
    `(split_part(a.locale, '-', 1) = any(?::text[]) or a.locale = any(?::text[]))`,
    languages,
    tags.filter((tag) => tag.includes('-')),
  ]
}

/** The SQL of an account `a` that belongs to an id, for what is joined to it. @param id the SQL of the id */
export const createAccountJoinSql = (id: string): string => `join accounts a on a.id = ${id}`

/** The SQL of whether a channel reaches an account. @param id the SQL of its id */
export const createReachableSql = (id: string, channel: CardChannel): string =>
  `exists (select from accounts a where a.id = ${id} and a.user_id is not null and ${createReachSql(channel)})`
