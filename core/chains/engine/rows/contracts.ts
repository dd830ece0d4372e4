import type { Knex } from 'knex'
import { getRecordAct, getTokenAct } from '../../acts/acts.ts'
import type { DeployedContract, NewTokenOperation, NewChainRecord } from '../../port.ts'
import type { SharedContract } from '../../family.ts'
import { retiredSenderCondition } from './retired-senders.ts'
import type { SenderAddress } from '../../places.ts'
import { executeStatement, queryRows } from './rows.ts'

/**
 * The key of a contract of a network. Of passports: the application, followed by the part unless it is the application's
 * first contract; of points: the application and the kind; for a contract that all applications share, its kind.
 */
export type ContractKey = string

/** A contract of an application's passports that is on the chain. */
export interface PassportsContract {
  key: ContractKey
  application: string
  address: string
  issuer: string
  /** Whether the contract takes the application's batches, because no further contract was requested after it. */
  newest: boolean
}

/** Creates the SQL of a row's key. @param row name or alias of the table */
export const createContractKeySql = (row: string) => `case when ${row}.application is null then ${row}.kind
  when ${row}.kind <> 'passports' then concat(${row}.application, ' ', ${row}.kind)
  when ${row}.part = 0 then ${row}.application::text else concat(${row}.application, ' ', ${row}.part) end`

/**
 * Creates the SQL condition that a contract takes operations: it is on the chain, or is there without a transaction.
 * @param row name or alias of the table
 */
export const createReadyCondition = (row: string) => `${row}.address is not null and (${row}.transaction is null
  or exists (select from chain_transactions d where d.id = ${row}.transaction and d.status in ('included', 'final')))`

const contractKeyColumn = `${createContractKeySql('chain_contracts')} as key`
const wantedContractColumns = `id, ${contractKeyColumn}, kind, application, name, symbol, created_at`

/** Creates a symbol of 3 to 8 capital letters and digits from a collection's name; the other one if it has too few. */
export function createSymbol(name: string, otherwise = 'DPP'): string {
  const letters = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]/g, '')
    .toUpperCase()
    .slice(0, 8)
  return letters.length < 3 ? otherwise : letters
}

/** Inserts rows for the contracts that operations need. The first row of an application and network is kept. */
export async function insertWantedContracts(
  db: Knex,
  collection: string,
  operations: readonly NewTokenOperation[],
): Promise<void> {
  const wanted = new Map(operations.map((operation) => [`${operation.application} ${operation.network}`, operation]))
  for (const { application, network } of wanted.values()) {
    await executeStatement(
      db,
      `insert into chain_contracts (application, network, name, symbol) values (?, ?, ?, ?)
      on conflict do nothing`,
      [application, network, collection, createSymbol(collection)],
    )
  }
}

/** Inserts rows for the shared contracts that records need. */
export async function insertWantedSharedContracts(db: Knex, records: readonly NewChainRecord[]): Promise<void> {
  const contracts = records.map(({ network, kind }) => ({ network, kind: getRecordAct(kind).contract }))
  const wanted = new Map(contracts.map((contract) => [`${contract.network} ${contract.kind}`, contract]))
  for (const { network, kind } of wanted.values()) {
    await executeStatement(db, 'insert into chain_contracts (network, kind) values (?, ?) on conflict do nothing', [
      network,
      kind,
    ])
  }
}

/** Inserts a row for the contract that wallets run when they pass tokens on, if an operation needs it. */
export async function insertWantedHandovers(db: Knex, operations: readonly NewTokenOperation[]): Promise<void> {
  const wanted = operations.filter(({ kind }) => getTokenAct(kind).needsConsent)
  for (const network of new Set(wanted.map((operation) => operation.network))) {
    const sql = `insert into chain_contracts (network, kind) values (?, 'handovers') on conflict do nothing`
    await executeStatement(db, sql, [network])
  }
}

/** Checks whether a sender has deployed any shared contract. Only then can it have records to send. */
export async function hasSharedContracts(db: Knex, { network, address }: SenderAddress): Promise<boolean> {
  const rows = await queryRows(
    db,
    `select from chain_contracts
    where network = ? and sender = ? and application is null and address is not null limit 1`,
    [network, address],
  )
  return rows.length > 0
}

/** A contract to deploy, with the id of its row. */
export type WantedContract = { id: string; key: ContractKey } & (
  | { kind: 'passports' | 'points'; application: string; name: string; symbol: string }
  | { kind: SharedContract; application: null }
)

/**
 * Lists the contracts that a sender has to deploy. New contracts, and those that a retired sender has not deployed, are
 * assigned to one of the network's senders. That sender stays their only relayer and sends everything that concerns
 * them. Shared contracts are assigned to the first sender, so that keys and roots keep their order.
 * @param excludedContracts contracts to leave out
 */
export function listContractsToDeploy(
  db: Knex,
  { network, address, senderIndex, senderCount }: SenderAddress & { senderIndex: number; senderCount: number },
  excludedContracts: readonly ContractKey[],
): Promise<WantedContract[]> {
  return queryRows(
    db,
    `
    with adopted as (
      update chain_contracts set sender = ? where network = ? and transaction is null and address is null
        and (sender is null or sender <> ? and ${retiredSenderCondition})
        and coalesce(mod(hashtext(application::text)::bigint + 2147483648, ?), 0) = ? returning ${wantedContractColumns}
    )
    select * from (
      select * from adopted union all
      select ${wantedContractColumns} from chain_contracts
      where network = ? and sender = ? and transaction is null and address is null
    ) wanted where key <> all(?::text[])
    order by created_at limit 16`,
    [address, network, address, senderCount, senderIndex, network, address, excludedContracts],
  )
}

/** Finds the newest contract of an application's passports that is on the chain. */
export async function findNewestPassportsContract(
  db: Knex,
  { network }: SenderAddress,
  application: string,
): Promise<PassportsContract | undefined> {
  const [row] = await queryRows<PassportsContract>(
    db,
    `
    select ${createContractKeySql('c')} as key, c.application, c.address, c.issuer, not exists (
      select from chain_contracts later where later.application = c.application and later.network = c.network
        and later.kind = c.kind and later.part > c.part) as newest
    from chain_contracts c
    where c.network = ? and c.application = ? and c.kind = 'passports' and ${createReadyCondition('c')}
    order by c.part desc limit 1`,
    [network, application],
  )
  return row
}

/** Inserts a row for a further contract after the one at the address, with the same sender. */
export async function insertFurtherContract(db: Knex, { network }: SenderAddress, address: string): Promise<void> {
  await executeStatement(
    db,
    `
    insert into chain_contracts (application, network, kind, name, symbol, sender, part)
    select application, network, kind, name, symbol, sender, part + 1 from chain_contracts
    where network = ? and address = ? and kind = 'passports' on conflict do nothing`,
    [network, address],
  )
}

/** Finds the key of the contract at an address. @returns undefined if none of our contracts is there */
export async function findContractKey(
  db: Knex,
  { network }: SenderAddress,
  address: string | null,
): Promise<ContractKey | undefined> {
  const [row] = await queryRows<{ key: ContractKey }>(
    db,
    `select ${contractKeyColumn} from chain_contracts
    where network = ? and address = ?`,
    [network, address],
  )
  return row?.key
}

export interface Deployment {
  /** Id of the contract's row. */
  id: string
  issuer: string | null
  address: string
  /** Null for a contract that is there without a transaction. */
  transaction: string | null
}

export async function recordDeployment(trx: Knex, deployment: Deployment): Promise<void> {
  const { id, issuer, address, transaction } = deployment
  await executeStatement(trx, 'update chain_contracts set issuer = ?, address = ?, transaction = ? where id = ?', [
    issuer,
    address,
    transaction,
    id,
  ])
}

/**
 * Marks a contract as not deployed, so that it is deployed again.
 * @returns its key; undefined if it was marked already
 */
export async function forgetDeployment(trx: Knex, transaction: string): Promise<ContractKey | undefined> {
  const [row] = await queryRows<{ key: ContractKey }>(
    trx,
    `update chain_contracts set transaction = null, address = null
    where transaction = ? returning ${contractKeyColumn}`,
    [transaction],
  )
  return row?.key
}

export function listApplicationContracts(db: Knex, applications: readonly string[]): Promise<DeployedContract[]> {
  return queryRows(
    db,
    `select c.kind, c.application, c.network, c.address, c.issuer, c.name, c.symbol from chain_contracts c
    where c.application = any(?::uuid[]) and ${createReadyCondition('c')} order by c.created_at`,
    [applications],
  )
}
