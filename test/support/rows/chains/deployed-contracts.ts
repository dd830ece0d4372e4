import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import type { Network } from '../../../../core/chains/networks.ts'

/** A contract of an application that stands on a network: of its passports, unless it says otherwise. */
export interface DeployedContract {
  kind?: 'passports' | 'points'
  application: string
  network: Network
  name: string
  symbol: string
  address: string
}

/**
 * Inserts a contract as the sender leaves it that has deployed it.
 * @returns a function that takes it away again with its transaction, so that no sender uses it
 */
export async function insertDeployedContract(db: Knex, contract: DeployedContract): Promise<() => Promise<void>> {
  const transaction = randomUUID()
  const { application, network, kind = 'passports' } = contract
  await db('chain_transactions').insert({
    id: transaction,
    network,
    sender: transaction,
    nonce: 0,
    kind: 'deploy',
    status: 'final',
  })
  await db('chain_contracts').insert({ ...contract, transaction })
  return async () => {
    await db('chain_contracts').where({ application, network, kind }).delete()
    await db('chain_transactions').where({ id: transaction }).delete()
  }
}
