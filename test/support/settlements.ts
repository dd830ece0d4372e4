import type { Knex } from 'knex'
import type { OutcomeTakers, Settle, SettleRecords } from '../../core/chains/chain.ts'

/** What a sender handed over, as a feature would write it down. */
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

/** The same of a record. */
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

export async function makeSettlements(db: Knex): Promise<void> {
  await db.raw(`create table settlements (operation text primary key, status text not null, reason text, contract text,
    hash text, sender text, owner text, at timestamptz, times int not null default 1)`)
  await db.raw(`create table record_settlements (operation text primary key, status text not null, reason text,
    contract text, hash text, block int, at timestamptz, times int not null default 1)`)
}

/** Writes outcomes down in the sender's transaction; a repeated one counts. */
const settle: Settle = async (trx, outcomes) => {
  const column = <K extends keyof (typeof outcomes)[number]>(name: K) => outcomes.map((outcome) => outcome[name])
  await trx.raw(`insert into settlements (operation, status, reason, contract, hash, sender, owner, at)
    select * from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::timestamptz[])
    on conflict (operation) do update set (status, reason, contract, hash, sender, owner, at, times) =
      (excluded.status, excluded.reason, excluded.contract, excluded.hash, excluded.sender, excluded.owner, excluded.at,
        settlements.times + 1)`,
  [column('id'), column('status'), column('reason'), column('contract'), column('transactionHash'), column('from'),
    column('owner'), column('at')] as unknown as Knex.RawBinding[])
}

const settleRecords: SettleRecords = async (trx, outcomes) => {
  const column = <K extends keyof (typeof outcomes)[number]>(name: K) => outcomes.map((outcome) => outcome[name])
  await trx.raw(`insert into record_settlements (operation, status, reason, contract, hash, block, at)
    select * from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::int[], ?::timestamptz[])
    on conflict (operation) do update set (status, reason, contract, hash, block, at, times) =
      (excluded.status, excluded.reason, excluded.contract, excluded.hash, excluded.block, excluded.at,
        record_settlements.times + 1)`,
  [column('id'), column('status'), column('reason'), column('contract'), column('transactionHash'),
    column('blockNumber'), column('at')] as unknown as Knex.RawBinding[])
}

export const takers: OutcomeTakers = { passports: settle, records: settleRecords }
