/** Creation code that an earlier version deployed: its length in bytes and its Keccak-256. */
export interface EarlierArtifact { kind: 'passports' | 'anchors' | 'keys'; length: number; hash: `0x${string}` }

/**
 * Every creation code that was ever landed before the present one. Contracts made with it go on being used: the
 * functions that senders call are the same. Whoever compiles a contract anew adds the code before here.
 */
export const earlierArtifacts: readonly EarlierArtifact[] = []
