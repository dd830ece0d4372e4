import type { Worker as Thread } from 'node:worker_threads'
import { expect } from 'chai'
import { pino } from 'pino'
import type { JobDeclaration, JobRun } from '../../../core/kernel/job.ts'
import type { Context } from '../../../core/kernel/work.ts'
import type { LeasedJobRow } from '../../../core/queue/engine/leases.ts'
import { dueChannel } from '../../../core/queue/queue.ts'
import { startWorker, type Worker, type WorkerOptions } from '../../../core/queue/worker.ts'
import { waitUntil } from '../../support/processes.ts'
import { completed, createLeasedRow, declareMint } from './fakes/runs.ts'
import { FakeDatabase, type SentStatement } from './fakes/fake-database.ts'
import { FakedClock } from './fakes/faked-clock.ts'
import { countTimers } from './fakes/timers.ts'

/** Values of `Math.random` with which a repetition waits for 20 of its intervals, and for a hundredth of one. */
const [slowly, quickly] = [100, -4.45]

describe('Job queue: a worker and its database', () => {
  const realRandom = Math.random
  let worker: Worker | undefined
  let clock: FakedClock | undefined
  let database: FakeDatabase
  /** The jobs that are due. */
  let due: LeasedJobRow[]
  let answerOthers: (statement: SentStatement) => readonly object[] | Promise<readonly object[]>
  let listeners: Map<string, () => void>

  beforeEach(() => {
    due = []
    answerOthers = () => []
    listeners = new Map()
    database = new FakeDatabase((statement) =>
      statement.sql.includes('with recursive seen')
        ? due.splice(0, Number(statement.bindings[4])).map((row) => ({ ...row, after: null }))
        : answerOthers(statement),
    )
  })
  afterEach(async () => {
    Math.random = realRandom
    clock?.remove()
    clock = undefined
    await worker?.stop()
    worker = undefined
  })

  const start = (declaration: JobDeclaration<unknown>, options: Partial<WorkerOptions> = {}) => {
    const notices = {
      processNumber: 77,
      subscribe: (channel: string, listener: () => void) => {
        listeners.set(channel, listener)
        return () => void listeners.delete(channel)
      },
    }
    const context = {
      db: database.knex,
      notices,
      queue: { notifyWorker: () => undefined },
      log: pino({ level: 'silent' }),
      settings: {},
    } as unknown as Context
    worker = startWorker({ context, jobs: [declaration], types: ['mint'], ...options })
  }
  const listTakes = () => database.find('with recursive seen')
  const waitForTakes = (count: number) =>
    waitUntil(`there are ${count} searches`, () => listTakes().length >= count && database.openCount === 0)

  it('asks for as many jobs as it has slots, eight unless told otherwise', async () => {
    start(declareMint(async () => completed))
    await waitForTakes(1)
    const [, , , room, wanted, , , , types, , , number] = listTakes()[0]?.bindings ?? []
    expect([room, wanted, types, number]).to.deep.equal([4, 8, ['mint'], 77])
  })

  it('searches again as soon as there is room, without waiting for the next sweep', async () => {
    Math.random = () => slowly
    const done: string[] = []
    const ids = Array.from({ length: 20 }, () => {
      const row = createLeasedRow()
      due.push(row)
      return row.id
    })
    start(
      declareMint(async ({ id }) => {
        done.push(id)
        return completed
      }),
      { maxConcurrentJobs: 1 },
    )
    await waitUntil('all are done', () => done.length === 20, 15_000)
    expect(done).to.deep.equal(ids)
  })

  it('searches again for a notice, and hears none once it is stopped', async () => {
    Math.random = () => slowly
    start(declareMint(async () => completed))
    await waitForTakes(1)
    listeners.get(dueChannel)?.()
    await waitUntil('it searches', () => listTakes().length === 2, 15_000)
    await worker?.stop()
    expect([...listeners]).to.deep.equal([])
  })

  it('does not search while all slots are taken', async () => {
    Math.random = () => slowly
    let hasBegun = false
    const going = Promise.withResolvers<void>()
    due.push(createLeasedRow())
    start(
      declareMint(async () => {
        hasBegun = true
        await going.promise
        return completed
      }),
      { maxConcurrentJobs: 1 },
    )
    await waitUntil('it runs', () => hasBegun)
    listeners.get(dueChannel)?.()
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(listTakes()).to.have.length(1)
    going.resolve()
    await waitForTakes(2)
  })

  it('waits for the search under way when it stops, and hands back what that took', async () => {
    const going = Promise.withResolvers<void>()
    let hasBegun = false
    const row = createLeasedRow()
    database = new FakeDatabase(async ({ sql }) => {
      if (!sql.includes('with recursive seen')) return []
      hasBegun = true
      await going.promise
      return [{ ...row, after: null }]
    })
    start(
      declareMint(async (_, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        return completed
      }),
    )
    await waitUntil('it searches', () => hasBegun)
    const stopped = worker?.stop()
    going.resolve()
    await stopped
    const parked = database.find('s.kind').map(({ bindings }) => bindings)
    const ended = database.find('s.result').map(({ bindings }) => bindings.slice(0, 2))
    expect([...parked, ...ended]).to.deep.include.members([[[row.id], [row.lease_holder]]])
  })

  it('leaves neither timers nor its thread behind when it is stopped', async () => {
    const threads: Thread[] = []
    const note = (thread: Thread) => void threads.push(thread)
    process.on('worker', note)
    const before = await countTimers()
    try {
      start(declareMint(async () => completed))
      await waitUntil('the watchdog runs', () => threads.length === 1)
    } finally {
      process.off('worker', note)
    }
    await waitForTakes(1)
    await worker?.stop()
    expect([(await countTimers()) - before, threads.map(({ threadId }) => threadId)]).to.deep.equal([0, [-1]])
  })

  it('renews the leases of the jobs that it runs', async () => {
    Math.random = () => quickly
    const row = createLeasedRow()
    due.push(row)
    answerOthers = ({ sql }) => (sql.includes('renewed as') ? [{ lease_holder: row.lease_holder }] : [])
    const going = Promise.withResolvers<void>()
    start(
      declareMint(async () => {
        await going.promise
        return completed
      }),
    )
    await waitUntil('it renews them', () => database.find('renewed as').length > 0)
    expect(database.find('renewed as')[0]?.bindings.slice(0, 2)).to.deep.equal([[row.id], [row.lease_holder]])
    going.resolve()
  })

  it('gives up a run after five minutes without a step, and tries the job again after about a second', async () => {
    clock = new FakedClock()
    Math.random = () => 0.5
    const runs: JobRun[] = []
    due.push(createLeasedRow())
    start(
      declareMint((_, run) => {
        runs.push(run)
        return new Promise(() => {})
      }),
    )
    await waitUntil('it runs', () => runs.length === 1)
    const { readCount } = clock
    clock.nowMs += 300_000
    await waitUntil('it is looked at', () => (clock?.readCount ?? 0) > readCount + 2)
    expect(runs[0]?.signal.aborted).to.equal(false)
    clock.nowMs += 1
    await waitUntil('it is asked to end', () => runs[0]?.signal.aborted === true)
    clock.nowMs += 2_001
    await waitUntil('the job is parked', () => database.find('s.kind').length > 0)
    expect(database.find('s.kind')[0]?.bindings.slice(2)).to.deep.equal([['retry'], [1]])
  })

  it('tries a job again after a minute at most', async () => {
    Math.random = () => 0.5
    due.push(createLeasedRow({ attempts: 8 }))
    start(declareMint(() => Promise.reject(new Error('no')), { maxAttempts: 20 }))
    await waitUntil('the job is parked', () => database.find('s.kind').length > 0)
    expect(database.find('s.kind')[0]?.bindings.slice(2)).to.deep.equal([['retry'], [60]])
  })
})
