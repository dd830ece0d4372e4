import { createHash } from 'node:crypto'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'

/** Maximum size of an IPFS block, in bytes. */
const maxBlockBytes = 262_144
/** Codes of the multicodec table. Source: multicodec table, `raw` and `sha2-256`. */
const codecs = { raw: 0x55, sha256: 0x12 }

/**
 * Computes the content identifier of bytes as IPFS does: version 1, raw leaves, blocks of 262,144 bytes, and a balanced
 * tree above them. Kubo returns the same with `cid-version=1&raw-leaves=true&chunker=size-262144`.
 */
export async function createCid(bytes: Uint8Array): Promise<string> {
  return bytes.length <= maxBlockBytes ? createBlockCid(bytes) : createTreeCid(bytes)
}

/** Computes the identifier of a single block, which needs no tree: the block is leaf and root. */
function createBlockCid(bytes: Uint8Array): string {
  const digest = createHash('sha256').update(bytes).digest()
  return CID.createV1(codecs.raw, create(codecs.sha256, digest)).toString()
}

async function createTreeCid(bytes: Uint8Array): Promise<string> {
  const [{ importer }, { fixedSize }] = await loadImporter()
  const options = { cidVersion: 1, rawLeaves: true, chunker: fixedSize({ chunkSize: maxBlockBytes }) } as const
  let root: string | null = null
  for await (const { cid } of importer([{ content: bytes }], blackHole, options)) root = cid.toString()
  if (root === null) throw new Error('The importer made no root')
  return root
}

/** A store for an importer of which only the root is needed. */
const blackHole = { put: (cid: CID) => cid }

/** Loads the importer for the first content of more than one block, which is rare. */
const loadImporter = () => Promise.all([import('ipfs-unixfs-importer'), import('ipfs-unixfs-importer/chunker')])
