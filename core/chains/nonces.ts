import type { Knex } from 'knex'
import { changed, rowsOf, type Whose } from './rows.ts'

/** What is kept of a sender. `next`: the nonce that its next transaction takes. */
export interface SenderRow { next: number; genesis: string | null }

/** The sender's row, made at its first start. */
export async function senderRow(db: Knex, whose: Whose & { account: string }): Promise<SenderRow> {
  const { network, address, account } = whose
  await db.raw('insert into chain_senders (network, address, account) values (?, ?, ?) on conflict do nothing',
    [network, address, account])
  const [row] = await rowsOf<{ next: number | string; genesis: string | null }>(db,
    'select next_nonce as next, genesis from chain_senders where network = ? and address = ?', [network, address])
  if (!row) throw new Error('the row of a sender disappeared')
  return { next: Number(row.next), genesis: row.genesis }
}

/** Moves the nonce on by `count`. @throws Error when somebody else moved it: there must be one sender only */
export async function takeNonces(trx: Knex, { network, address }: Whose, nonce: number, count: number): Promise<void> {
  const rows = await changed(trx,
    'update chain_senders set next_nonce = ? where network = ? and address = ? and next_nonce = ?',
    [nonce + count, network, address, nonce])
  if (rows !== 1) throw new Error('the nonce of a sender was taken by somebody else')
}

export async function setNonce(db: Knex, { network, address }: Whose, next: number): Promise<void> {
  await db.raw('update chain_senders set next_nonce = ? where network = ? and address = ?', [next, network, address])
}

export async function setGenesis(db: Knex, { network, address }: Whose, genesis: string): Promise<void> {
  await db.raw('update chain_senders set genesis = ? where network = ? and address = ?', [genesis, network, address])
}

/** Counts operations that became final (or, negative, are not any more). */
export async function countFinal(trx: Knex, { network, address }: Whose, count: number): Promise<void> {
  if (count === 0) return
  await trx.raw('update chain_senders set final = greatest(0, final + ?) where network = ? and address = ?',
    [count, network, address])
}
