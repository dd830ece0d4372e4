import type { Knex } from 'knex'
import type { Statement } from '../database/connection.ts'
import type { MeterBlock, MeterPeriod, MeterSubject, PlanTable } from './types.ts'
import { getRule } from './types.ts'

/** How long a process holds a block, in seconds. What it has not used by then comes back. */
export const leaseSeconds = 20
/** The size of a block of a meter without a limit, and the most units of a block that nobody asked for as a whole. */
const maxBlockSize = 1_000
/** The part of the remaining units that a block may have: 1 %. */
const maxBlockShare = 100
/** The most blocks that one transaction closes. */
const blocksPerTransaction = 500

/** The SQL of the first day of the month in which the transaction began, in UTC. Times of rows have milliseconds too. */
export const currentPeriodSql = "date_trunc('month', now()::timestamptz(3) at time zone 'utc')::date"

/**
 * The SQL of a block that may be used in this statement, one row with its `id`, or none if its lease is over or the
 * transaction began in another month. Until the transaction ends, nobody closes the block: the lock is taken before
 * the clock is read.
 * @param block the SQL of its id
 */
export const createHeldBlockSql = (block: string): string => `
  select b.id from meter_blocks b where b.id = ${block} and b.period = ${currentPeriodSql}
    and case when pg_advisory_xact_lock_shared(b.id) is not null then b.leased_until > clock_timestamp() end`

/**
 * The SQL that records a use of a block, which `createHeldBlockSql` holds in the same statement.
 * @param block the SQL of its id
 * @param units the SQL of the number of units
 * @param from the SQL of what stands behind `from`: it has one row if the units are used
 */
export const createUseSql = (block: string, units: string, from: string): string =>
  `insert into meter_uses (block, units) select ${block}, ${units} from ${from}`

/** What is asked for when a block is leased. */
export interface BlockRequest extends MeterSubject {
  /** The units that are needed: the block has at least as many. */
  units: number
  /** The block may have fewer units, but at least one. */
  isPartial?: boolean
  /** The units are leased whatever the limit says. */
  isForced?: boolean
  /** The block has exactly the units that are needed. */
  isExact?: boolean
  /** The first day of the month; the present month by default. */
  period?: string
}

const unlimitedSql = '($8::boolean or rule.cap is null or not rule.hard)'
const remainingSql = '(rule.cap - p.used - p.leased)'
/** The SQL of the size of a block. A concurrent update computes it again from the row that it finds. */
const sizeSql = `case
  when ${unlimitedSql} then case when $11::boolean then $9::bigint else greatest($9::bigint, ${maxBlockSize}) end
  when $11::boolean then least(${remainingSql}, $9::bigint)
  else least(${remainingSql}, greatest($9::bigint, least(${maxBlockSize}, ${remainingSql} / ${maxBlockShare}))) end`

/** Leases a block in one statement, which is a transaction of its own. No row if the units are not there. */
const leaseStatement: Statement = {
  name: 'meter_lease',
  text: `
    with rule as materialized (
      select row.cap, row.hard from unnest($4::text[], $5::bigint[], $6::boolean[]) as row (plan, cap, hard)
      where row.plan in (coalesce((select plan from organization_plans where organization = $1), $7), $7)
      order by row.plan <> $7 desc limit 1
    ), leased as (
      update meter_periods p set granted = ${sizeSql}, leased = p.leased + ${sizeSql}
      from rule
      where p.organization = $1 and p.meter = $2 and p.period = coalesce($3::date, ${currentPeriodSql})
        and (${unlimitedSql} or ${remainingSql} >= $10::bigint)
      returning p.period, p.granted
    )
    insert into meter_blocks (organization, meter, period, size, leased_until)
    select $1, $2, leased.period, leased.granted, clock_timestamp() + interval '${leaseSeconds} seconds' from leased
    returning id, period::text, size`,
}

type QueryRows = <Row>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>

/** Leases a block. @returns undefined if the units are not there, or if the month has no row yet */
export async function leaseBlock(
  queryRows: QueryRows,
  table: PlanTable,
  { organization, meter, period, units, isPartial, isForced, isExact }: BlockRequest,
): Promise<MeterBlock | undefined> {
  const plans = [...table.plans.keys()]
  const rules = plans.map((plan) => getRule(table, plan, meter))
  const [block] = await queryRows<MeterBlock>(leaseStatement, [
    organization,
    meter,
    period ?? null,
    plans,
    rules.map(({ limit }) => limit),
    rules.map(({ isHard }) => isHard),
    table.defaultPlan,
    isForced ?? false,
    units,
    isPartial ? 1 : units,
    isExact ?? false,
  ])
  return block
}

/** Makes the row of a month. @returns whether there was none */
export async function startPeriod(
  queryRows: QueryRows,
  { organization, meter, period }: MeterSubject & { period?: string },
): Promise<boolean> {
  const rows = await queryRows(
    {
      name: 'meter_period',
      text: `insert into meter_periods (organization, meter, period) values ($1, $2, coalesce($3::date, ${currentPeriodSql}))
        on conflict do nothing returning period`,
    },
    [organization, meter, period ?? null],
  )
  return rows.length > 0
}

/** Records a use of a block in the transaction of the work. @returns false if the block cannot be used any more */
export async function useBlock(trx: Knex, block: number, units: number): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    `with held as materialized (${createHeldBlockSql('?')}) ${createUseSql('held.id', '?::bigint', 'held')} returning block`,
    [block, units],
  )
  return rows.length > 0
}

/** Ends the leases of blocks now, so that they can be closed once no transaction uses them. */
export async function endLeases(queryRows: QueryRows, blocks: readonly number[]): Promise<void> {
  await queryRows(
    {
      name: 'meter_end',
      text: 'update meter_blocks set leased_until = clock_timestamp() where id = any($1::bigint[]) and leased_until > clock_timestamp()',
    },
    [blocks],
  )
}

/**
 * Ends the leases of blocks of several units that processes have held for a second, because another process needs the
 * last units. Who held one leases another when a statement finds its lease over.
 */
export async function endOldLeases(queryRows: QueryRows, { organization, meter }: MeterSubject): Promise<void> {
  await queryRows(
    {
      name: 'meter_end_old',
      text: `update meter_blocks set leased_until = clock_timestamp()
        where organization = $1 and meter = $2 and job is null and size > 1 and leased_until > clock_timestamp()
          and leased_until < clock_timestamp() + interval '${leaseSeconds - 1} seconds'`,
    },
    [organization, meter],
  )
}

/** Gives a block to a job, which holds it until its end. @returns false if the lease of the block is over */
export async function giveBlockToJob(trx: Knex, block: number, job: string): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    `update meter_blocks set job = ?, leased_until = 'infinity' where id = ? and leased_until > clock_timestamp()
     returning id`,
    [job, block],
  )
  return rows.length > 0
}

/** Finds the block that a job holds, with the units that it has not used. */
export async function findJobBlock(
  trx: Knex,
  job: string,
): Promise<{ id: number; period: string; left: number } | undefined> {
  const {
    rows: [block],
  } = await trx.raw<{ rows: { id: number; period: string; left: number }[] }>(
    `select b.id, b.period::text, b.size - (select coalesce(sum(units), 0) from meter_uses where block = b.id)::bigint as left
     from meter_blocks b where b.job = ? and b.leased_until > clock_timestamp()`,
    [job],
  )
  return block
}

/** Gives back what a job holds and has not used, when it has ended. */
export async function releaseUnits(trx: Knex, job: string): Promise<void> {
  await trx.raw('update meter_blocks set leased_until = clock_timestamp() where job = ?', [job])
}

/** Ends the leases of all blocks of an organization that no job holds, so that its next ones follow another plan. */
export async function endOrganizationLeases(trx: Knex, organization: string): Promise<void> {
  await trx.raw(
    `update meter_blocks set leased_until = clock_timestamp()
     where organization = ? and job is null and leased_until > clock_timestamp()`,
    [organization],
  )
}

/** Lists the meters with blocks whose lease is over. */
export async function listEndedPeriods(db: Knex, organization?: string): Promise<MeterPeriod[]> {
  const { rows } = await db.raw<{ rows: MeterPeriod[] }>(
    `select distinct organization, meter, period::text from (
       select organization, meter, period from meter_blocks
       where leased_until <= clock_timestamp() and (?::uuid is null or organization = ?::uuid)
       order by leased_until limit ${blocksPerTransaction}) ended`,
    [organization ?? null, organization ?? null],
  )
  return rows
}

/**
 * Closes blocks of a month whose lease is over: what was used of them counts as used, the rest comes back. A block that
 * a transaction is using is left to the next time.
 * @returns the number of blocks that were closed
 */
export function closeBlocks(db: Knex, { organization, meter, period }: MeterPeriod): Promise<number> {
  return db.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: { id: number }[] }>(
      `with ended as materialized (
         select id from meter_blocks where organization = ? and meter = ? and period = ? and leased_until <= clock_timestamp()
         order by id limit ${blocksPerTransaction} for update skip locked)
       select id from ended where pg_try_advisory_xact_lock(id)`,
      [organization, meter, period],
    )
    if (rows.length === 0) return 0
    // A new statement sees the uses of all transactions that have ended.
    await trx.raw(
      `with used as (delete from meter_uses where block = any(?::bigint[]) returning units),
       closed as (delete from meter_blocks where id = any(?::bigint[]) returning size)
       update meter_periods set used = used + (select coalesce(sum(units), 0) from used),
         leased = leased - (select coalesce(sum(size), 0) from closed)
       where organization = ? and meter = ? and period = ?`,
      [rows.map(({ id }) => id), rows.map(({ id }) => id), organization, meter, period] as Knex.RawBinding[],
    )
    return rows.length
  })
}

/** Shortens leases that end too late, because the clock was set back. */
export async function resetFutureLeases(db: Knex): Promise<void> {
  await db.raw(
    `update meter_blocks set leased_until = clock_timestamp() + interval '${leaseSeconds} seconds'
     where leased_until > clock_timestamp() + interval '${leaseSeconds} seconds' and leased_until < 'infinity'`,
  )
}
