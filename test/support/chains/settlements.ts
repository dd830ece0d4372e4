import type { Knex } from 'knex'
import type { OutcomeHandlers, TokenOutcomeHandler, RecordOutcomeHandler } from '../../../core/chains/port.ts'

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

export async function createSettlementTables(db: Knex): Promise<void> {
  await db.raw(`create table settlements (operation text primary key, status text not null, reason text, contract text,
    hash text, sender text, owner text, at timestamptz, times int not null default 1)`)
  await db.raw(`create table record_settlements (operation text primary key, status text not null, reason text,
    contract text, hash text, block int, at timestamptz, times int not null default 1)`)
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

export const outcomeTakers: OutcomeHandlers = { tokens: settleOperations, records: settleRecords }
