import type { Knex } from 'knex'
import { getTokenAct } from '../../acts/acts.ts'
import { isBatchedToken, isConsented, isMint, isSingleToken } from '../../acts/conditions.ts'
import { getTokenId, type ChainOperation, type TokenOperation } from '../../acts/operation.ts'
import type { NewTokenOperation, TokenOperationKind } from '../../port.ts'
import { createContractKeySql, createReadyCondition, type ContractKey } from './contracts.ts'
import type { SenderAddress } from '../../places.ts'
import { executeStatement, getColumn, queryRows } from './rows.ts'

export interface QueuedOperation extends TokenOperation {
  /**
   * Maximum number of operations in the next transaction with this operation, after a batch with it was refused; null:
   * no such limit.
   */
  share: number | null
  /** Seconds since the operation was queued; negative if the clock was set back since then. */
  age: number
  /** Whether the operation's token is already minted. */
  minted: boolean
}

/** An operation that is sent in a transaction of its own, and the contract it goes to. */
export interface QueuedSingleOperation extends QueuedOperation {
  key: ContractKey
  /** Address of the contract that has the token, or else of the application's newest contract. */
  contract: string
  /** The contract that wallets run when they pass a token on; null as long as there is none. */
  handovers: string | null
  /** Batch in which the token was minted; null if the token was not minted in a batch. */
  batch: number | null
  position: number | null
}

const columns = 'o.id, o.organization, o.application, o.network, o.kind, o.token_id, o.recipient, o.job, o.line'
const allColumns = `${columns}, o.content`

/** Inserts operations. Operations whose id already exists are skipped. */
export async function insertOperations(db: Knex, operations: readonly NewTokenOperation[]): Promise<void> {
  const tokens = operations.map(({ tokenId }) => Buffer.from(tokenId.slice(2), 'hex'))
  await executeStatement(
    db,
    `
    insert into chain_operations
      (id, organization, application, network, kind, token_id, recipient, job, line, content)
    select * from unnest(
      ?::text[], ?::uuid[], ?::uuid[], ?::text[], ?::text[], ?::bytea[], ?::text[], ?::uuid[], ?::int[], ?::jsonb[])
    on conflict (id) do nothing`,
    [
      getColumn(operations, 'id'),
      getColumn(operations, 'organization'),
      getColumn(operations, 'application'),
      getColumn(operations, 'network'),
      getColumn(operations, 'kind'),
      tokens,
      getColumn(operations, 'to'),
      getColumn(operations, 'job'),
      getColumn(operations, 'line'),
      operations.map(({ consent }) => (consent ? JSON.stringify(consent) : null)),
    ],
  )
}

/**
 * SQL condition that an operation's turn has come. Operations of one token are sent in the order of the queue, each
 * after the operation before it has an outcome.
 */
const inTurnCondition = `not exists (
  select from chain_operations e where e.application = o.application and e.token_id = o.token_id
    and e.network = o.network and e.seq < o.seq and e.status in ('queued', 'sent'))`
const mintedCondition = `exists (
  select from chain_operations e where e.application = o.application and e.token_id = o.token_id
    and e.network = o.network and ${isMint('e.kind')} and e.status = 'final')`

/** An application with queued mints, and its organization. */
export interface MintingApplication {
  application: string
  organization: string
}

/**
 * Lists applications with queued mints for a sender's contracts. Each application is found by one step through the
 * index.
 */
export async function listMintingApplications(
  db: Knex,
  { network, address }: SenderAddress,
): Promise<MintingApplication[]> {
  const createNextSql = (
    after: string,
  ) => `select application, organization from chain_operations where network = ? and status = 'queued'
    and ${isBatchedToken('kind')} ${after} order by application limit 1`
  return queryRows<MintingApplication>(
    db,
    `
    with recursive found as (
      (${createNextSql('')})
      union all
      select next.* from found, lateral (${createNextSql('and application > found.application')}) next
    )
    select application, organization from found, lateral (
      select sender from chain_contracts c where c.application = found.application and c.network = ?
        and c.kind = 'passports' order by c.part desc limit 1
    ) newest where newest.sender = ? order by application`,
    [network, network, network, address],
  )
}

interface TokenHistoryRow {
  token_id: Buffer
  seq: number
  kind: TokenOperationKind
  status: 'queued' | 'sent' | 'final' | 'failed'
}

/**
 * Lists the oldest queued mints of an application whose turn has come. The two plain queries each walk along one index.
 * As one query with subqueries, the planner compared every row with every other, because its statistics predate a bulk
 * insert.
 */
export async function listQueuedMints(
  db: Knex,
  { network }: SenderAddress,
  application: string,
  limit: number,
): Promise<QueuedOperation[]> {
  const oldest = await queryRows<Omit<QueuedOperation, 'minted'> & { seq: number }>(
    db,
    `
    select ${columns}, o.seq::float8 as seq, o.share, extract(epoch from clock_timestamp() - o.created_at)::float8 as age
    from chain_operations o
    where o.network = ? and o.application = ? and o.status = 'queued' and ${isBatchedToken('o.kind')}
    order by o.seq limit ?`,
    [network, application, limit],
  )
  const historyRows = await queryRows<TokenHistoryRow>(
    db,
    `select e.token_id, e.seq::float8 as seq, e.kind, e.status from chain_operations e
    where e.application = ? and e.network = ? and e.token_id = any(?::bytea[])`,
    [application, network, oldest.map(({ token_id }) => token_id)],
  )
  const byToken = Map.groupBy(historyRows, getTokenId)
  return oldest.flatMap(({ seq, ...operation }) => {
    const others = byToken.get(getTokenId(operation)) ?? []
    if (others.some((one) => one.seq < seq && (one.status === 'queued' || one.status === 'sent'))) return []
    const minted = others.some(({ kind, status }) => getTokenAct(kind).isMint && status === 'final')
    return [{ ...operation, minted }]
  })
}

export interface SingleOperationsQuery {
  limit: number
  /** Contracts to leave out. */
  excludedContracts: readonly ContractKey[]
  /** Organization that was served last. */
  lastServed: string
}

/**
 * Lists the oldest operations on tokens that are sent singly and whose contracts are deployed: first one operation of
 * each organization, then the next one of each, starting after the organization that was served last. Each organization
 * is found by one step through the index.
 */
export function listQueuedSingles(
  db: Knex,
  { network, address }: SenderAddress,
  { limit, excludedContracts, lastServed }: SingleOperationsQuery,
): Promise<QueuedSingleOperation[]> {
  const createNextSql = (
    after: string,
  ) => `select organization from chain_operations where network = ? and status = 'queued'
    and ${isSingleToken('kind')} ${after} order by organization limit 1`
  return queryRows(
    db,
    `
    with recursive found as (
      (${createNextSql('')})
      union all
      select next.* from found, lateral (${createNextSql('and organization > found.organization')}) next
    )
    select single.* from found, lateral (
      select oldest.*, row_number() over (order by oldest.seq) as nth from (${oldestSinglesSql}) oldest
    ) single
    order by nth, found.organization <= ?, found.organization limit ?`,
    [network, network, address, network, excludedContracts, limit, lastServed, limit],
  )
}

/**
 * SQL for the oldest single operations of the organization `found`. A token stays in the contract in which it was
 * minted.
 */
const oldestSinglesSql = `
    select ${allColumns}, o.seq, o.share, 0 as age, ${mintedCondition} as minted, m.batch, m.position, c.key,
      c.address as contract, h.address as handovers
    from chain_operations o
    left join lateral (
      select t.contract, t.batch, e.position from chain_operations e join chain_transactions t on t.id = e.transaction
      where e.application = o.application and e.token_id = o.token_id and e.network = o.network
        and ${isMint('e.kind')} and e.status = 'final' limit 1
    ) m on true
    left join lateral (
      select w.address from chain_contracts w
      where w.network = o.network and w.kind = 'handovers' and ${createReadyCondition('w')}
    ) h on ${isConsented('o.kind')}
    join lateral (
      select ${createContractKeySql('p')} as key, p.address, p.sender from chain_contracts p
      where p.application = o.application and p.network = o.network and p.kind = 'passports'
        and ${createReadyCondition('p')}
        and (m.contract is null or p.address = m.contract)
      order by p.part desc limit 1
    ) c on c.sender = ?
    where o.network = ? and o.organization = found.organization and o.status = 'queued' and ${isSingleToken('o.kind')}
      and (h.address is not null or not ${isConsented('o.kind')}) and ${inTurnCondition} and c.key <> all(?::text[])
    order by o.seq limit ?`

export interface OperationAssignment {
  id: string
  transaction: string
  position: number
}

/** Assigns operations to transactions. @throws Error if an operation is not queued any more */
export async function assignOperations(trx: Knex, assignments: readonly OperationAssignment[]): Promise<void> {
  if (assignments.length === 0) return
  const count = await executeStatement(
    trx,
    `
    update chain_operations o set status = 'sent', transaction = u.transaction, position = u.position
    from unnest(?::text[], ?::uuid[], ?::int[]) u (id, transaction, position)
    where o.id = u.id and o.status = 'queued'`,
    [getColumn(assignments, 'id'), getColumn(assignments, 'transaction'), getColumn(assignments, 'position')],
  )
  if (count !== assignments.length) throw new Error('an operation was taken by somebody else')
}

export type FinishedOperation = ChainOperation & { transaction: string }

/** Marks the operations of transactions as final. @returns the operations, each with its transaction */
export function finishOperations(trx: Knex, transactions: readonly string[]): Promise<FinishedOperation[]> {
  return queryRows(
    trx,
    `update chain_operations o set status = 'final', reason = null
    where o.transaction = any(?::uuid[]) and o.status = 'sent' returning ${allColumns}, o.transaction`,
    [transactions],
  )
}

export async function failOperations(trx: Knex, ids: readonly string[], reason: string): Promise<void> {
  await executeStatement(
    trx,
    `update chain_operations set status = 'failed', reason = ?, transaction = null
    where id = any(?::text[])`,
    [reason, ids],
  )
}

/** Puts operations back into the queue. @param share how many of them may go together; null: no limit of their own */
export async function requeueOperations(trx: Knex, ids: readonly string[], share: number | null): Promise<void> {
  await executeStatement(
    trx,
    `update chain_operations set status = 'queued', transaction = null, position = null, share = ?
    where id = any(?::text[])`,
    [share, ids],
  )
}

/** Puts an operation back into the queue after the node refused its transaction. @returns how often that happened */
export async function requeueRefusedOperation(trx: Knex, id: string): Promise<number> {
  const [row] = await queryRows<{ refusals: number }>(
    trx,
    `update chain_operations set status = 'queued',
    transaction = null, position = null, share = 1, refusals = refusals + 1 where id = ? returning refusals`,
    [id],
  )
  return row?.refusals ?? 0
}

/** Lists the operations of a transaction by their position. */
export function listTransactionOperations(db: Knex, transaction: string): Promise<ChainOperation[]> {
  return queryRows(db, `select ${allColumns} from chain_operations o where o.transaction = ? order by o.position`, [
    transaction,
  ])
}
