import type { Knex } from 'knex'
import type { DeployedContract, NewOperation } from './chain.ts'
import type { Network } from './networks.ts'
import { isRetired } from './retired.ts'
import { changed, rowsOf, type Whose } from './rows.ts'

/** The contract of an application on a network. */
export interface Contract {
  application: string
  name: string
  symbol: string
  issuer: string | null
  address: string | null
  transaction: string | null
  /** Whether the chain has it. */
  deployed: boolean
}

/** A symbol of 3 to 8 capitals and digits out of a collection's name. */
export function symbolOf(name: string): string {
  const letters = name.normalize('NFKD').replace(/[^A-Za-z0-9]/g, '').toUpperCase().slice(0, 8)
  return letters.length < 3 ? 'DPP' : letters
}

/** Notes that contracts are needed. The first note of an application and network counts. */
export async function wantContracts(
  db: Knex, collection: string, operations: readonly NewOperation[],
): Promise<void> {
  const wanted = new Map(operations.map((operation) => [`${operation.application} ${operation.network}`, operation]))
  for (const { application, network } of wanted.values()) {
    await changed(db, `insert into chain_contracts (application, network, name, symbol) values (?, ?, ?, ?)
      on conflict do nothing`, [application, network, collection, symbolOf(collection)])
  }
}

export type WantedContract = Pick<Contract, 'application' | 'name' | 'symbol'>

/**
 * The contracts that a sender is to deploy. New ones, and those of a retired sender, fall to one of the network's
 * senders, which stays their only relayer and sends all that concerns them. @param without applications left out
 */
export function contractsToDeploy(
  db: Knex, { network, address, place, of }: Whose & { place: number; of: number }, without: readonly string[],
): Promise<WantedContract[]> {
  return rowsOf(db, `
    with adopted as (
      update chain_contracts set sender = ? where network = ? and transaction is null
        and (sender is null or sender <> ? and ${isRetired})
        and mod(hashtext(application::text)::bigint + 2147483648, ?) = ? returning application, name, symbol, created_at
    )
    select * from (
      select * from adopted union all
      select application, name, symbol, created_at from chain_contracts
        where network = ? and sender = ? and transaction is null
    ) wanted where application <> all(?::uuid[])
    order by created_at limit 16`, [address, network, address, of, place, network, address, without])
}

const columns = `c.application, c.name, c.symbol, c.issuer, c.address, c.transaction,
  coalesce(t.status in ('included', 'final'), false) as deployed`

export async function contractOf(
  db: Knex, { network }: Whose, application: string,
): Promise<Contract | undefined> {
  const [row] = await rowsOf<Contract>(db, `select ${columns} from chain_contracts c
    left join chain_transactions t on t.id = c.transaction where c.network = ? and c.application = ?`,
  [network, application])
  return row
}

export interface Deployment {
  network: Network
  application: string
  issuer: string
  address: string
  transaction: string
}

export async function recordDeployment(trx: Knex, deployment: Deployment): Promise<void> {
  const { network, application, issuer, address, transaction } = deployment
  await changed(trx, `update chain_contracts set issuer = ?, address = ?, transaction = ?
    where network = ? and application = ?`, [issuer, address, transaction, network, application])
}

/** The contract is not there: it is to be deployed once more. */
export async function forgetDeployment(trx: Knex, transaction: string): Promise<void> {
  await changed(trx, 'update chain_contracts set transaction = null, address = null where transaction = ?',
    [transaction])
}

export function deployedContracts(db: Knex, applications: readonly string[]): Promise<DeployedContract[]> {
  return rowsOf(db, `select c.application, c.network, c.address, c.name, c.symbol from chain_contracts c
    join chain_transactions t on t.id = c.transaction and t.status in ('included', 'final')
    where c.application = any(?::uuid[]) order by c.created_at`, [applications])
}
