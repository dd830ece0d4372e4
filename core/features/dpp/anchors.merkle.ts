import { setImmediate as turn } from 'node:timers/promises'
import { keccak_256 } from '@noble/hashes/sha3.js'

/** One certificate in a tree: both are `0x` and 64 hex digits. */
export interface Leaf { tokenId: string; contentHash: string }

export interface MerkleTree {
  /** `0x` and 64 hex digits. */
  root: string
  /** In the order of the leaves: the siblings from the leaf up, 32 bytes each. */
  proofs: Buffer[]
}

const size = 32
/** Hashes after which other work of the process has its turn: a job's lease must not run out over 50,000 leaves. */
const share = 4_000

/**
 * The tree over certificates: leaf = keccak256(keccak256(abi.encode(uint256 tokenId, bytes32 contentHash))), leaves
 * sorted by hash, each pair sorted before it is hashed. A test holds it against `@openzeppelin/merkle-tree`, which
 * takes twenty times as long. @param leaves at least one. Source: OpenZeppelin standard Merkle tree, `MerkleProof.sol`.
 */
export async function merkleTree(leaves: readonly Leaf[]): Promise<MerkleTree> {
  const count = leaves.length
  if (count === 0) throw new RangeError('a tree needs a leaf')
  const hashes: Buffer[] = []
  for (const [at, leaf] of leaves.entries()) {
    hashes.push(hashOfLeaf(leaf))
    if (at % share === share - 1) await turn()
  }
  const order = hashes.map((_, at) => at).sort((one, other) => bytesAt(hashes, one).compare(bytesAt(hashes, other)))
  const nodes: Buffer[] = new Array<Buffer>(2 * count - 1)
  for (const [place, at] of order.entries()) nodes[nodes.length - 1 - place] = bytesAt(hashes, at)
  for (let at = count - 2; at >= 0; at--) {
    nodes[at] = hashOfPair(bytesAt(nodes, 2 * at + 1), bytesAt(nodes, 2 * at + 2))
    if (at % share === 0) await turn()
  }
  const proofs: Buffer[] = new Array<Buffer>(count)
  for (const [place, at] of order.entries()) proofs[at] = proofOf(nodes, nodes.length - 1 - place)
  return { root: `0x${bytesAt(nodes, 0).toString('hex')}`, proofs }
}

/** The hash of a leaf, 32 bytes. */
export function hashOfLeaf({ tokenId, contentHash }: Leaf): Buffer {
  return Buffer.from(keccak_256(keccak_256(Buffer.from(`${tokenId.slice(2)}${contentHash.slice(2)}`, 'hex'))))
}

/** The root that a proof leads to, `0x` and 64 hex digits. @param proof siblings from the leaf up, 32 bytes each */
export function rootOf(leaf: Leaf, proof: Buffer): string {
  let node = hashOfLeaf(leaf)
  for (let at = 0; at < proof.length; at += size) node = hashOfPair(node, proof.subarray(at, at + size))
  return `0x${node.toString('hex')}`
}

function hashOfPair(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(keccak_256(Buffer.concat(one.compare(other) < 0 ? [one, other] : [other, one])))
}

function proofOf(nodes: readonly Buffer[], from: number): Buffer {
  const siblings: Buffer[] = []
  for (let at = from; at > 0; at = (at - 1) >> 1) siblings.push(bytesAt(nodes, at % 2 === 1 ? at + 1 : at - 1))
  return Buffer.concat(siblings)
}

/** The hashes of a stored proof, each `0x` and 64 hex digits. */
export function proofHashes(proof: Buffer): string[] {
  return Array.from({ length: proof.length / size }, (_, at) =>
    `0x${proof.subarray(at * size, (at + 1) * size).toString('hex')}`)
}

function bytesAt(list: readonly Buffer[], at: number): Buffer {
  const found = list[at]
  if (!found) throw new RangeError(`no hash at ${at}`)
  return found
}
