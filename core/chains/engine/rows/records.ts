import type { Knex } from 'knex'
import { getRecordAct } from '../../acts/acts.ts'
import { createRecordContractSql, isExclusiveRecord, isRecord, isRootsContract } from '../../acts/conditions.ts'
import type { RecordOperation } from '../../acts/operation.ts'
import type { NewChainRecord } from '../../port.ts'
import { createReadyCondition, type ContractKey } from './contracts.ts'
import type { SenderAddress } from '../../places.ts'
import { executeStatement, getColumn, queryRows } from './rows.ts'

export type QueuedRecord = RecordOperation & {
  /** Address of the record's contract. */
  contract: string
  /**
   * Maximum number of records in the next transaction with this record, after several with it were refused; null: no
   * such limit.
   */
  share: number | null
  /** Seconds since the record was queued. */
  age: number
}

/** Inserts records. Records whose id already exists are skipped. */
export async function insertRecords(db: Knex, records: readonly NewChainRecord[]): Promise<void> {
  await executeStatement(
    db,
    `
    insert into chain_operations (id, organization, network, kind, content, job)
    select * from unnest(?::text[], ?::uuid[], ?::text[], ?::text[], ?::jsonb[], ?::uuid[])
    on conflict (id) do nothing`,
    [
      getColumn(records, 'id'),
      getColumn(records, 'organization'),
      getColumn(records, 'network'),
      getColumn(records, 'kind'),
      records.map((record) => JSON.stringify(getRecordAct(record.kind).toContent(record))),
      getColumn(records, 'job'),
    ],
  )
}

/**
 * Lists the oldest records whose contracts are deployed and whose turn has come. The exclusive records of an
 * organization (its keys) are sent one after another. They also keep their order relative to its other records: a root
 * that was signed with a key comes neither before the key's registration nor after its rotation. The query makes one pass over all waiting
 * records in the order of an index, because many records wait after an outage.
 * @param excludedContracts contracts to leave out
 */
export function listQueuedRecords(
  db: Knex,
  { network, address }: SenderAddress,
  limit: number,
  excludedContracts: readonly ContractKey[],
): Promise<QueuedRecord[]> {
  return queryRows(
    db,
    `
    select o.id, o.organization, o.network, o.kind, o.content, o.job, o.share, c.address as contract,
      extract(epoch from clock_timestamp() - o.created_at)::float8 as age
    from (
      select *, min(seq) filter (where ${isExclusiveRecord('kind')}) over own as key,
        min(seq) filter (where ${isExclusiveRecord('kind')} and status = 'queued') over own as queued_key,
        min(seq) filter (where not (${isExclusiveRecord('kind')}) and status = 'queued') over own as queued_root
      from chain_operations where network = ? and ${isRecord('kind')} and status in ('queued', 'sent')
      window own as (partition by organization)
    ) o
    join chain_contracts c on c.network = o.network and c.application is null and c.sender = ?
      and c.kind = ${createRecordContractSql('o.kind')}
      and ${createReadyCondition('c')}
    where o.status = 'queued' and c.kind <> all(?::text[]) and case when not (${isExclusiveRecord('o.kind')})
      then o.queued_key is null or o.queued_key > o.seq
      else o.key = o.seq and (o.queued_root is null or o.queued_root > o.seq) end
    order by o.seq limit ?`,
    [network, address, excludedContracts, limit],
  )
}

/** Finds the contract in which all organizations of a network anchor roots; null while there is none. */
export async function findAnchorsContract(db: Knex, network: string): Promise<string | null> {
  const [row] = await queryRows<{ address: string }>(
    db,
    `select address from chain_contracts
    where network = ? and application is null and ${isRootsContract('kind')} and address is not null`,
    [network],
  )
  return row?.address ?? null
}
