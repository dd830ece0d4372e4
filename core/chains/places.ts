import type { Knex } from 'knex'
import type { Network } from './networks.ts'

/** One sending address on one network. */
export interface SenderAddress {
  network: Network
  address: string
}

/**
 * The column of `chain_transactions` with a transaction's place in the order of its sender. Its name is older than the
 * second family.
 */
export const placeColumn = 'nonce'

/**
 * Advances the stored next place of a sender.
 * @throws Error if another process advanced it, because only one sender of an address may run
 */
export async function advanceNextPlace(
  trx: Knex,
  { network, address }: SenderAddress,
  from: number,
  to: number,
): Promise<void> {
  const { rowCount } = await trx.raw<{ rowCount: number | null }>(
    'update chain_senders set next_nonce = ? where network = ? and address = ? and next_nonce = ?',
    [to, network, address, from],
  )
  if (rowCount !== 1) throw new Error('the place of a transaction was taken by somebody else')
}

/** Reads the stored next place of a sender that has a row. */
export async function readNextPlace(db: Knex, { network, address }: SenderAddress): Promise<number> {
  const { rows } = await db.raw<{ rows: { next: number }[] }>(
    'select next_nonce::float8 as next from chain_senders where network = ? and address = ?',
    [network, address],
  )
  if (!rows[0]) throw new Error('the row of a sender disappeared')
  return rows[0].next
}

/** Lists up to 100 places from `from` (inclusive) to `to` (exclusive) that no transaction has. */
export async function listFreePlaces(
  db: Knex,
  { network, address }: SenderAddress,
  from: number,
  to: number,
): Promise<number[]> {
  const { rows } = await db.raw<{ rows: { place: number }[] }>(
    `
    select n::float8 as place from generate_series(?::bigint, ?::bigint) n where not exists (
      select from chain_transactions t where t.network = ? and t.sender = ? and t.nonce = n and t.status <> 'lost')
    order by n limit 100`,
    [from, to - 1, network, address],
  )
  return rows.map(({ place }) => place)
}
