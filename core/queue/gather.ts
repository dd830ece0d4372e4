/**
 * Turns many single calls into few calls with many: what comes in while a batch is on its way leaves with the next one.
 * `batch` answers in the order of its items; when it rejects, all of its callers hear it.
 */
export function gather<Item, Answer>(batch: (items: Item[]) => Promise<readonly Answer[]>, most = 500) {
  type Waiting = { item: Item; resolve(answer: Answer): void; reject(cause: unknown): void }
  let waiting: Waiting[] = []
  let leaving = false

  const leave = async () => {
    while (waiting.length > 0) {
      const taken = waiting.slice(0, most)
      waiting = waiting.slice(most)
      try {
        const answers = await batch(taken.map(({ item }) => item))
        taken.forEach(({ resolve }, at) => resolve(answers[at] as Answer))
      } catch (cause) {
        for (const { reject } of taken) reject(cause)
      }
    }
    leaving = false
  }
  return (item: Item): Promise<Answer> => new Promise((resolve, reject) => {
    waiting.push({ item, resolve, reject })
    if (leaving) return
    leaving = true
    setImmediate(() => void leave())
  })
}
