import type { Knex } from 'knex'
import type { NewRecord, RecordKind } from './chain.ts'
import type { ContractKey } from './contracts.ts'
import type { RecordUnit } from './family.ts'
import type { Network } from './networks.ts'
import { changed, columnOf, rowsOf, type Whose } from './rows.ts'

/** What stands on the chain of each kind of record. */
type RecordContent =
  | { kind: 'anchor'; content: { root: string } }
  | { kind: 'registerKey'; content: { key: string } }
  | { kind: 'rotateKey'; content: { key: string; previous: string } }
  | { kind: 'revokeKey'; content: { key: string; compromisedAt: string | null } }

/** A record as a sender takes it up: an operation without a token. */
export type RecordOperation = RecordContent & {
  id: string
  organization: string
  network: Network
  job: string
}

export type QueuedRecord = RecordOperation & {
  /** Where its contract is. */
  contract: string
  /** Most records of a transaction that this one may go with, after several with it were refused. */
  share: number | null
  /** Seconds since it was queued. */
  age: number
}

const recordKinds: readonly string[] = ['anchor', 'registerKey', 'rotateKey', 'revokeKey'] satisfies RecordKind[]

const isRecordKind = (kind: string): kind is RecordKind => recordKinds.includes(kind)

export function isRecord<T extends { kind: string }>(one: T): one is Extract<T, { kind: RecordKind }> {
  return isRecordKind(one.kind)
}

/** Writes records; an id that is there already is left alone. */
export async function insertRecords(db: Knex, records: readonly NewRecord[]): Promise<void> {
  await changed(db, `
    insert into chain_operations (id, organization, network, kind, content, job)
    select * from unnest(?::text[], ?::uuid[], ?::text[], ?::text[], ?::jsonb[], ?::uuid[])
    on conflict (id) do nothing`, [
    columnOf(records, 'id'), columnOf(records, 'organization'), columnOf(records, 'network'), columnOf(records, 'kind'),
    records.map((record) => JSON.stringify(contentOf(record))), columnOf(records, 'job'),
  ])
}

function contentOf(record: NewRecord): RecordContent['content'] {
  switch (record.kind) {
    case 'anchor': return { root: record.root }
    case 'registerKey': return { key: record.key }
    case 'rotateKey': return { key: record.key, previous: record.previous }
    case 'revokeKey': return { key: record.key, compromisedAt: record.compromisedAt?.toISOString() ?? null }
  }
}

/**
 * The oldest records whose contracts are there and whose turn it is. What an organization does with its keys goes one
 * after another, and stands on the chain in one order with its roots: a root that was signed for with a key comes
 * neither before the key's registration nor after its rotation. One pass over all that wait, in the order of an index:
 * after an outage many do. @param without contracts left out
 */
export function queuedRecords(
  db: Knex, { network, address }: Whose, limit: number, without: readonly ContractKey[],
): Promise<QueuedRecord[]> {
  return rowsOf(db, `
    select o.id, o.organization, o.network, o.kind, o.content, o.job, o.share, c.address as contract,
      extract(epoch from clock_timestamp() - o.created_at)::float8 as age
    from (
      select *, min(seq) filter (where kind <> 'anchor') over own as key,
        min(seq) filter (where kind <> 'anchor' and status = 'queued') over own as queued_key,
        min(seq) filter (where kind = 'anchor' and status = 'queued') over own as queued_root
      from chain_operations where network = ? and kind in ${kinds} and status in ('queued', 'sent')
      window own as (partition by organization)
    ) o
    join chain_contracts c on c.network = o.network and c.application is null and c.sender = ?
      and c.kind = case when o.kind = 'anchor' then 'anchors' else 'keys' end
    join chain_transactions d on d.id = c.transaction and d.status in ('included', 'final')
    where o.status = 'queued' and c.kind <> all(?::text[]) and case when o.kind = 'anchor'
      then o.queued_key is null or o.queued_key > o.seq
      else o.key = o.seq and (o.queued_root is null or o.queued_root > o.seq) end
    order by o.seq limit ?`, [network, address, without, limit])
}

const kinds = `('anchor', 'registerKey', 'rotateKey', 'revokeKey')`

/** What a record does by itself. Roots go together. */
export function recordUnit(record: Exclude<QueuedRecord, { kind: 'anchor' }>): RecordUnit {
  const { contract, organization } = record
  switch (record.kind) {
    case 'registerKey': return { kind: record.kind, contract, organization, key: record.content.key }
    case 'rotateKey': return { kind: record.kind, contract, organization, ...record.content }
    case 'revokeKey': {
      const { key, compromisedAt } = record.content
      const since = compromisedAt === null ? null : new Date(compromisedAt)
      return { kind: record.kind, contract, organization, key, compromisedAt: since }
    }
  }
}
