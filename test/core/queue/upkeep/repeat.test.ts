import { expect } from 'chai'
import { startRepetition } from '../../../../core/queue/upkeep/repeat.ts'

/** Lets everything go on that waits for a promise that is settled. */
const settle = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))

describe('Repetition of an action', () => {
  /** An action whose runs end one by one, when the test says so, and which nothing but `runSoon` begins again. */
  function start() {
    const ends: (() => void)[] = []
    const errors: unknown[] = []
    const act = () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      ends.push(resolve)
      return promise.then(() => {
        if (ends.length === 1) throw new Error('the first one')
      })
    }
    const repetition = startRepetition(3_600_000, act, (cause) => errors.push(cause))
    const done: string[] = []
    const call = (name: string) => void repetition.runSoon().then(() => done.push(name))
    const endRun = () => {
      ends.at(-1)?.()
      return settle()
    }
    return { repetition, ends, errors, done, call, endRun }
  }

  it('begins at once, goes on after an error, and runs once more for all who call during a run', async () => {
    const { repetition, ends, errors, done, call, endRun } = start()
    expect(ends).to.have.length(1)
    call('one')
    call('two')
    await endRun()
    expect(errors.map(String)).to.deep.equal(['Error: the first one'])
    expect([ends.length, done]).to.deep.equal([2, []])
    await endRun()
    expect([ends.length, done]).to.deep.equal([2, ['one', 'two']])
    call('three')
    await settle()
    expect([ends.length, done]).to.deep.equal([3, ['one', 'two']])
    await endRun()
    expect(done).to.deep.equal(['one', 'two', 'three'])
    await repetition.stop()
  })

  it('ends with the run in progress, begins no other, and leaves nobody waiting', async () => {
    const { repetition, ends, done, call, endRun } = start()
    call('during the run')
    let isStopped = false
    const stopped = repetition.stop().then(() => (isStopped = true))
    await settle()
    expect([isStopped, done]).to.deep.equal([false, []])
    await endRun()
    await stopped
    call('after the end')
    await settle()
    expect([ends.length, done]).to.deep.equal([1, ['during the run', 'after the end']])
  })
})
