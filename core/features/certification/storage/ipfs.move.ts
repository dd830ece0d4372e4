import type { Context } from '../../../kernel/work.ts'
import { startRepetition } from '../../../queue/upkeep/repeat.ts'
import { addToKubo } from './ipfs.kubo.ts'
import { findOwnCopy } from './ipfs.ts'
import { iterateStoredCids, removeFromStore } from './ipfs.store.ts'

/** Interval between two runs in milliseconds, and maximum number of concurrent moves. */
const moveIntervalMs = 3_600_000
const maxConcurrentMoves = 4

type MoveContext = Pick<Context, 'settings' | 'log'>

/**
 * Starts to move content from this installation's own store, where it was written while there was no IPFS node, to the
 * node of `IPFS_API_URL`. The store removes content once the node has pinned it under the same identifier, so an empty
 * store means that everything has moved, and no other state is needed. Any number of workers may run this: content that
 * two of them move at once is pinned once. If the node is unreachable, the next run tries again. Content that does not
 * match its name stays. Without a node nothing is started.
 */
export function startContentMoves({ settings, log }: MoveContext): { stop(): Promise<void> } {
  const { ipfsApiUrl } = settings
  if (ipfsApiUrl === undefined) return { stop: async () => {} }
  let isStopped = false
  const moveContent = async () => {
    const moved = await moveAllContent({ settings, log }, ipfsApiUrl, () => isStopped)
    if (moved > 0) log.info({ moved }, 'content has moved from the store to the IPFS node')
  }
  const repetition = startRepetition(moveIntervalMs, moveContent, (err) =>
    log.warn({ err }, 'content waits to be moved to the IPFS node'),
  )
  return {
    stop: () => {
      isStopped = true
      return repetition.stop()
    },
  }
}

/** Moves all content of the store. @returns the number of moved contents. @throws IpfsUnreachableError */
async function moveAllContent(context: MoveContext, api: string, isStopped: () => boolean): Promise<number> {
  const {
    settings: { dataDir },
  } = context
  const waitingCids = iterateStoredCids(dataDir)
  let moved = 0
  await Promise.all(
    Array.from({ length: maxConcurrentMoves }, async () => {
      // All loops share this iterator, so it ends for all of them when one loop throws or returns.
      for await (const cid of waitingCids) {
        if (isStopped()) return
        const bytes = await findOwnCopy(context, cid)
        if (bytes === null) continue
        await addToKubo(api, cid, bytes)
        await removeFromStore(dataDir, cid)
        moved++
      }
    }),
  )
  return moved
}
