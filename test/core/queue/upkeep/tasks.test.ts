import { expect } from 'chai'
import { pino } from 'pino'
import type { Context } from '../../../../core/kernel/work.ts'
import { runUpkeep, startUpkeep, type UpkeepTask } from '../../../../core/queue/upkeep/upkeep.ts'
import { countTimers } from '../support/timers.ts'

const log = pino({ level: 'silent' })

describe('Upkeep: its tasks', () => {
  let done: string[]
  const context = { log } as unknown as Context

  beforeEach(() => {
    done = []
  })

  const createTask = (name: string, run: () => Promise<unknown> = async () => undefined): UpkeepTask => ({
    name,
    async run(given) {
      expect(given).to.equal(context)
      await run()
      done.push(name)
    },
  })
  const broken = createTask('broken', () => Promise.reject(new Error('no')))

  it('run one after the other, also after one that failed, whose name is returned', async () => {
    const slow = createTask('slow', () => new Promise((resolve) => setImmediate(resolve)))
    expect(await runUpkeep(context, [slow, broken, createTask('last'), broken])).to.deep.equal(['broken', 'broken'])
    expect(done).to.deep.equal(['slow', 'last'])
  })

  it('are left out once the upkeep is over', async () => {
    await runUpkeep(context, [createTask('first'), createTask('second')], () => done.length > 0)
    expect(done).to.deep.equal(['first'])
  })

  it('run at once, and no further after the upkeep is stopped, which waits for the one under way', async () => {
    const going = Promise.withResolvers<void>()
    const upkeep = startUpkeep(context, [createTask('first', () => going.promise), createTask('second')])
    let hasStopped = false
    const stopped = upkeep.stop().then(() => (hasStopped = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(hasStopped).to.equal(false)
    going.resolve()
    await stopped
    expect(done).to.deep.equal(['first'])
  })

  it('wait for an hour before they run again', async () => {
    const before = await countTimers()
    const realTimeout = globalThis.setTimeout
    const delays: unknown[] = []
    const noting = ((action: () => void, milliseconds: number) => {
      delays.push(milliseconds)
      return realTimeout(action, milliseconds)
    }) as typeof setTimeout
    globalThis.setTimeout = noting
    try {
      const upkeep = startUpkeep(context, [createTask('only')])
      while (delays.length === 0) await new Promise((resolve) => setImmediate(resolve))
      await upkeep.stop()
    } finally {
      globalThis.setTimeout = realTimeout
    }
    expect(await countTimers(), 'no timer is left').to.equal(before)
    expect(delays[0]).to.be.within(3_240_000, 3_960_000)
    expect(done).to.deep.equal(['only'])
  })
})
