import type { Knex } from 'knex'
import type { RecordOutcome, RecordOutcomeHandler } from '../../../chains/port.ts'
import type { Network } from '../../../chains/networks.ts'
import { networkNames, networks } from '../../../chains/networks.ts'
import { newId } from '../../../database/model.ts'
import { instant, integer, list, object, oneOf, string, type Static } from '../../../kernel/schema.ts'
import type { Context } from '../../../kernel/work.ts'
import { lockKeys, registerKeyOnNetwork } from '../../certification/index.ts'
import { hashLeaf, buildMerkleTree, splitProofHashes, type MerkleLeaf } from '../../../kernel/sealing/merkle.ts'
import { insertAnchor, storeAnchorOutcomes } from './anchors.store.ts'
import { assignAnchor } from './certificates.store.ts'
import type { CertificationTask } from './certify.chunk.ts'

const createHashSchema = (description: string) => string(description, { pattern: '^0x[0-9a-f]{64}$' })

export const Anchor = object(
  {
    network: oneOf(networkNames, 'Network that the root stands on.'),
    caip2: string('The same as a CAIP-2 chain id, which is not ours alone: eip155:8453.'),
    contract: string('Address of the contract that keeps the root, `CertificateAnchors`.'),
    root: createHashSchema('Merkle root of all certificates of one job on this network.'),
    leaf: createHashSchema('keccak256(keccak256(abi.encode(uint256 tokenId, bytes32 contentHash))).'),
    proof: list(createHashSchema('A hash.'), 'Siblings from the leaf up; each pair is sorted before it is hashed.'),
    transactionHash: string('The transaction that anchored the root.'),
    blockNumber: integer('Its block.', { minimum: 0 }),
    anchoredAt: instant('Time of that block.'),
  },
  { title: 'Anchor', description: 'Receipt that the content hash of a certificate stands on a chain.' },
)
export type Anchor = Static<typeof Anchor>

/** The maximum number of leaves below one root. */
export const maxLeaves = 50_000
/** The number of proofs that one statement writes. It keeps each statement well below its time limit. */
const proofsPerStatement = 2_000

interface UnanchoredRow extends MerkleLeaf {
  id: string
}

/**
 * Finds the network, the first by name, on which a job has certificates without an anchor; undefined if there is none.
 */
export async function findUnanchoredNetwork(db: Knex, job: string): Promise<Network | undefined> {
  const {
    rows: [first],
  } = await db.raw<{ rows: { network: Network }[] }>(
    'select network from passport_credentials where job = ? and anchor is null order by network limit 1',
    [job],
  )
  return first?.network
}

/**
 * The error for certificates that cannot be anchored with the organization's present keys. `stale`: a key other than
 * the active one has signed them. `rotating`: a new key is waiting for its registration on the network, so the chain
 * would learn of the active key's end before it could store a root.
 */
export class KeyChangedError extends Error {
  readonly reason: 'stale' | 'rotating'

  constructor(how: 'stale' | 'rotating') {
    super(`certificates cannot be anchored: ${how}`)
    this.reason = how
  }
}

/**
 * Puts the certificates that a job has signed for a network under one root and queues the root, in the caller's
 * transaction. Every certificate below a root was signed with the key that is active on the chain when the root gets
 * there.
 * @throws KeyChangedError
 */
export async function anchorCredentials(
  trx: Knex,
  context: Context,
  certifying: CertificationTask,
  network: Network,
): Promise<void> {
  const { job, organization } = certifying
  await assertKeyUnchanged(trx, certifying, network, null)
  const { rows } = await trx.raw<{ rows: UnanchoredRow[] }>(
    `select c.id, p.token_id as "tokenId", c.content_hash as "contentHash" from passport_credentials c join passports p on p.id = c.passport
     where c.job = ? and c.network = ? and c.anchor is null order by c.passport limit ?`,
    [job, network, maxLeaves],
  )
  if (rows.length === 0) return
  const { root, proofs } = await buildMerkleTree(rows)
  const anchor = newId()
  await insertAnchor(trx, { id: anchor, job, organization, network, root, leaves: rows.length })
  const leaves = rows.map(({ id }, place) => ({ id, proof: proofs[place] }))
  for (let from = 0; from < leaves.length; from += proofsPerStatement)
    await assignAnchor(trx, anchor, leaves.slice(from, from + proofsPerStatement))
  // The keys cannot change after this lock. It is taken this late because whoever changes a key has to wait for it.
  await lockKeys(trx, organization)
  await assertKeyUnchanged(trx, certifying, network, anchor)
  await registerKeyOnNetwork(trx, context, organization, network, job)
  await context.chains.queueRecords(trx, [{ kind: 'anchor', id: `anchor:${anchor}`, organization, network, root, job }])
}

/**
 * Checks that the active key signed the certificates and that no other key is about to replace it.
 * @param anchor the anchor that the certificates have just got; null for those that have none yet
 * @throws KeyChangedError
 */
async function assertKeyUnchanged(
  trx: Knex,
  { job, organization }: CertificationTask,
  network: Network,
  anchor: string | null,
): Promise<void> {
  const {
    rows: [found],
  } = await trx.raw<{ rows: { rotating: boolean; stale: boolean }[] }>(
    `select exists (select from certification_keys k join certification_key_registrations r on r.key = k.id
         where k.organization = ? and k.status = 'pending' and r.network = ? and r.status = 'pending') as rotating,
       exists (select from passport_credentials where job = ? and network = ? and not settled
         and anchor is not distinct from ?::uuid
         and key is not null and key not in (select id from certification_keys where organization = ? and status = 'active')) as stale`,
    [organization, network, job, network, anchor, organization],
  )
  if (found?.rotating) throw new KeyChangedError('rotating')
  if (found?.stale) throw new KeyChangedError('stale')
}

/** Creates the handler that stores the outcomes of roots and wakes their jobs, which then update the passports. */
export function settleAnchors(context: Context): RecordOutcomeHandler {
  return async (trx, outcomes) => {
    await storeAnchorOutcomes(
      trx,
      outcomes.map((outcome) => ({ ...outcome, anchor: parseAnchorId(outcome) })),
    )
    // The jobs are woken in one order everywhere, so that the senders of two networks never wait for each other.
    for (const job of new Set(outcomes.map((outcome) => outcome.job).sort())) await context.queue.wakeJobs(trx, job)
  }
}

const parseAnchorId = ({ id }: RecordOutcome) => id.slice('anchor:'.length)

interface ReceiptRow extends MerkleLeaf {
  network: Network
  contract: string
  root: string
  proof: Buffer
  transaction_hash: string
  block_number: number
  anchored_at: Date
}

/** Finds the receipt of a passport's present certificate, or of one version of it; null if there is none yet. */
export async function findAnchorReceipt(
  db: Knex,
  passport: string,
  version: number | null = null,
): Promise<Anchor | null> {
  const {
    rows: [row],
  } = await db.raw<{ rows: ReceiptRow[] }>(
    `select a.network, a.contract, a.root, c.proof, a.transaction_hash, a.block_number, a.anchored_at, p.token_id as "tokenId",
       c.content_hash as "contentHash"
     from passports p join passport_credentials c on c.passport = p.id and (c.id = p.credential and ?::int is null or c.version = ?)
       join anchors a on a.id = c.anchor
     where p.id = ? and a.status = 'final'`,
    [version, version, passport],
  )
  if (!row) return null
  return {
    network: row.network,
    caip2: networks[row.network].caip2,
    contract: row.contract,
    root: row.root,
    leaf: `0x${hashLeaf(row).toString('hex')}`,
    proof: splitProofHashes(row.proof),
    transactionHash: row.transaction_hash,
    blockNumber: Number(row.block_number),
    anchoredAt: row.anchored_at.toISOString(),
  }
}
