import type { Context } from '../../../kernel/work.ts'
import { startRepetition } from '../../../queue/upkeep/repeat.ts'
import { fetchPicture } from './pictures.fetch.ts'
import { picturesChannel, takeDuePicture } from './pictures.store.ts'

/** Interval between two looks for due pictures, in milliseconds; a notice announces a new one at once. */
const fetchIntervalMs = 10_000
/** Limits of concurrent fetches, in this process and for one organization. */
const maxConcurrentFetches = 4
const maxConcurrentFetchesPerOrganization = 2

/**
 * Starts to fetch due pictures, in any number of workers, each picture by one of them. Fetches run side by side, because
 * they wait for hosts; sizes are made one after the other, because they need the processor and memory.
 */
export function startPictureFetches(context: Context): { stop(): Promise<void> } {
  let isStopped = false
  let lastResize: Promise<unknown> = Promise.resolve()
  const resizeInTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = lastResize.then(work, work)
    lastResize = turn
    return turn
  }
  const fetchUntilNoneDue = async () => {
    while (!isStopped) {
      const picture = await takeDuePicture(context.db, maxConcurrentFetchesPerOrganization)
      if (!picture) return
      await fetchPicture(context, picture, resizeInTurn)
    }
  }
  const fetchDuePictures = async () => {
    await Promise.all(Array.from({ length: maxConcurrentFetches }, fetchUntilNoneDue))
  }
  const repetition = startRepetition(fetchIntervalMs, fetchDuePictures, (cause) =>
    context.log.error({ err: cause }, 'the look for due pictures failed'),
  )
  const unsubscribe = context.notices.subscribe(picturesChannel, () => void repetition.runSoon())
  return {
    stop: () => {
      isStopped = true
      unsubscribe()
      return repetition.stop()
    },
  }
}
