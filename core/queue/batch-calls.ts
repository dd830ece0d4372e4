/**
 * Combines many single calls into few calls with many items. While the maximum number of batches is running, new calls
 * wait and leave together with the next batch; a single call starts at once. `runItems` returns answers in the order of
 * its items; if it rejects, all calls of the batch reject. @param maxBatchSize maximum number of items per batch
 * @param maxConcurrentBatches maximum number of batches that run at the same time
 */
export function batchCalls<Item, Answer>(
  runItems: (items: Item[]) => Promise<readonly Answer[]>,
  { maxBatchSize = 500, maxConcurrentBatches = 1 } = {},
) {
  type WaitingCall = { item: Item; resolve(answer: Answer): void; reject(cause: unknown): void }
  let waiting: WaitingCall[] = []
  let runningBatches = 0
  let isScheduled = false

  const runBatch = async (taken: readonly WaitingCall[]) => {
    runningBatches++
    try {
      const answers = await runItems(taken.map(({ item }) => item))
      if (answers.length !== taken.length) throw new Error(`${taken.length} items got ${answers.length} answers`)
      taken.forEach(({ resolve }, at) => resolve(answers[at] as Answer))
    } catch (cause) {
      for (const { reject } of taken) reject(cause)
    }
    runningBatches--
    startBatches()
  }
  const startBatches = () => {
    isScheduled = false
    while (waiting.length > 0 && runningBatches < maxConcurrentBatches) {
      const taken = waiting.slice(0, maxBatchSize)
      waiting = waiting.slice(maxBatchSize)
      void runBatch(taken)
    }
  }
  return (item: Item): Promise<Answer> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (isScheduled || runningBatches >= maxConcurrentBatches) return
      isScheduled = true
      setImmediate(startBatches)
    })
}
