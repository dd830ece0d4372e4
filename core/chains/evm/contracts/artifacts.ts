/** Creation code that an earlier version deployed, identified by its length in bytes and its Keccak-256. */
export interface EarlierArtifact {
  kind: 'passports' | 'points' | 'anchors' | 'keys' | 'handovers'
  length: number
  hash: `0x${string}`
}

/**
 * All creation code that was released before the present code. Contracts created with it stay in use, because the
 * functions that senders call are the same. Whoever recompiles a contract adds the code that it replaces here.
 */
export const earlierArtifacts: readonly EarlierArtifact[] = [
  { kind: 'passports', length: 13_663, hash: '0xc91aa23da754fa3c7bf69cf5146f7bbe54359585451ff785314705fda75a128d' },
  { kind: 'passports', length: 14_202, hash: '0x0d49c83fb8875464e626e5599bacafd304c3018ad483b57f1519e6b6f752205e' },
  { kind: 'anchors', length: 2_439, hash: '0x8a65b246553b4bbab3cc34e6091990365c197129c638ff28dd06df252966f51d' },
  { kind: 'keys', length: 2_848, hash: '0x4bebb80d2495a5ae07526200ea87ac8ff9f5148893963e83614bc9c1b8782ef6' },
]
