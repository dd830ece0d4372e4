import type { Knex } from 'knex'
import type { DeployedContract, NewOperation, NewRecord, RecordKind } from './chain.ts'
import type { SharedContract } from './family.ts'
import { isRetired } from './retired.ts'
import { changed, rowsOf, type Whose } from './rows.ts'

/**
 * Names a contract of a network: its application, with its part behind the first one, or its kind where all
 * applications share it.
 */
export type ContractKey = string

export const sharedContractOf = (kind: RecordKind): SharedContract => (kind === 'anchor' ? 'anchors' : 'keys')

/** A contract of an application's passports that the chain has. */
export interface PassportsContract {
  key: ContractKey
  application: string
  address: string
  issuer: string
  /** Whether it takes the application's batches: no further contract was wanted behind it. */
  newest: boolean
}

/** The key of a row, as SQL. @param row name or alias of the table */
export const keyOf = (row: string) => `case when ${row}.application is null then ${row}.kind
  when ${row}.part = 0 then ${row}.application::text else concat(${row}.application, ' ', ${row}.part) end`

const key = `${keyOf('chain_contracts')} as key`
const wanted = `id, ${key}, kind, application, name, symbol, created_at`

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

/** Notes that contracts are needed that a network has one of. */
export async function wantSharedContracts(db: Knex, records: readonly NewRecord[]): Promise<void> {
  const contracts = records.map(({ network, kind }) => ({ network, kind: sharedContractOf(kind) }))
  const wanted = new Map(contracts.map((contract) => [`${contract.network} ${contract.kind}`, contract]))
  for (const { network, kind } of wanted.values()) {
    await changed(db, 'insert into chain_contracts (network, kind) values (?, ?) on conflict do nothing', [network, kind])
  }
}

/** Whether a sender has deployed any of them: only then it has records to look for. */
export async function hasSharedContracts(db: Knex, { network, address }: Whose): Promise<boolean> {
  const rows = await rowsOf(db, `select from chain_contracts
    where network = ? and sender = ? and application is null and transaction is not null limit 1`, [network, address])
  return rows.length > 0
}

/** A contract to deploy, with its row. */
export type WantedContract = { id: string; key: ContractKey } & (
  | { kind: 'passports'; application: string; name: string; symbol: string }
  | { kind: SharedContract; application: null }
)

/**
 * The contracts that a sender is to deploy. New ones, and those of a retired sender, fall to one of the network's
 * senders, which stays their only relayer and sends all that concerns them; those that all applications share fall to
 * the first one, so that keys and roots keep their order. @param without contracts left out
 */
export function contractsToDeploy(
  db: Knex, { network, address, place, of }: Whose & { place: number; of: number }, without: readonly ContractKey[],
): Promise<WantedContract[]> {
  return rowsOf(db, `
    with adopted as (
      update chain_contracts set sender = ? where network = ? and transaction is null
        and (sender is null or sender <> ? and ${isRetired})
        and coalesce(mod(hashtext(application::text)::bigint + 2147483648, ?), 0) = ? returning ${wanted}
    )
    select * from (
      select * from adopted union all
      select ${wanted} from chain_contracts where network = ? and sender = ? and transaction is null
    ) wanted where key <> all(?::text[])
    order by created_at limit 16`, [address, network, address, of, place, network, address, without])
}

/** The newest contract of an application's passports that the chain has. */
export async function passportsContractOf(
  db: Knex, { network }: Whose, application: string,
): Promise<PassportsContract | undefined> {
  const [row] = await rowsOf<PassportsContract>(db, `
    select ${keyOf('c')} as key, c.application, c.address, c.issuer, not exists (
      select from chain_contracts later where later.application = c.application and later.network = c.network
        and later.kind = c.kind and later.part > c.part) as newest
    from chain_contracts c join chain_transactions t on t.id = c.transaction and t.status in ('included', 'final')
    where c.network = ? and c.application = ? and c.kind = 'passports' order by c.part desc limit 1`,
  [network, application])
  return row
}

/** Notes that an application needs a further contract behind this one, of the same sender. */
export async function wantFurtherContract(db: Knex, { network }: Whose, address: string): Promise<void> {
  await changed(db, `
    insert into chain_contracts (application, network, kind, name, symbol, sender, part)
    select application, network, kind, name, symbol, sender, part + 1 from chain_contracts
    where network = ? and address = ? and kind = 'passports' on conflict do nothing`, [network, address])
}

/** The key of the contract at an address; undefined: none of ours. */
export async function contractKeyAt(
  db: Knex, { network }: Whose, address: string | null,
): Promise<ContractKey | undefined> {
  const [row] = await rowsOf<{ key: ContractKey }>(db, `select ${key} from chain_contracts
    where network = ? and address = ?`, [network, address])
  return row?.key
}

export interface Deployment {
  /** Of the contract's row. */
  id: string
  issuer: string | null
  address: string
  transaction: string
}

export async function recordDeployment(trx: Knex, deployment: Deployment): Promise<void> {
  const { id, issuer, address, transaction } = deployment
  await changed(trx, 'update chain_contracts set issuer = ?, address = ?, transaction = ? where id = ?',
    [issuer, address, transaction, id])
}

/** The contract is not there: it is to be deployed once more. @returns which one; undefined: it was already */
export async function forgetDeployment(trx: Knex, transaction: string): Promise<ContractKey | undefined> {
  const [row] = await rowsOf<{ key: ContractKey }>(trx, `update chain_contracts set transaction = null, address = null
    where transaction = ? returning ${key}`, [transaction])
  return row?.key
}

export function deployedContracts(db: Knex, applications: readonly string[]): Promise<DeployedContract[]> {
  return rowsOf(db, `select c.application, c.network, c.address, c.name, c.symbol from chain_contracts c
    join chain_transactions t on t.id = c.transaction and t.status in ('included', 'final')
    where c.application = any(?::uuid[]) and c.kind = 'passports' order by c.created_at`, [applications])
}
