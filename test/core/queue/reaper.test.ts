import { randomInt, randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { connectDatabase } from '../../../core/database/connection.ts'
import { declareJob } from '../../../core/kernel/job.ts'
import { dueChannel } from '../../../core/queue/queue.ts'
import { startWorker, type Worker } from '../../../core/queue/worker.ts'
import { readServerTime } from '../../support/database/server-activity.ts'
import { waitUntil } from '../../support/processes.ts'
import { leaseJobToWorker } from '../../support/rows/queue/job-leases.ts'
import { deleteJob, insertJobs } from '../../support/rows/queue/job-rows.ts'
import { showWorker } from '../../support/rows/queue/runs/held-jobs.ts'
import { leaseJobToNobody, readJobRun } from '../../support/rows/queue/runs/job-runs.ts'
import { FakedClock } from './support/faked-clock.ts'
import { createQueueParts, type QueueParts } from './parts.ts'
import { useServers } from './servers.ts'

/** Values of `Math.random` with which a repetition waits for 20 of its intervals, and for a hundredth of one. */
const [slowly, quickly] = [100, -4.45]

/** Seconds of a lease that does not end while a test runs, and that is none that is too long. */
const seconds = 14

/** A job of a type that no other test of the queue has. */
const declaration = declareJob({
  type: 'structure',
  permission: 'dpp:read',
  maxAttempts: 3,
  run: async () => ({ status: 'completed', result: null }),
})

describe('Job queue: the look for jobs whose run has ended without notice', () => {
  const servers = useServers()
  const realRandom = Math.random
  let parts: QueueParts
  let db: Knex
  let clock: FakedClock
  let worker: Worker | undefined
  let jobs: string[]

  before(async () => {
    parts = createQueueParts(servers().database.url, undefined)
    // The connection listens from the beginning, so that a worker that subscribes is not told to search once more.
    parts.notices.subscribe(dueChannel, () => undefined)
    await parts.notices.ready()
  })
  after(() => parts.close())
  beforeEach(async () => {
    clock = new FakedClock(1_000_000)
    jobs = []
    // On one connection, statements are answered in their order.
    db = connectDatabase({ url: servers().database.url, name: 'one connection', maxConnections: 1 })
    Math.random = () => slowly
    worker = startWorker({ context: { ...parts.context, db }, jobs: [declaration] })
    // This is answered after the first search for jobs and the first statement of the first look, which sends more.
    // The search now waits for its next turn, and only the looks repeat themselves.
    await readServerTime(db)
    Math.random = () => quickly
  })
  afterEach(async () => {
    clock.remove()
    await worker?.stop()
    Math.random = realRandom
    await db.destroy()
    for (const id of jobs) await deleteJob(servers().db, id)
  })

  const insertJob = async () => {
    const [id = ''] = await insertJobs(servers().db, [{ organization: randomUUID(), type: 'structure' }])
    jobs.push(id)
    return id
  }
  /** Inserts a job that a run of this worker has, before the search for jobs sees it. */
  const insertLeasedJob = async (number: number) => {
    const id = await insertJob()
    await leaseJobToWorker(servers().db, id, { worker: number, seconds })
    return id
  }
  const readRun = (id: string) => readJobRun(servers().db, id)
  const waitForEnd = (id: string) =>
    waitUntil('it runs to its end', async () => (await readRun(id)).status === 'completed', 15_000)
  /** Waits for two looks at least, each of which reads the clock three times. */
  const look = async () => {
    const before = clock.readCount
    await waitUntil('it looks', () => clock.readCount >= before + 10)
  }

  it('frees the jobs of workers that it has seen gone for a second and a half, and searches for them', async () => {
    const [gone, back] = [randomInt(1, 2 ** 31), randomInt(1, 2 ** 31)]
    const [first, second] = [await insertLeasedJob(gone), await insertLeasedJob(back)]
    await look()
    clock.nowMs += 1_000
    const leave = await showWorker(servers().db, back)
    await look()
    await leave()
    clock.nowMs += 499
    await look()
    expect(await readRun(first), 'a millisecond too early').to.include({ worker: gone, attempts: 1 })
    clock.nowMs += 1
    await waitForEnd(first)
    expect((await readRun(first)).attempts).to.equal(2)
    await look()
    expect(await readRun(second), 'of the one that was back for a moment').to.include({ worker: back, attempts: 1 })
  })

  it('drops what it holds without knowing it after a second and a half, and searches for it', async () => {
    const id = await insertLeasedJob(parts.notices.number)
    await look()
    clock.nowMs += 1_499
    await look()
    expect(await readRun(id), 'a millisecond too early').to.include({ worker: parts.notices.number, attempts: 1 })
    clock.nowMs += 1
    await waitForEnd(id)
    expect((await readRun(id)).attempts).to.equal(2)
  })

  it('makes jobs due whose lease has ended for as long as living runs take to renew theirs', async () => {
    const id = await insertJob()
    await leaseJobToNobody(servers().db, id, { seconds: -1 })
    const { holder } = await readRun(id)
    await look()
    clock.nowMs += 4_499
    await look()
    const early = await readRun(id)
    expect(early, 'a millisecond too early').to.include({ holder, attempts: 1 })
    expect(early.heldUntil).to.be.an.instanceOf(Date)
    clock.nowMs += 1
    await waitForEnd(id)
    expect((await readRun(id)).attempts).to.equal(2)
  })

  it('searches for nothing when it finds nothing', async () => {
    // What other tests have left is found first.
    await look()
    for (let times = 0; times < 2; times++) {
      clock.nowMs += 10_000
      await look()
    }
    const id = await insertJob()
    const living = await insertLeasedJob(randomInt(1, 2 ** 31))
    const { worker: number } = await readRun(living)
    const leave = await showWorker(servers().db, number ?? 0)
    try {
      await look()
      clock.nowMs += 10_000
      await look()
      expect(await readRun(id), 'a job that nobody rang for').to.include({ status: 'pending', attempts: 0 })
      expect(await readRun(living), 'of a worker that lives').to.include({ worker: number, attempts: 1 })
    } finally {
      await leave()
    }
  })
})
