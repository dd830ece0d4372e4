import type { Knex } from 'knex'
import type { SharedContract } from '../../../../core/chains/family.ts'
import type { Network } from '../../../../core/chains/networks.ts'

/** A contract that one sender deploys and calls: of an application's passports, or shared by all applications. */
export type WantedContract = { network: Network; sender: string } & (
  { kind: 'passports'; application: string; name: string; symbol: string; part: number } | { kind: SharedContract }
)

/** Inserts a contract that is to be deployed, as a sender writes it when one is needed. */
export async function insertWantedContract(db: Knex, contract: WantedContract): Promise<void> {
  await db('chain_contracts').insert(contract)
}

/** Reads which sender the contracts of each application belong to. */
export async function readContractSenders(db: Knex, applications: readonly string[]): Promise<Map<string, string>> {
  const rows = await db('chain_contracts')
    .whereIn('application', applications)
    .select<{ application: string; sender: string }[]>('application', 'sender')
  return new Map(rows.map(({ application, sender }) => [application, sender]))
}

/** Gives an application's contract to a sender, which then has to deploy it. */
export async function assignContract(
  db: Knex,
  { application, sender }: { application: string; sender: string },
): Promise<void> {
  await db('chain_contracts').where({ application }).update({ sender })
}

/** Deletes the further contracts of an application; the first one stays. */
export async function deleteFurtherContracts(db: Knex, application: string): Promise<void> {
  await db('chain_contracts').where({ application }).where('part', '>', 0).delete()
}

/** A contract that all applications of a network share. */
export interface SharedContractRow {
  kind: SharedContract
  network: Network
  sender: string | null
}

/** Lists the contracts that all applications share, by kind. */
export async function listSharedContracts(db: Knex): Promise<SharedContractRow[]> {
  return db('chain_contracts')
    .whereNull('application')
    .orderBy('kind')
    .select<SharedContractRow[]>('kind', 'network', 'sender')
}

/** Deletes the contracts that all applications share, so that the next record gets new ones. */
export async function deleteSharedContracts(db: Knex): Promise<void> {
  await db('chain_contracts').whereNull('application').delete()
}

/** Reads the address of a contract that all applications share; undefined as long as there is none. */
export async function findSharedContract(db: Knex, kind: SharedContract): Promise<string | undefined> {
  const row = await db('chain_contracts').where({ kind }).first<{ address: string | null } | undefined>('address')
  return row?.address ?? undefined
}
