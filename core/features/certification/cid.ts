import { createHash } from 'node:crypto'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'

/** Bytes of a block. */
const blockSize = 262_144
/** Source: Multicodec table, `raw` and `sha2-256`. */
const codecs = { raw: 0x55, sha256: 0x12 }

/**
 * The content identifier of bytes as IPFS makes it: version 1, raw leaves, blocks of 262,144 bytes, a balanced tree
 * above them; what Kubo answers with `cid-version=1&raw-leaves=true&chunker=size-262144`.
 */
export async function cidOf(bytes: Uint8Array): Promise<string> {
  return bytes.length <= blockSize ? blockCid(bytes) : treeCid(bytes)
}

/** Bytes of one block are their own leaf and root: no tree, nothing to wait for. */
function blockCid(bytes: Uint8Array): string {
  const digest = createHash('sha256').update(bytes).digest()
  return CID.createV1(codecs.raw, create(codecs.sha256, digest)).toString()
}

async function treeCid(bytes: Uint8Array): Promise<string> {
  const [{ importer }, { fixedSize }, { BlackHoleBlockstore }] = await loadImporter()
  const options = { cidVersion: 1, rawLeaves: true, chunker: fixedSize({ chunkSize: blockSize }) } as const
  let root: string | null = null
  for await (const { cid } of importer([{ content: bytes }], new BlackHoleBlockstore(), options)) root = cid.toString()
  if (root === null) throw new Error('The importer made no root')
  return root
}

/** Loaded with the first content of more than one block, which is rare. */
const loadImporter = () => Promise.all([
  import('ipfs-unixfs-importer'), import('ipfs-unixfs-importer/chunker'), import('blockstore-core/black-hole'),
])
