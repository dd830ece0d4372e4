import type { Knex } from 'knex'
import type { Network } from '../../chains/networks.ts'
import type { Context } from '../../kernel/work.ts'
import {
  countedSql,
  createCountingSql,
  takeAccountUnits,
  type CountedAccounts,
  type CountingOptions,
} from './accounts.usage.ts'

/** New figures of an account: absolute values, as the ledger returned them. A figure that is left out stays as it is. */
export interface AccountFigures {
  account: string
  /** Points that are active now. */
  points?: bigint
  /** Points that become active later. */
  pending?: bigint
  /** Points that are final on the chain. */
  settled?: bigint
  visits?: number
  /** When a new visit was. */
  visitedAt?: Date
}

/** New figures of an account, and whether they follow from a new entry. */
export interface ActivityFigures extends AccountFigures {
  /** The account has a new entry or a new visit, so that it is an active user of the month. */
  isActive: boolean
}

/**
 * The accounts of a statement, locked in the order of their ids, as every writer of several accounts does. It needs the
 * `changes` of a statement, each with its `account`.
 */
const lockedSql = `locked as (
  select id from accounts where id in (select account from changes) order by id for no key update)`

/**
 * Stores figures of accounts with one statement, in the transaction of what they follow from. That is no change of the
 * account, so `updated_at` stays. @param figures at most one item an account
 */
export async function recordFigures(trx: Knex, figures: readonly AccountFigures[]): Promise<void> {
  await storeFigures(
    trx,
    figures.map((figure) => ({ ...figure, isActive: false })),
  )
}

/**
 * Stores figures as `recordFigures` does, and counts the accounts that have a new entry or visit: each once a month (UTC) as
 * one of `loyalty.activeUsers`, and once for ever as one of `wallets`. The month is that in which the transaction began, as
 * with every meter. An account that was counted costs no further statement.
 * @throws QUOTA_EXCEEDED past a hard limit, unless it `isForced`; the transaction must be rolled back
 */
export async function recordActivity(
  trx: Knex,
  context: Pick<Context, 'meters'>,
  figures: readonly ActivityFigures[],
  options: CountingOptions = {},
): Promise<void> {
  await takeAccountUnits(trx, context, await storeFigures(trx, figures), options)
}

/**
 * Stores figures, and in the rows of active accounts the months in which they were counted. The statement locks the rows
 * in any case, so that of entries that come at the same time the first one counts an account.
 * @returns how many accounts of each organization are counted by that
 */
async function storeFigures(trx: Knex, figures: readonly ActivityFigures[]): Promise<CountedAccounts[]> {
  if (figures.length === 0) return []
  const toText = (amount: bigint | undefined) => amount?.toString() ?? null
  const { rows } = await trx.raw<{ rows: CountedAccounts[] }>(
    `with changes as (
       select * from unnest(?::uuid[], ?::text[]::bigint[], ?::text[]::bigint[], ?::text[]::bigint[], ?::int[], ?::timestamptz[],
         ?::boolean[]) as figure (account, points, pending, settled, visits, visited_at, is_active)),
     ${lockedSql},
     kept as (
       update accounts set points = coalesce(changes.points, accounts.points),
         points_pending = coalesce(changes.pending, accounts.points_pending),
         points_settled = coalesce(changes.settled, accounts.points_settled),
         visits = coalesce(changes.visits, accounts.visits),
         last_visit_at = greatest(accounts.last_visit_at, changes.visited_at),
         ${createCountingSql('changes.is_active')}
       from changes join locked on locked.id = changes.account where accounts.id = changes.account
       returning new.organization, ${countedSql})
     select organization, (count(*) filter (where is_active))::int as active, (count(*) filter (where is_wallet))::int as wallets
     from kept where is_active or is_wallet group by organization order by organization`,
    [
      figures.map(({ account }) => account),
      figures.map(({ points }) => toText(points)),
      figures.map(({ pending }) => toText(pending)),
      figures.map(({ settled }) => toText(settled)),
      figures.map(({ visits }) => visits ?? null),
      figures.map(({ visitedAt }) => visitedAt?.toISOString() ?? null),
      figures.map(({ isActive }) => isActive),
    ] as Knex.RawBinding[],
  )
  return rows
}

/** By how many the passports of an account changed, and when. */
export interface PassportChange {
  account: string
  change: number
  at: Date
}

/**
 * Counts passports that accounts got or lost, in the transaction in which they did. The time of a change moves
 * `last_activity_at` forward, never back.
 */
export async function notePassports(trx: Knex, changes: readonly PassportChange[]): Promise<void> {
  if (changes.length === 0) return
  await trx.raw(
    `with changes as (
       select account, sum(change)::int as change, max(at) as at
       from unnest(?::uuid[], ?::int[], ?::timestamptz[]) as made (account, change, at) group by account),
     ${lockedSql}
     update accounts set passport_count = accounts.passport_count + changes.change,
       last_activity_at = greatest(accounts.last_activity_at, changes.at)
     from changes join locked on locked.id = changes.account where accounts.id = changes.account`,
    [
      changes.map(({ account }) => account),
      changes.map(({ change }) => change),
      changes.map(({ at }) => at),
    ] as Knex.RawBinding[],
  )
}

/** The figures of an account as they are kept, with what its points are booked under. */
export interface KeptFigures {
  account: string
  organization: string
  application: string
  network: Network
  address: string
  points: bigint
  pending: bigint
  settled: bigint
  visits: bigint
}

/**
 * Reads the figures of accounts, in the order of their ids: those behind an id, or those that are named; of one
 * organization, or of all.
 */
export async function listFigures(
  db: Knex,
  { organization, after, accounts, limit }: FigureSelection,
): Promise<KeptFigures[]> {
  type Row = Omit<KeptFigures, FigureName> & Record<FigureName, string>
  const { rows } = await db.raw<{ rows: Row[] }>(
    `select id as account, organization, application, network, address, points::text, points_pending::text as pending,
       points_settled::text as settled, visits::text
     from accounts
     where (?::uuid is null or id > ?::uuid) and (?::uuid[] is null or id = any(?::uuid[]))
       and (?::uuid is null or organization = ?::uuid)
     order by id limit ?`,
    [after, after, accounts, accounts, organization, organization, limit].map(
      (one) => one ?? null,
    ) as Knex.RawBinding[],
  )
  return rows.map((row) => ({
    ...row,
    points: BigInt(row.points),
    pending: BigInt(row.pending),
    settled: BigInt(row.settled),
    visits: BigInt(row.visits),
  }))
}

type FigureName = 'points' | 'pending' | 'settled' | 'visits'

interface FigureSelection {
  organization: string | null
  after?: string
  accounts?: readonly string[]
  limit: number
}
