/**
 * Turns many single calls into few calls with many: what comes in while as many batches are on their way as there may
 * be leaves with the next one. Who calls alone waits for nobody. `batch` answers in the order of its items; when it
 * rejects, all of its callers hear it. @param most items of a batch @param atOnce batches on the way
 */
export function gather<Item, Answer>(
  batch: (items: Item[]) => Promise<readonly Answer[]>, { most = 500, atOnce = 1 } = {},
) {
  type Waiting = { item: Item; resolve(answer: Answer): void; reject(cause: unknown): void }
  let waiting: Waiting[] = []
  let onTheWay = 0
  let leaving = false

  const send = async (taken: readonly Waiting[]) => {
    onTheWay++
    try {
      const answers = await batch(taken.map(({ item }) => item))
      if (answers.length !== taken.length) throw new Error(`${taken.length} items got ${answers.length} answers`)
      taken.forEach(({ resolve }, at) => resolve(answers[at] as Answer))
    } catch (cause) {
      for (const { reject } of taken) reject(cause)
    }
    onTheWay--
    leave()
  }
  const leave = () => {
    leaving = false
    while (waiting.length > 0 && onTheWay < atOnce) {
      const taken = waiting.slice(0, most)
      waiting = waiting.slice(most)
      void send(taken)
    }
  }
  return (item: Item): Promise<Answer> => new Promise((resolve, reject) => {
    waiting.push({ item, resolve, reject })
    if (leaving || onTheWay >= atOnce) return
    leaving = true
    setImmediate(leave)
  })
}
