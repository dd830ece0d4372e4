import type { Knex } from 'knex'
import type {
  OutcomeHandlers,
  PointsOutcomeHandler,
  RecordOutcomeHandler,
  TokenOutcomeHandler,
} from '../../../core/chains/port.ts'

/** The outcome of an operation as a sender reported it and a feature would store it. */
export interface Settlement {
  operation: string
  status: 'final' | 'failed'
  reason: string | null
  contract: string | null
  hash: string | null
  sender: string | null
  owner: string | null
  at: Date | null
  times: number
}

/** The outcome of a record as a sender reported it. */
export interface RecordSettlement {
  operation: string
  status: 'final' | 'failed'
  reason: string | null
  contract: string | null
  hash: string | null
  block: number | null
  at: Date | null
  times: number
}

/** The outcomes of an entry of points in their order, with the facts of the last one. */
export interface PointsSettlement {
  operation: string
  statuses: ('final' | 'failed' | 'undone')[]
  reason: string | null
  contract: string | null
  hash: string | null
  at: Date | null
}

export async function createSettlementTables(db: Knex): Promise<void> {
  await db.raw(`create table settlements (operation text primary key, status text not null, reason text, contract text,
    hash text, sender text, owner text, at timestamptz, times int not null default 1)`)
  await db.raw(`create table record_settlements (operation text primary key, status text not null, reason text,
    contract text, hash text, block int, at timestamptz, times int not null default 1)`)
  await db.raw(`create table points_settlements (operation text primary key, statuses text[] not null, reason text,
    contract text, hash text, at timestamptz)`)
}

/** Makes the database take a tenth of a second to store outcomes of tokens, and keep when it stored each. */
export async function slowSettlements(db: Knex): Promise<void> {
  await db.raw(`
    create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(0.1); return null; end';
    create trigger slow after insert on settlements execute function slow();
    alter table settlements add column taken timestamptz not null default clock_timestamp()`)
}

/** Measures the pauses between a slow settlement and the next batch: how many there were, and their median. */
export async function measureBatchPauses(db: Knex): Promise<{ batches: number; medianSeconds: number }> {
  const { rows } = await db.raw<{ rows: [{ batches: number; medianSeconds: number }] }>(`
    select count(*)::int as batches, percentile_cont(0.5) within group (order by pause)::float8 as "medianSeconds" from (
      select extract(epoch from t.created_at - max(s.taken)) as pause
      from chain_transactions t join settlements s on s.taken < t.created_at where t.kind = 'mintBatch' group by t.id
    ) pauses`)
  return rows[0]
}

/** Makes the database number the outcomes of tokens in the order in which they are stored. */
export async function numberSettlements(db: Knex): Promise<void> {
  await db.raw('alter table settlements add column place bigint generated always as identity')
}

/** Lists the organization of each of the operations, in the order of the numbers of their outcomes. */
export async function listSettledOrganizations(db: Knex, operations: readonly string[]): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { organization: string }[] }>(
    `select o.organization::text from settlements s join chain_operations o on o.id = s.operation
     where o.id = any(?::text[]) order by s.place`,
    [[...operations]],
  )
  return rows.map(({ organization }) => organization)
}

/** Stores outcomes in the sender's transaction and counts repeated ones. */
const settleOperations: TokenOutcomeHandler = async (trx, outcomes) => {
  const getColumn = <K extends keyof (typeof outcomes)[number]>(name: K) => outcomes.map((outcome) => outcome[name])
  await trx.raw(
    `insert into settlements (operation, status, reason, contract, hash, sender, owner, at)
    select * from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::timestamptz[])
    on conflict (operation) do update set (status, reason, contract, hash, sender, owner, at, times) =
      (excluded.status, excluded.reason, excluded.contract, excluded.hash, excluded.sender, excluded.owner, excluded.at,
        settlements.times + 1)`,
    [
      getColumn('id'),
      getColumn('status'),
      getColumn('reason'),
      getColumn('contract'),
      getColumn('transactionHash'),
      getColumn('from'),
      getColumn('owner'),
      getColumn('at'),
    ] as unknown as Knex.RawBinding[],
  )
}

const settleRecords: RecordOutcomeHandler = async (trx, outcomes) => {
  const column = <K extends keyof (typeof outcomes)[number]>(name: K) => outcomes.map((outcome) => outcome[name])
  await trx.raw(
    `insert into record_settlements (operation, status, reason, contract, hash, block, at)
    select * from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::int[], ?::timestamptz[])
    on conflict (operation) do update set (status, reason, contract, hash, block, at, times) =
      (excluded.status, excluded.reason, excluded.contract, excluded.hash, excluded.block, excluded.at,
        record_settlements.times + 1)`,
    [
      column('id'),
      column('status'),
      column('reason'),
      column('contract'),
      column('transactionHash'),
      column('blockNumber'),
      column('at'),
    ] as unknown as Knex.RawBinding[],
  )
}

const settlePoints: PointsOutcomeHandler = async (trx, outcomes) => {
  const column = <K extends keyof (typeof outcomes)[number]>(name: K) => outcomes.map((outcome) => outcome[name])
  await trx.raw(
    `insert into points_settlements (operation, statuses, reason, contract, hash, at)
    select id, array[status], reason, contract, hash, at
    from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::timestamptz[])
      u (id, status, reason, contract, hash, at)
    on conflict (operation) do update set (statuses, reason, contract, hash, at) =
      (points_settlements.statuses || excluded.statuses, excluded.reason, excluded.contract, excluded.hash, excluded.at)`,
    [
      column('id'),
      column('status'),
      column('reason'),
      column('contract'),
      column('transactionHash'),
      column('at'),
    ] as unknown as Knex.RawBinding[],
  )
}

export const outcomeTakers: OutcomeHandlers = {
  tokens: settleOperations,
  records: settleRecords,
  points: settlePoints,
}
