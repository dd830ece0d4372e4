import type { Knex } from 'knex'
import type { SenderAddress } from '../../places.ts'
import { queryRows } from './rows.ts'

/** Reads the first block that the sender recorded. Creates the sender's row at the first start. */
export async function ensureSenderRow(
  db: Knex,
  sender: SenderAddress & { account: string },
): Promise<{ genesis: string | null }> {
  const { network, address, account } = sender
  await db.raw('insert into chain_senders (network, address, account) values (?, ?, ?) on conflict do nothing', [
    network,
    address,
    account,
  ])
  const [row] = await queryRows<{ genesis: string | null }>(
    db,
    'select genesis from chain_senders where network = ? and address = ?',
    [network, address],
  )
  if (!row) throw new Error('the row of a sender disappeared')
  return row
}

export async function updateGenesis(db: Knex, { network, address }: SenderAddress, genesis: string): Promise<void> {
  await db.raw('update chain_senders set genesis = ? where network = ? and address = ?', [genesis, network, address])
}

/** Adds to the number of final operations; a negative `count` subtracts operations that are not final any more. */
export async function addFinalCount(trx: Knex, { network, address }: SenderAddress, count: number): Promise<void> {
  if (count === 0) return
  await trx.raw('update chain_senders set final = greatest(0, final + ?) where network = ? and address = ?', [
    count,
    network,
    address,
  ])
}
