import { setImmediate as turn } from 'node:timers/promises'
import { keccak_256 } from '@noble/hashes/sha3.js'

/** A certificate as a leaf of the tree. Both values are `0x` and 64 hex digits. */
export interface MerkleLeaf {
  tokenId: string
  contentHash: string
}

export interface MerkleTree {
  /** `0x` and 64 hex digits. */
  root: string
  /** The siblings from the leaf up, 32 bytes each; in the order of the leaves. */
  proofs: Buffer[]
}

const hashLength = 32
/**
 * The number of hashes after which other work of the process gets a turn. Without turns, a job's lease could run out
 * while 50,000 leaves are hashed.
 */
const hashesPerTurn = 4_000

/**
 * Builds the Merkle tree over certificates. A leaf is keccak256(keccak256(abi.encode(uint256 tokenId, bytes32
 * contentHash))). Leaves are sorted by hash, and each pair is sorted before it is hashed. A test compares the result
 * with `@openzeppelin/merkle-tree`, which takes twenty times as long.
 * Source: OpenZeppelin standard Merkle tree, `MerkleProof.sol`.
 * @param leaves at least one
 * @throws RangeError for no leaves
 */
export async function buildMerkleTree(leaves: readonly MerkleLeaf[]): Promise<MerkleTree> {
  const count = leaves.length
  if (count === 0) throw new RangeError('a tree needs a leaf')
  const hashes: Buffer[] = []
  for (const [at, leaf] of leaves.entries()) {
    hashes.push(hashLeaf(leaf))
    if (at % hashesPerTurn === hashesPerTurn - 1) await turn()
  }
  const order = hashes.map((_, at) => at).sort((one, other) => getHashAt(hashes, one).compare(getHashAt(hashes, other)))
  const nodes: Buffer[] = new Array<Buffer>(2 * count - 1)
  for (const [place, at] of order.entries()) nodes[nodes.length - 1 - place] = getHashAt(hashes, at)
  for (let at = count - 2; at >= 0; at--) {
    nodes[at] = hashPair(getHashAt(nodes, 2 * at + 1), getHashAt(nodes, 2 * at + 2))
    if (at % hashesPerTurn === 0) await turn()
  }
  const proofs: Buffer[] = new Array<Buffer>(count)
  for (const [place, at] of order.entries()) proofs[at] = collectProof(nodes, nodes.length - 1 - place)
  return { root: `0x${getHashAt(nodes, 0).toString('hex')}`, proofs }
}

/** Returns the hash of a leaf, 32 bytes. */
export function hashLeaf({ tokenId, contentHash }: MerkleLeaf): Buffer {
  return Buffer.from(keccak_256(keccak_256(Buffer.from(`${tokenId.slice(2)}${contentHash.slice(2)}`, 'hex'))))
}

/**
 * Computes the root that a proof leads to, `0x` and 64 hex digits.
 * @param proof siblings from the leaf up, 32 bytes each
 */
export function computeMerkleRoot(leaf: MerkleLeaf, proof: Buffer): string {
  let node = hashLeaf(leaf)
  for (let at = 0; at < proof.length; at += hashLength) node = hashPair(node, proof.subarray(at, at + hashLength))
  return `0x${node.toString('hex')}`
}

function hashPair(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(keccak_256(Buffer.concat(one.compare(other) < 0 ? [one, other] : [other, one])))
}

function collectProof(nodes: readonly Buffer[], from: number): Buffer {
  const siblings: Buffer[] = []
  for (let at = from; at > 0; at = (at - 1) >> 1) siblings.push(getHashAt(nodes, at % 2 === 1 ? at + 1 : at - 1))
  return Buffer.concat(siblings)
}

/** Splits a stored proof into its hashes, each `0x` and 64 hex digits. */
export function splitProofHashes(proof: Buffer): string[] {
  return Array.from(
    { length: proof.length / hashLength },
    (_, at) => `0x${proof.subarray(at * hashLength, (at + 1) * hashLength).toString('hex')}`,
  )
}

function getHashAt(list: readonly Buffer[], at: number): Buffer {
  const found = list[at]
  if (!found) throw new RangeError(`no hash at ${at}`)
  return found
}
