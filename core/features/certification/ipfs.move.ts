import type { Context } from '../../kernel/work.ts'
import { repeat } from '../../queue/repeat.ts'
import { addToKubo } from './ipfs.kubo.ts'
import { ownCopy } from './ipfs.ts'
import { contentInStore, removeFromStore } from './ipfs.store.ts'

/** Milliseconds between two looks for content to move, and how much of it moves at the same time. */
const lookEvery = 3_600_000
const atOnce = 4

type Moving = Pick<Context, 'settings' | 'log'>

/**
 * Moves what the own store has from a time without an IPFS node to the node of `IPFS_API_URL`: once that has pinned it
 * under the same identifier, it is removed here. So the store is empty when all has moved, and nothing has to be
 * remembered. In however many workers: what two of them move at once is pinned once. A node that is away is tried again
 * with the next look; content that is not what its name says stays. Without a node there is nothing to do.
 */
export function startMoving({ settings, log }: Moving): { stop(): Promise<void> } {
  const { ipfsApiUrl } = settings
  if (ipfsApiUrl === undefined) return { stop: async () => {} }
  let stopped = false
  const look = async () => {
    const moved = await moveAll({ settings, log }, ipfsApiUrl, () => stopped)
    if (moved > 0) log.info({ moved }, 'content has moved from the store to the IPFS node')
  }
  const looks = repeat(lookEvery, look, (err) => log.warn({ err }, 'content waits to be moved to the IPFS node'))
  return {
    stop: () => {
      stopped = true
      return looks.stop()
    },
  }
}

/** @returns how much was moved. @throws IpfsUnreachable */
async function moveAll(moving: Moving, api: string, stopped: () => boolean): Promise<number> {
  const { settings: { dataDir } } = moving
  const waiting = contentInStore(dataDir)
  let moved = 0
  await Promise.all(Array.from({ length: atOnce }, async () => {
    // The first that throws or stops ends it for all: they share what is waiting.
    for await (const cid of waiting) {
      if (stopped()) return
      const bytes = await ownCopy(moving, cid)
      if (bytes === null) continue
      await addToKubo(api, cid, bytes)
      await removeFromStore(dataDir, cid)
      moved++
    }
  }))
  return moved
}
