import { expect } from 'chai'
import { batchCalls } from '../../../core/queue/batch-calls.ts'

const settle = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))

describe('Calls in batches', () => {
  /** Batches that end when the test says so. */
  function createBatches(options?: { maxBatchSize?: number; maxConcurrentBatches?: number }) {
    const batches: { items: number[]; end(answers: readonly string[]): void; fail(cause: Error): void }[] = []
    const call = batchCalls<number, string>((items) => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>()
      batches.push({ items, end: resolve, fail: reject })
      return promise
    }, options)
    const calls: Promise<string>[] = []
    const callAll = (...items: readonly number[]) => {
      for (const item of items) {
        const answer = call(item).catch((cause: Error) => cause.message)
        calls.push(answer)
      }
    }
    return { batches, calls, callAll, listItems: () => batches.map(({ items }) => items) }
  }

  it('leave together in the same turn of the event loop, and each gets its own answer', async () => {
    const { batches, calls, callAll, listItems } = createBatches()
    callAll(1, 2)
    callAll(3)
    await settle()
    expect(listItems()).to.deep.equal([[1, 2, 3]])
    batches[0]?.end(['one', 'two', 'three'])
    expect(await Promise.all(calls)).to.deep.equal(['one', 'two', 'three'])
  })

  it('wait while one batch runs, and leave together when it has ended', async () => {
    const { batches, calls, callAll, listItems } = createBatches()
    callAll(1)
    await settle()
    callAll(2)
    await settle()
    callAll(3)
    await settle()
    expect(listItems(), 'while the first runs').to.deep.equal([[1]])
    batches[0]?.end(['one'])
    await settle()
    expect(listItems()).to.deep.equal([[1], [2, 3]])
    batches[1]?.end(['two', 'three'])
    expect(await Promise.all(calls)).to.deep.equal(['one', 'two', 'three'])
    callAll(4)
    await settle()
    expect(listItems().at(-1), 'when nothing runs').to.deep.equal([4])
  })

  it('are as many in a batch, and as many batches at once, as they may', async () => {
    const { batches, callAll, listItems } = createBatches({ maxBatchSize: 2, maxConcurrentBatches: 2 })
    callAll(1, 2, 3, 4, 5)
    await settle()
    expect(listItems()).to.deep.equal([
      [1, 2],
      [3, 4],
    ])
    callAll(6)
    batches[1]?.end(['three', 'four'])
    await settle()
    expect(listItems().slice(2)).to.deep.equal([[5, 6]])
    callAll(7)
    batches[0]?.end(['one', 'two'])
    await settle()
    expect(listItems().slice(3)).to.deep.equal([[7]])
  })

  it('are 500 in a batch unless told otherwise', async () => {
    const { batches, calls, callAll } = createBatches()
    callAll(...Array.from({ length: 501 }, (_, at) => at))
    await settle()
    expect(batches.map(({ items }) => items.length)).to.deep.equal([500])
    batches[0]?.end(Array.from({ length: 500 }, () => 'done'))
    await calls[499]
    await settle()
    expect(batches.map(({ items }) => items.length)).to.deep.equal([500, 1])
  })

  it('fail together, also with too few answers, and the next ones go on', async () => {
    const { batches, calls, callAll } = createBatches()
    callAll(1, 2)
    await settle()
    batches[0]?.fail(new Error('the database is away'))
    expect(await Promise.all(calls.splice(0))).to.deep.equal(['the database is away', 'the database is away'])
    callAll(3, 4)
    await settle()
    batches[1]?.end(['three'])
    expect(await Promise.all(calls.splice(0))).to.deep.equal(['2 items got 1 answers', '2 items got 1 answers'])
    callAll(5)
    await settle()
    batches[2]?.end(['five'])
    expect(await Promise.all(calls)).to.deep.equal(['five'])
  })
})
