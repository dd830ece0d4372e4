import type { Knex } from 'knex'
import type { RecordOutcome } from '../../../chains/port.ts'
import type { Network } from '../../../chains/networks.ts'

interface NewAnchor {
  id: string
  job: string
  organization: string
  network: Network
  root: string
  /** The number of certificates below the root. */
  leaves: number
}

/** Inserts the next root of a job on a network. */
export async function insertAnchor(trx: Knex, anchor: NewAnchor): Promise<void> {
  const { id, job, organization, network, root, leaves } = anchor
  await trx.raw(
    `insert into anchors (id, job, organization, network, part, root, leaves)
     select ?, ?, ?, ?, count(*), ?, ? from anchors where job = ? and network = ?`,
    [id, job, organization, network, root, leaves, job, network],
  )
}

/** Stores what the chain made of roots. A reorganization may change it, so that any outcome can follow any other. */
export async function storeAnchorOutcomes(
  trx: Knex,
  outcomes: readonly (Omit<RecordOutcome, 'id'> & { anchor: string })[],
): Promise<void> {
  await trx.raw(
    `update anchors set status = settled.status, contract = settled.contract, transaction_hash = settled.hash,
         block_number = settled.block, anchored_at = settled.at, reason = settled.reason
       from unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::timestamptz[], ?::text[])
         as settled (id, status, contract, hash, block, at, reason) where anchors.id = settled.id`,
    [
      outcomes.map(({ anchor }) => anchor),
      outcomes.map(({ status }) => status),
      outcomes.map(({ contract }) => contract),
      outcomes.map(({ transactionHash }) => transactionHash),
      outcomes.map(({ blockNumber }) => blockNumber),
      outcomes.map(({ at }) => at),
      outcomes.map(({ reason }) => reason),
    ] as Knex.RawBinding[],
  )
}
