import type { Knex } from 'knex'
import { getPointsAct } from '../../acts/acts.ts'
import { isPoints, isPointsContract } from '../../acts/conditions.ts'
import type { PointsOperation } from '../../acts/operation.ts'
import type { NewPointsOperation } from '../../port.ts'
import type { Network } from '../../networks.ts'
import type { SenderAddress } from '../../places.ts'
import { createContractKeySql, createReadyCondition, createSymbol, type ContractKey } from './contracts.ts'
import { executeStatement, getColumn, queryRows } from './rows.ts'

/** Symbol of points whose name has too few letters for one. */
const defaultSymbol = 'PTS'

export interface QueuedPoints extends PointsOperation {
  /**
   * Maximum number of operations in the next transaction with this operation, after several with it were refused; null:
   * no such limit.
   */
  share: number | null
  /** Seconds since the operation was queued; negative if the clock was set back since then. */
  age: number
}

/** An application with queued points, and its contract. */
export interface PointsApplication {
  application: string
  organization: string
  key: ContractKey
  /** Address of the contract. */
  contract: string
}

/**
 * Inserts entries of points, with rows for the contracts that they need. Entries whose id already exists are skipped; the
 * first row of a contract is kept.
 */
export async function insertPoints(
  db: Knex,
  collection: string,
  operations: readonly NewPointsOperation[],
): Promise<void> {
  const contracts = operations.map(({ application, network, kind }) => ({
    application,
    network,
    kind: getPointsAct(kind).contract,
  }))
  const wanted = [...new Map(contracts.map((one) => [Object.values(one).join(' '), one])).values()]
  await executeStatement(
    db,
    `
    with wanted as (
      insert into chain_contracts (application, network, kind, name, symbol)
      select application, network, kind, ?, ? from unnest(?::uuid[], ?::text[], ?::text[]) u (application, network, kind)
      order by application, network on conflict do nothing
    )
    insert into chain_operations (id, organization, application, network, kind, recipient, content, job)
    select * from unnest(?::text[], ?::uuid[], ?::uuid[], ?::text[], ?::text[], ?::text[], ?::jsonb[], ?::uuid[])
    on conflict (id) do nothing`,
    [
      collection,
      createSymbol(collection, defaultSymbol),
      getColumn(wanted, 'application'),
      getColumn(wanted, 'network'),
      getColumn(wanted, 'kind'),
      getColumn(operations, 'id'),
      getColumn(operations, 'organization'),
      getColumn(operations, 'application'),
      getColumn(operations, 'network'),
      getColumn(operations, 'kind'),
      getColumn(operations, 'account'),
      operations.map((operation) => JSON.stringify(getPointsAct(operation.kind).toContent(operation))),
      getColumn(operations, 'job'),
    ],
  )
}

/**
 * Lists the applications with queued points whose contracts are the sender's and take operations. Each application is
 * found by one step through the index.
 * @param excludedContracts contracts to leave out
 */
export function listPointsApplications(
  db: Knex,
  { network, address }: SenderAddress,
  excludedContracts: readonly ContractKey[],
): Promise<PointsApplication[]> {
  const createNextSql = (
    after: string,
  ) => `select application, organization from chain_operations where network = ? and status = 'queued'
    and ${isPoints('kind')} ${after} order by application limit 1`
  return queryRows(
    db,
    `
    with recursive found as (
      (${createNextSql('')})
      union all
      select next.* from found, lateral (${createNextSql('and application > found.application')}) next
    )
    select found.application, found.organization, own.key, own.contract from found, lateral (
      select ${createContractKeySql('c')} as key, c.address as contract from chain_contracts c
      where c.application = found.application and c.network = ? and ${isPointsContract('c.kind')} and c.sender = ?
        and ${createReadyCondition('c')}
      limit 1
    ) own where own.key <> all(?::text[]) order by found.application`,
    [network, network, network, address, excludedContracts],
  )
}

/** Lists the oldest queued points of an application. */
export function listQueuedPoints(
  db: Knex,
  { network }: SenderAddress,
  application: string,
  limit: number,
): Promise<QueuedPoints[]> {
  return queryRows(
    db,
    `
    select o.id, o.organization, o.application, o.network, o.kind, o.recipient, o.content, o.job, o.share,
      extract(epoch from clock_timestamp() - o.created_at)::float8 as age
    from chain_operations o
    where o.network = ? and o.application = ? and o.status = 'queued' and ${isPoints('o.kind')}
    order by o.seq limit ?`,
    [network, application, limit],
  )
}

/** Finds the address of an application's contract of points. @returns null while it is not on the chain */
export async function findPointsContract(db: Knex, network: Network, application: string): Promise<string | null> {
  const [row] = await queryRows<{ address: string }>(
    db,
    `select c.address from chain_contracts c
    where c.application = ? and c.network = ? and ${isPointsContract('c.kind')} and ${createReadyCondition('c')}`,
    [application, network],
  )
  return row?.address ?? null
}
