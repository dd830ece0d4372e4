import { expect } from 'chai'
import { pino } from 'pino'
import type { Context } from '../../../core/kernel/work.ts'
import { startWorker, type Worker } from '../../../core/queue/worker.ts'
import { waitUntil } from '../../support/processes.ts'
import { completed, declareMint } from './fakes/runs.ts'
import { FakeDatabase } from './fakes/fake-database.ts'
import { FakedClock } from './fakes/faked-clock.ts'

/** Values of `Math.random` with which a repetition waits for 20 of its intervals, and for a hundredth of one. */
const [slowly, quickly] = [100, -4.45]

describe('Job queue: the look for jobs whose run has ended without notice', () => {
  const realRandom = Math.random
  let clock: FakedClock
  let worker: Worker | undefined
  let database: FakeDatabase
  /** What each look finds. */
  let found: { gone: number[]; strays: string[]; ended: string[] }
  let lookCount: number

  beforeEach(async () => {
    clock = new FakedClock(1_000_000)
    found = { gone: [], strays: [], ended: [] }
    lookCount = 0
    const { promise: start, resolve: begin } = Promise.withResolvers<void>()
    database = new FakeDatabase(async ({ sql }) => {
      if (sql.includes('holding as')) {
        await start
        return found.gone.map((number) => ({ number }))
      }
      if (sql.includes('lease_holder <> all')) return found.strays.map((lease_holder) => ({ lease_holder }))
      if (!sql.startsWith('select lease_holder')) return sql.includes('with over as') ? [{ id: 'one' }] : []
      lookCount++
      return found.ended.map((lease_holder) => ({ lease_holder }))
    })
    Math.random = () => slowly
    const context = {
      db: database.knex,
      notices: { processNumber: 77, subscribe: () => () => undefined },
      log: pino({ level: 'silent' }),
      settings: {},
    } as unknown as Context
    worker = startWorker({ context, jobs: [declareMint(async () => completed)] })
    // The search for jobs now waits for its next turn, and only the looks repeat themselves.
    await waitUntil('it has searched for jobs', () => countSearches() === 1 && database.openCount === 1)
    Math.random = () => quickly
    begin()
  })
  afterEach(async () => {
    clock.remove()
    await worker?.stop()
    Math.random = realRandom
  })

  const countSearches = () => database.find('with recursive seen').length
  const look = async () => {
    const before = lookCount
    await waitUntil('it looks', () => lookCount >= before + 2)
  }
  const listFreed = () => database.find('lease_worker = any').map(({ bindings }) => bindings)
  const listDropped = () => database.find('lease_worker = null where').map(({ bindings }) => bindings)
  const listExpired = () => database.find('with over as').map(({ bindings }) => bindings)

  it('frees the jobs of workers that it has seen gone for a second and a half, and searches for them', async () => {
    found.gone = [5, 6]
    await look()
    clock.nowMs += 1_000
    found.gone = [5]
    await look()
    found.gone = [5, 6]
    clock.nowMs += 499
    await look()
    expect([listFreed(), countSearches()], 'a millisecond too early').to.deep.equal([[], 1])
    clock.nowMs += 1
    await waitUntil('it searches', () => countSearches() >= 2)
    await look()
    // The other one was back for a moment.
    expect(new Set(listFreed().flat(2))).to.deep.equal(new Set([5]))
  })

  it('drops what it holds without knowing it after a second and a half, and searches for it', async () => {
    found.strays = ['a']
    await look()
    clock.nowMs += 1_499
    await look()
    expect([listDropped(), countSearches()], 'a millisecond too early').to.deep.equal([[], 1])
    clock.nowMs += 1
    await waitUntil('it searches', () => countSearches() >= 2)
    expect(listDropped()[0]).to.deep.equal([['a']])
  })

  it('makes jobs due whose lease has ended for as long as living runs take to renew theirs', async () => {
    found.ended = ['a']
    await look()
    clock.nowMs += 4_499
    await look()
    expect([listExpired(), countSearches()], 'a millisecond too early').to.deep.equal([[], 1])
    clock.nowMs += 1
    await waitUntil('it searches', () => countSearches() >= 2)
    expect(listExpired()[0]).to.deep.equal([['a']])
  })

  it('searches for nothing when it finds nothing', async () => {
    clock.nowMs += 10_000
    await look()
    clock.nowMs += 10_000
    await look()
    expect(countSearches()).to.equal(1)
    expect([listFreed(), listDropped(), listExpired()]).to.deep.equal([[], [], []])
  })
})
