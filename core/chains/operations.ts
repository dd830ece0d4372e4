import type { Knex } from 'knex'
import type { NewOperation, OperationKind } from './chain.ts'
import { keyOf, type ContractKey } from './contracts.ts'
import type { Network } from './networks.ts'
import type { RecordOperation } from './records.ts'
import { changed, columnOf, rowsOf, type Whose } from './rows.ts'

/** An operation on a token as a sender takes it up. */
export interface TokenOperation {
  id: string
  organization: string
  application: string
  network: Network
  kind: OperationKind
  token_id: Buffer
  recipient: string | null
  job: string
  line: number
}

/** One unit of chain work, with or without a token. */
export type Operation = TokenOperation | RecordOperation

export interface QueuedOperation extends TokenOperation {
  /** Most operations of a transaction that this one may go with, after a batch with it was refused. */
  share: number | null
  /** Seconds since it was queued; negative when the clock was put back since. */
  age: number
  /** Whether its token was minted already. */
  minted: boolean
}

/** An operation that goes by itself, and the contract it goes to. */
export interface QueuedSingle extends QueuedOperation {
  key: ContractKey
  /** Address of the contract: the one that has the token, or the newest one of the application. */
  contract: string
  /** Where its token was batch-minted; null for a token that was not. */
  batch: number | null
  position: number | null
}

const columns = 'o.id, o.organization, o.application, o.network, o.kind, o.token_id, o.recipient, o.job, o.line'
const allColumns = `${columns}, o.content`

export const tokenIdOf = ({ token_id }: Pick<TokenOperation, 'token_id'>) => `0x${token_id.toString('hex')}`

/** Writes operations; an id that is there already is left alone. */
export async function insertOperations(db: Knex, operations: readonly NewOperation[]): Promise<void> {
  const tokens = operations.map(({ tokenId }) => Buffer.from(tokenId.slice(2), 'hex'))
  await changed(db, `
    insert into chain_operations (id, organization, application, network, kind, token_id, recipient, job, line)
    select * from unnest(
      ?::text[], ?::uuid[], ?::uuid[], ?::text[], ?::text[], ?::bytea[], ?::text[], ?::uuid[], ?::int[])
    on conflict (id) do nothing`, [
    columnOf(operations, 'id'), columnOf(operations, 'organization'), columnOf(operations, 'application'),
    columnOf(operations, 'network'), columnOf(operations, 'kind'), tokens, columnOf(operations, 'to'),
    columnOf(operations, 'job'), columnOf(operations, 'line'),
  ])
}

/** Operations of one token go in the order they were queued, each after the one before has an outcome. */
const inTurn = `not exists (
  select from chain_operations e where e.application = o.application and e.token_id = o.token_id
    and e.network = o.network and e.seq < o.seq and e.status in ('queued', 'sent'))`
const minted = `exists (
  select from chain_operations e where e.application = o.application and e.token_id = o.token_id
    and e.network = o.network and e.kind <> 'transferTo' and e.status = 'final')`

/** An application that has mints waiting, and whose it is. */
export interface MintingApplication { application: string; organization: string }

/** Applications with mints for a sender's contracts, each found by one step through the index. */
export async function applicationsWithMints(db: Knex, { network, address }: Whose): Promise<MintingApplication[]> {
  const next = (after: string) => `select application, organization from chain_operations where network = ? and status = 'queued'
    and kind = 'mintToIssuer' ${after} order by application limit 1`
  return rowsOf<MintingApplication>(db, `
    with recursive found as (
      (${next('')})
      union all
      select next.* from found, lateral (${next('and application > found.application')}) next
    )
    select application, organization from found, lateral (
      select sender from chain_contracts c where c.application = found.application and c.network = ?
        and c.kind = 'passports' order by c.part desc limit 1
    ) newest where newest.sender = ? order by application`, [network, network, network, address])
}

interface Kin { token_id: Buffer; seq: number; kind: OperationKind; status: 'queued' | 'sent' | 'final' | 'failed' }

/**
 * The oldest mints of an application whose turn it is. Two plain look-ups, each a walk along one index: as one query
 * with subqueries the planner, whose statistics are of before a bulk insert, compared every row with every other.
 */
export async function queuedMints(
  db: Knex, { network }: Whose, application: string, limit: number,
): Promise<QueuedOperation[]> {
  const oldest = await rowsOf<Omit<QueuedOperation, 'minted'> & { seq: number }>(db, `
    select ${columns}, o.seq::float8 as seq, o.share, extract(epoch from clock_timestamp() - o.created_at)::float8 as age
    from chain_operations o
    where o.network = ? and o.application = ? and o.status = 'queued' and o.kind = 'mintToIssuer'
    order by o.seq limit ?`, [network, application, limit])
  const kin = await rowsOf<Kin>(db, `select e.token_id, e.seq::float8 as seq, e.kind, e.status from chain_operations e
    where e.application = ? and e.network = ? and e.token_id = any(?::bytea[])`,
  [application, network, oldest.map(({ token_id }) => token_id)])
  const byToken = Map.groupBy(kin, tokenIdOf)
  return oldest.flatMap(({ seq, ...operation }) => {
    const others = byToken.get(tokenIdOf(operation)) ?? []
    if (others.some((one) => one.seq < seq && (one.status === 'queued' || one.status === 'sent'))) return []
    const minted = others.some(({ kind, status }) => kind !== 'transferTo' && status === 'final')
    return [{ ...operation, minted }]
  })
}

export interface SinglesWanted {
  limit: number
  /** Contracts left out. */
  without: readonly ContractKey[]
  /** The organization that was served last. */
  served: string
}

/**
 * The oldest operations on tokens that go singly and whose contracts are there: one of each organization, then the next
 * one of each, beginning behind the one that was served last. Each organization is found by one step through the index.
 */
export function queuedSingles(
  db: Knex, { network, address }: Whose, { limit, without, served }: SinglesWanted,
): Promise<QueuedSingle[]> {
  const next = (after: string) => `select organization from chain_operations where network = ? and status = 'queued'
    and kind <> 'mintToIssuer' ${after} order by organization limit 1`
  return rowsOf(db, `
    with recursive found as (
      (${next('')})
      union all
      select next.* from found, lateral (${next('and organization > found.organization')}) next
    )
    select single.* from found, lateral (
      select oldest.*, row_number() over (order by oldest.seq) as nth from (${oldestSingles}) oldest
    ) single
    order by nth, found.organization <= ?, found.organization limit ?`,
  [network, network, address, network, without, limit, served, limit])
}

/** Of the organization that was found. A token stays in the contract that it was minted in. */
const oldestSingles = `
    select ${columns}, o.seq, o.share, 0 as age, ${minted} as minted, m.batch, m.position, c.key, c.address as contract
    from chain_operations o
    left join lateral (
      select t.contract, t.batch, e.position from chain_operations e join chain_transactions t on t.id = e.transaction
      where e.application = o.application and e.token_id = o.token_id and e.network = o.network
        and e.kind = 'mintToIssuer' and e.status = 'final' limit 1
    ) m on true
    join lateral (
      select ${keyOf('p')} as key, p.address, p.sender from chain_contracts p
      join chain_transactions d on d.id = p.transaction and d.status in ('included', 'final')
      where p.application = o.application and p.network = o.network and p.kind = 'passports'
        and (m.contract is null or p.address = m.contract)
      order by p.part desc limit 1
    ) c on c.sender = ?
    where o.network = ? and o.organization = found.organization and o.status = 'queued' and o.kind <> 'mintToIssuer'
      and ${inTurn} and c.key <> all(?::text[])
    order by o.seq limit ?`

export interface Assignment { id: string; transaction: string; position: number }

/** Gives operations to transactions. @throws Error when one is not queued any more */
export async function assign(trx: Knex, assignments: readonly Assignment[]): Promise<void> {
  if (assignments.length === 0) return
  const count = await changed(trx, `
    update chain_operations o set status = 'sent', transaction = u.transaction, position = u.position
    from unnest(?::text[], ?::uuid[], ?::int[]) u (id, transaction, position)
    where o.id = u.id and o.status = 'queued'`,
  [columnOf(assignments, 'id'), columnOf(assignments, 'transaction'), columnOf(assignments, 'position')])
  if (count !== assignments.length) throw new Error('an operation was taken by somebody else')
}

export type Finished = Operation & { transaction: string }

/** Ends the operations of transactions well. @returns them, with the transaction of each */
export function finish(trx: Knex, transactions: readonly string[]): Promise<Finished[]> {
  return rowsOf(trx, `update chain_operations o set status = 'final', reason = null
    where o.transaction = any(?::uuid[]) and o.status = 'sent' returning ${allColumns}, o.transaction`, [transactions])
}

export async function fail(trx: Knex, ids: readonly string[], reason: string): Promise<void> {
  await changed(trx, `update chain_operations set status = 'failed', reason = ?, transaction = null
    where id = any(?::text[])`, [reason, ids])
}

/** Puts operations back into the queue, to go at most `share` together; null: no limit of their own. */
export async function requeue(trx: Knex, ids: readonly string[], share: number | null): Promise<void> {
  await changed(trx, `update chain_operations set status = 'queued', transaction = null, position = null, share = ?
    where id = any(?::text[])`, [share, ids])
}

/** The same, of an operation whose transaction the node did not take. @returns how often that happened */
export async function requeueRefused(trx: Knex, id: string): Promise<number> {
  const [row] = await rowsOf<{ refusals: number }>(trx, `update chain_operations set status = 'queued',
    transaction = null, position = null, share = 1, refusals = refusals + 1 where id = ? returning refusals`, [id])
  return row?.refusals ?? 0
}

/** The operations of a transaction, in their order. */
export function operationsOf(db: Knex, transaction: string): Promise<Operation[]> {
  return rowsOf(db, `select ${allColumns} from chain_operations o where o.transaction = ? order by o.position`,
    [transaction])
}
