import { expect } from 'chai'
import { pino } from 'pino'
import type { Context } from '../../../../core/kernel/work.ts'
import { startClockWatch } from '../../../../core/queue/upkeep/clock-watch.ts'
import { runUpkeep, startUpkeep, type UpkeepTask } from '../../../../core/queue/upkeep/upkeep.ts'
import { waitUntil } from '../../../support/processes.ts'
import { FakeDatabase } from '../fakes/fake-database.ts'
import { FakedClock } from '../fakes/faked-clock.ts'
import { countTimers } from '../fakes/timers.ts'

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

describe('Clock of the database: the watch for its being set back', () => {
  const realRandom = Math.random
  let clock: FakedClock
  let watch: { stop(): Promise<void> } | undefined
  let database: FakeDatabase
  let databaseMs: number
  let canRead: boolean
  let runs: string[]

  beforeEach(() => {
    clock = new FakedClock(1_000_000)
    // Looks every few milliseconds.
    Math.random = () => -4.45
    ;[databaseMs, canRead, runs] = [5_000_000, true, []]
    database = new FakeDatabase(({ sql }) => {
      if (!sql.includes('clock_timestamp')) return []
      if (!canRead) throw new Error('the database is away')
      return [{ ms: databaseMs }]
    })
    database.isSerial = true
    const context = { db: database.knex, log } as unknown as Context
    const broken = {
      name: 'broken',
      run: async () => {
        runs.push('broken')
        throw new Error('no')
      },
    }
    watch = startClockWatch(context, [broken, { name: 'own', run: async () => void runs.push('own') }])
  })
  afterEach(async () => {
    clock.remove()
    await watch?.stop()
    Math.random = realRandom
  })

  const countLooks = () => database.find('clock_timestamp').length
  const look = async () => {
    const before = countLooks()
    await waitUntil('it looks', () => countLooks() >= before + 2)
  }
  const listUpdated = () => database.statements.flatMap(({ sql }) => /update (jobs|messages)/.exec(sql)?.[1] ?? [])

  it('puts jobs, messages and what the tasks are for right at its start, also after a task that failed', async () => {
    await look()
    expect([listUpdated(), runs]).to.deep.equal([
      ['jobs', 'messages'],
      ['broken', 'own'],
    ])
  })

  it('does so again when the clock falls behind by more than two seconds', async () => {
    await look()
    clock.nowMs += 60_000
    databaseMs += 58_000
    await look()
    expect(runs, 'by two seconds').to.have.length(2)
    databaseMs -= 2_001
    await waitUntil('it runs them', () => runs.length === 4)
    await look()
    expect([runs.length, listUpdated().length], 'once').to.deep.equal([4, 4])
  })

  it('goes on after a look that failed', async () => {
    await look()
    canRead = false
    await look()
    canRead = true
    databaseMs -= 5_000
    await waitUntil('it runs them', () => runs.length === 4)
  })
})
