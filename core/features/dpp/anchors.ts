import type { Knex } from 'knex'
import type { SettledRecord, SettleRecords } from '../../chains/chain.ts'
import type { Network } from '../../chains/networks.ts'
import { networkNames, networks } from '../../chains/networks.ts'
import { newId } from '../../database/model.ts'
import { instant, integer, list, object, oneOf, string, type Static } from '../../kernel/schema.ts'
import type { Context } from '../../kernel/work.ts'
import { lockKeys, registerKeyOn } from '../certification/index.ts'
import { hashOfLeaf, merkleTree, proofHashes } from './anchors.merkle.ts'
import type { Certifying } from './certify.chunk.ts'

const hash = (description: string) => string(description, { pattern: '^0x[0-9a-f]{64}$' })

export const Anchor = object({
  network: oneOf(networkNames, 'Network that the root stands on.'),
  caip2: string('The same as a CAIP-2 chain id, which is not ours alone: eip155:8453.'),
  contract: string('Address of the contract that keeps the root, `CertificateAnchors`.'),
  root: hash('Merkle root of all certificates of one job on this network.'),
  leaf: hash('keccak256(keccak256(abi.encode(uint256 tokenId, bytes32 contentHash))).'),
  proof: list(hash('A hash.'), 'Siblings from the leaf up; each pair is sorted before it is hashed.'),
  transactionHash: string('The transaction that anchored the root.'),
  blockNumber: integer('Its block.', { minimum: 0 }),
  anchoredAt: instant('Time of that block.'),
}, { title: 'Anchor', description: 'Receipt that the content hash of a certificate stands on a chain.' })
export type Anchor = Static<typeof Anchor>

/** Most leaves of one root. */
export const mostLeaves = 50_000
/** Proofs that one statement writes, so that none comes near its time limit. */
const written = 2_000

interface Loose { id: string; token_id: string; content_hash: string }

/** A network on which a job has certificates without an anchor, the first by name; undefined where there is none. */
export async function looseNetwork(db: Knex, job: string): Promise<Network | undefined> {
  const { rows: [first] } = await db.raw<{ rows: { network: Network }[] }>(
    'select network from passport_credentials where job = ? and anchor is null order by network limit 1', [job])
  return first?.network
}

/**
 * Nothing can be anchored with what the keys are now. `stale`: another key than the active one has signed. `rotating`:
 * the chain gets to know of the active key's end before a root could be there.
 */
export class KeyMoved extends Error {
  readonly how: 'stale' | 'rotating'

  constructor(how: 'stale' | 'rotating') {
    super(`certificates cannot be anchored: ${how}`)
    this.how = how
  }
}

/**
 * Puts what a job has signed for a network under one root, and queues the root, in the caller's transaction. What stands
 * below a root was signed with the key that is active on the chain when the root comes there. @throws KeyMoved
 */
export async function anchorPart(trx: Knex, context: Context, certifying: Certifying, network: Network): Promise<void> {
  const { job, organization } = certifying
  await refuseMoved(trx, certifying, network, null)
  const { rows } = await trx.raw<{ rows: Loose[] }>(
    `select c.id, p.token_id, c.content_hash from passport_credentials c join passports p on p.id = c.passport
     where c.job = ? and c.network = ? and c.anchor is null order by c.passport limit ?`, [job, network, mostLeaves])
  if (rows.length === 0) return
  const { root, proofs } = await merkleTree(
    rows.map(({ token_id, content_hash }) => ({ tokenId: token_id, contentHash: content_hash })))
  const anchor = newId()
  await trx.raw(
    `insert into anchors (id, job, organization, network, part, root, leaves)
     select ?, ?, ?, ?, count(*), ?, ? from anchors where job = ? and network = ?`,
    [anchor, job, organization, network, root, rows.length, job, network])
  for (let from = 0; from < rows.length; from += written) {
    await trx.raw(
      `update passport_credentials set anchor = ?, proof = leaf.proof from unnest(?::uuid[], ?::bytea[]) as leaf (id, proof)
       where passport_credentials.id = leaf.id`,
      [anchor, rows.slice(from, from + written).map(({ id }) => id), proofs.slice(from, from + written)] as Knex.RawBinding[])
  }
  // From here on keys stay as they are. Only now, as whoever changes one has to wait for it.
  await lockKeys(trx, organization)
  await refuseMoved(trx, certifying, network, anchor)
  await registerKeyOn(trx, context, organization, network, job)
  await context.chains.record(trx, [{ kind: 'anchor', id: `anchor:${anchor}`, organization, network, root, job }])
}

/** @param anchor of what has just been put under a root */
async function refuseMoved(
  trx: Knex, { job, organization }: Certifying, network: Network, anchor: string | null,
): Promise<void> {
  const { rows: [found] } = await trx.raw<{ rows: { rotating: boolean; stale: boolean }[] }>(
    `select exists (select from certification_keys k join certification_key_registrations r on r.key = k.id
         where k.organization = ? and k.status = 'pending' and r.network = ? and r.status = 'pending') as rotating,
       exists (select from passport_credentials where job = ? and network = ? and not settled
         and anchor is not distinct from ?::uuid
         and key is not null and key not in (select id from certification_keys where organization = ? and status = 'active')) as stale`,
    [organization, network, job, network, anchor, organization])
  if (found?.rotating) throw new KeyMoved('rotating')
  if (found?.stale) throw new KeyMoved('stale')
}

/** Keeps what became of roots, and wakes their jobs, which tell the passports. */
export function settleAnchors(context: Context): SettleRecords {
  return async (trx, outcomes) => {
    await trx.raw(
      `update anchors set status = settled.status, contract = settled.contract, transaction_hash = settled.hash,
         block_number = settled.block, anchored_at = settled.at, reason = settled.reason
       from unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::timestamptz[], ?::text[])
         as settled (id, status, contract, hash, block, at, reason) where anchors.id = settled.id`,
      [
        outcomes.map(anchorOf), outcomes.map(({ status }) => status), outcomes.map(({ contract }) => contract),
        outcomes.map(({ transactionHash }) => transactionHash), outcomes.map(({ blockNumber }) => blockNumber),
        outcomes.map(({ at }) => at), outcomes.map(({ reason }) => reason),
      ] as Knex.RawBinding[])
    // In one order everywhere, so that senders of two networks never wait for each other.
    for (const job of new Set(outcomes.map((outcome) => outcome.job).sort())) await context.queue.wake(trx, job)
  }
}

const anchorOf = ({ id }: SettledRecord) => id.slice('anchor:'.length)

interface ReceiptRow {
  network: Network
  contract: string
  root: string
  proof: Buffer
  transaction_hash: string
  block_number: number
  anchored_at: Date
  token_id: string
  content_hash: string
}

/** The receipt of a passport's present certificate, or of a version of it; null while it has none. */
export async function receiptOf(db: Knex, passport: string, version: number | null = null): Promise<Anchor | null> {
  const { rows: [row] } = await db.raw<{ rows: ReceiptRow[] }>(
    `select a.network, a.contract, a.root, c.proof, a.transaction_hash, a.block_number, a.anchored_at, p.token_id,
       c.content_hash
     from passports p join passport_credentials c on c.passport = p.id and (c.id = p.credential and ?::int is null or c.version = ?)
       join anchors a on a.id = c.anchor
     where p.id = ? and a.status = 'final'`, [version, version, passport])
  if (!row) return null
  return {
    network: row.network,
    caip2: networks[row.network].caip2,
    contract: row.contract,
    root: row.root,
    leaf: `0x${hashOfLeaf({ tokenId: row.token_id, contentHash: row.content_hash }).toString('hex')}`,
    proof: proofHashes(row.proof),
    transactionHash: row.transaction_hash,
    blockNumber: Number(row.block_number),
    anchoredAt: row.anchored_at.toISOString(),
  }
}
