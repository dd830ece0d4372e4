import type { Knex } from 'knex'
import { buildMerkleTree, computeMerkleRoot, type MerkleLeaf } from '../../kernel/sealing/merkle.ts'
import { networkNames, type Network } from '../../chains/networks.ts'
import { newId } from '../../database/model.ts'
import type { Context } from '../../kernel/work.ts'
import { hashSegment, type EndedSegment } from './trail.hashes.ts'

/** The root on a chain that stands for a segment. */
export interface SegmentAnchor {
  month: string
  /** The number of entries. */
  length: number
  network: Network
  /** `0x` and 64 hexadecimal digits. */
  root: string
  /** Null until the root is final on the chain. */
  transactionHash: string | null
}

/** Maximum number of segments below one root. */
const maxSegments = 10_000
/** Maximum number of roots that one look at the chain's operations settles. */
const maxSettled = 500
/** Roots belong to no organization; the chain's operations name this one. */
const nobody = '00000000-0000-0000-0000-000000000000'
/** No passport has this token id, so a segment's leaf is never that of a certificate. */
const noToken = `0x${'0'.repeat(64)}`

/** The id of a root's operation on the chain. */
const getOperationId = (anchor: string): string => `anchor:${anchor}`

/** The leaf of a segment: its hash has the place that the content hash of a certificate has in the tree. */
const createLeaf = (segment: EndedSegment): MerkleLeaf => ({
  tokenId: noToken,
  contentHash: `0x${hashSegment(segment)}`,
})

/** Checks whether a stored proof leads from a segment to a root. */
export const leadsToRoot = (segment: EndedSegment, proof: Buffer, root: string): boolean =>
  computeMerkleRoot(createLeaf(segment), proof) === root

/**
 * Puts the segments that have ended under roots and queues these for a chain: the network of `AUDIT_NETWORK`, or the first
 * one on which this installation can send. Without such a network the trail is not anchored.
 */
export async function anchorSegments(context: Context): Promise<void> {
  const network = findAnchorNetwork(context)
  if (network === undefined) return
  while ((await anchorNextSegments(context, network)) === maxSegments);
}

const findAnchorNetwork = ({ chains, settings }: Context): Network | undefined =>
  networkNames.find(
    (network) =>
      (settings.auditNetwork === undefined || settings.auditNetwork === network)
      && chains.canSend(network)
      && chains.performs(network, 'anchor'),
  )

/** @returns the number of segments that were put under a root */
function anchorNextSegments({ db, chains }: Context, network: Network): Promise<number> {
  return db.transaction(async (trx) => {
    const { rows: locks } = await trx.raw<{ rows: [{ is_own: boolean }] }>(
      `select pg_try_advisory_xact_lock(hashtextextended('audit anchors', 0)) as is_own`,
    )
    if (!locks[0].is_own) return 0
    const { rows } = await trx.raw<{ rows: EndedSegment[] }>(
      `select organization, month, start, head, length from audit_segments s
       where length > 0 and not exists (
         select from audit_segment_anchors a where a.organization = s.organization and a.month = s.month)
       order by month, organization limit ${maxSegments}`,
    )
    if (rows.length === 0) return 0
    const { root, proofs } = await buildMerkleTree(rows.map(createLeaf))
    const id = newId()
    await trx('audit_anchors').insert({ id, network, root, segments: rows.length })
    await trx.raw(
      `insert into audit_segment_anchors (organization, month, anchor, proof)
       select row.organization, row.month, ?::uuid, row.proof
       from unnest(?::uuid[], ?::text[], ?::bytea[]) as row (organization, month, proof)`,
      [id, rows.map(({ organization }) => organization), rows.map(({ month }) => month), proofs] as Knex.RawBinding[],
    )
    await chains.queueRecords(trx, [
      { kind: 'anchor', id: getOperationId(id), organization: nobody, network, root, job: id },
    ])
    return rows.length
  })
}

/**
 * Stores what became of roots that were queued. The segments below a root that will never be on the chain are free for
 * another one.
 */
export async function settleAnchors({ db, chains }: Context): Promise<void> {
  const pending = await db('audit_anchors').where({ status: 'pending' }).orderBy('id').limit(maxSettled).pluck('id')
  const states = await chains.readOperationStates(db, pending.map(getOperationId))
  for (const anchor of pending as string[]) {
    const found = states.get(getOperationId(anchor))
    if (found?.state === 'final')
      await db('audit_anchors')
        .where({ id: anchor })
        .update({ status: 'final', transaction_hash: found.transactionHash })
    if (found?.state === 'failed')
      await db.transaction(async (trx) => {
        await trx('audit_segment_anchors').where({ anchor }).delete()
        await trx('audit_anchors').where({ id: anchor }).delete()
      })
  }
}

/** Removes roots whose segments are all gone. */
export async function removeOldAnchors(db: Knex): Promise<void> {
  await db.raw(
    `delete from audit_segment_anchors a where not exists (
       select from audit_segments s where s.organization = a.organization and s.month = a.month)`,
  )
  await db.raw(
    `delete from audit_anchors a where status = 'final'
       and not exists (select from audit_segment_anchors s where s.anchor = a.id)`,
  )
}

/** Lists the anchored segments of an organization, the newest first, at most `limit`. */
export async function listSegmentAnchors(db: Knex, organization: string, limit: number): Promise<SegmentAnchor[]> {
  const { rows } = await db.raw<{ rows: SegmentAnchor[] }>(
    `select s.month, s.length, a.network, a.root, a.transaction_hash as "transactionHash"
     from audit_segments s join audit_segment_anchors p on p.organization = s.organization and p.month = s.month
       join audit_anchors a on a.id = p.anchor
     where s.organization = ? order by s.month desc limit ?`,
    [organization, limit],
  )
  return rows
}

/** Reads from a chain when a root was anchored; null if it is not there. */
export type AnchorTimeReader = (network: Network, root: string) => Promise<Date | null>

/** Looks on the chains for roots, each once. */
export class AnchoredRoots {
  readonly #read: AnchorTimeReader | undefined
  readonly #known = new Map<string, boolean>()

  constructor(read: AnchorTimeReader | undefined) {
    this.#read = read
  }

  async has(network: Network, root: string): Promise<boolean> {
    if (!this.#read) return true
    const key = `${network} ${root}`
    const known = this.#known.get(key) ?? (await this.#read(network, root)) !== null
    this.#known.set(key, known)
    return known
  }
}
