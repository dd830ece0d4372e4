import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker as Thread } from 'node:worker_threads'
import { expect } from 'chai'
import {
  declareJob,
  type JobDeclaration,
  type JobOutcome,
  type JobRun,
  type RunningJob,
} from '../../../core/kernel/job.ts'
import { dueChannel } from '../../../core/queue/queue.ts'
import { startWorker, type Worker, type WorkerOptions } from '../../../core/queue/worker.ts'
import { waitUntil } from '../../support/processes.ts'
import { deleteJob, insertJobs, type NewJobRow } from '../../support/rows/queue/job-rows.ts'
import { holdJobs } from '../../support/rows/queue/runs/held-jobs.ts'
import { readJobRun, readJobRuns, setAttempts, shortenLease } from '../../support/rows/queue/runs/job-runs.ts'
import { FakedClock } from './support/faked-clock.ts'
import { countTimers } from './support/timers.ts'
import { createQueueParts, type QueueParts } from './parts.ts'
import { useServers } from './servers.ts'

/** Values of `Math.random` with which a repetition waits for 20 of its intervals, and for a hundredth of one. */
const [slowly, quickly] = [100, -4.45]

const completed: JobOutcome = { status: 'completed', result: null }

/** A job of a type that no other test of the queue has. */
const declareRotation = (
  run: (job: RunningJob, run: JobRun) => Promise<JobOutcome>,
  more: Partial<JobDeclaration<unknown>> = {},
): JobDeclaration<unknown> => declareJob({ type: 'rotate', permission: 'dpp:read', maxAttempts: 3, run, ...more })

describe('Job queue: a worker and its database', () => {
  const servers = useServers()
  const realRandom = Math.random
  let parts: QueueParts
  /** Number of notices that a job is due. */
  let noticeCount = 0
  let worker: Worker | undefined
  let clock: FakedClock | undefined
  let jobs: string[]

  before(async () => {
    parts = createQueueParts(servers().database.url, undefined)
    // The connection listens from the beginning, so that a worker that subscribes is not told to search once more.
    parts.notices.subscribe(dueChannel, () => void noticeCount++)
    await parts.notices.ready()
  })
  after(() => parts.close())
  beforeEach(() => {
    jobs = []
  })
  afterEach(async () => {
    Math.random = realRandom
    clock?.remove()
    clock = undefined
    await worker?.stop()
    worker = undefined
    for (const id of jobs) await deleteJob(servers().db, id)
  })

  const start = (declaration: JobDeclaration<unknown>, options: Partial<WorkerOptions> = {}) => {
    worker = startWorker({ context: parts.context, jobs: [declaration], types: ['rotate'], ...options })
  }
  const insert = async (...rows: Partial<NewJobRow>[]) => {
    const organization = randomUUID()
    const ids = await insertJobs(
      servers().db,
      rows.map((row) => ({ organization, type: 'rotate', ...row })),
    )
    jobs.push(...ids)
    return ids
  }
  const insertOne = async () => (await insert({}))[0] ?? ''
  const readRun = (id: string) => readJobRun(servers().db, id)
  const hasEnded = async (id: string) => (await readRun(id)).status !== 'pending'
  const ring = async () => {
    const before = noticeCount
    parts.context.queue.notifyWorker('')
    await waitUntil('the notice is heard', () => noticeCount > before)
  }

  it('takes as many jobs as it has slots, eight unless told otherwise, and four of an organization', async () => {
    const begun: string[] = []
    const going = Promise.withResolvers<void>()
    const ids: string[][] = []
    for (let count = 0; count < 3; count++) ids.push(await insert(...Array.from({ length: 5 }, () => ({}))))
    const [other = ''] = await insert({ type: 'publish' })
    start(
      declareRotation(async ({ id }) => {
        begun.push(id)
        await going.promise
        return completed
      }),
    )
    await waitUntil('eight run', () => begun.length === 8)
    const runs = await Promise.all(ids.map((each) => readJobRuns(servers().db, each)))
    const held = runs.map((each) => each.filter((run) => run.worker === parts.notices.number).length)
    expect(held.reduce((sum, count) => sum + count)).to.equal(8)
    expect(Math.max(...held)).to.be.at.most(4)
    expect(runs.flat().filter(({ attempts }) => attempts > 0)).to.have.length(8)
    expect(await readRun(other), 'of a type that it does not run').to.include({ attempts: 0, holder: null })
    going.resolve()
  })

  it('searches again as soon as there is room, without waiting for the next sweep', async () => {
    Math.random = () => slowly
    const done: string[] = []
    const ids = await insert(...Array.from({ length: 20 }, (_, at) => ({ dueInSeconds: at - 30 })))
    start(
      declareRotation(async ({ id }) => {
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
    const first = await insertOne()
    start(declareRotation(async () => completed))
    await waitUntil('it has searched', () => hasEnded(first), 15_000)
    const second = await insertOne()
    await sleep(50)
    expect(await readRun(second), 'before the notice').to.include({ status: 'pending', attempts: 0 })
    await ring()
    await waitUntil('it searches', () => hasEnded(second), 15_000)
    await worker?.stop()
    const third = await insertOne()
    await ring()
    await sleep(50)
    expect(await readRun(third), 'once it is stopped').to.include({ status: 'pending', attempts: 0 })
  })

  it('takes nothing while all slots are taken', async () => {
    Math.random = () => slowly
    const begun: string[] = []
    const going = Promise.withResolvers<void>()
    const [first, second = ''] = await insert({ dueInSeconds: -2 }, { dueInSeconds: -1 })
    start(
      declareRotation(async ({ id }) => {
        begun.push(id)
        await going.promise
        return completed
      }),
      { maxConcurrentJobs: 1 },
    )
    await waitUntil('it runs', () => begun.length === 1)
    await ring()
    await sleep(50)
    expect(await readRun(second)).to.include({ attempts: 0, holder: null })
    going.resolve()
    await waitUntil('the next one runs', () => begun.length === 2, 15_000)
    expect(begun).to.deep.equal([first, second])
  })

  it('waits for the search under way when it stops, and hands back what that took', async () => {
    const id = await insertOne()
    // A job that is taken is woken no more.
    await parts.context.queue.wakeJobs(servers().db, id)
    const held = await holdJobs(servers().db)
    start(
      declareRotation(async (_, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        throw signal.reason
      }),
    )
    await waitUntil('it searches', () => held.isAwaited())
    const stopped = worker?.stop()
    await held.release()
    await stopped
    expect(await readRun(id)).to.include({ status: 'pending', holder: null, worker: null, attempts: 0, isWoken: false })
  })

  it('leaves neither timers nor its thread behind when it is stopped', async () => {
    const threads: Thread[] = []
    const note = (thread: Thread) => void threads.push(thread)
    process.on('worker', note)
    const id = await insertOne()
    const before = await countTimers()
    try {
      start(declareRotation(async () => completed))
      await waitUntil('the watchdog runs', () => threads.length === 1)
    } finally {
      process.off('worker', note)
    }
    await waitUntil('it has searched', () => hasEnded(id))
    await worker?.stop()
    expect(threads.map(({ threadId }) => threadId)).to.deep.equal([-1])
    // The connections have timers for a while.
    await waitUntil('there are no further timers', async () => (await countTimers()) <= before, 5_000)
  })

  it('renews the leases of the jobs that it runs', async () => {
    Math.random = () => quickly
    const id = await insertOne()
    const going = Promise.withResolvers<void>()
    start(
      declareRotation(async () => {
        await going.promise
        return completed
      }),
    )
    await waitUntil('it runs', async () => (await readRun(id)).holder !== null)
    const { holder } = await readRun(id)
    await shortenLease(servers().db, id, { seconds: 5 })
    const inEightSeconds = Date.now() + 8_000
    await waitUntil('it renews the lease', async () => Number((await readRun(id)).heldUntil) > inEightSeconds, 4_000)
    expect(await readRun(id)).to.include({ holder, worker: parts.notices.number, attempts: 1 })
    going.resolve()
  })

  it('gives up a run after five minutes without a step, and tries the job again after about a second', async () => {
    clock = new FakedClock()
    Math.random = () => slowly
    const runs: JobRun[] = []
    const id = await insertOne()
    start(
      declareRotation((_, run) => {
        runs.push(run)
        return new Promise(() => {})
      }),
    )
    await waitUntil('it runs', () => runs.length === 1)
    await sleep(50)
    // From now on only the runs are looked at, twice a second.
    const { readCount } = clock
    clock.nowMs += 300_000
    await waitUntil('it is looked at', () => (clock?.readCount ?? 0) > readCount)
    expect(runs[0]?.signal.aborted).to.equal(false)
    clock.nowMs += 1
    await waitUntil('it is asked to end', () => runs[0]?.signal.aborted === true)
    expect(await readRun(id)).to.include({ status: 'pending', worker: parts.notices.number })
    Math.random = () => 0.5
    clock.nowMs += 2_001
    await waitUntil('the job is parked', async () => (await readRun(id)).holder === null)
    const { attempts, status, dueInSeconds } = await readRun(id)
    expect([attempts, status]).to.deep.equal([1, 'pending'])
    expect(dueInSeconds).to.be.within(0.5, 1)
  })

  it('tries a job again after a minute at most', async () => {
    Math.random = () => 0.5
    const id = await insertOne()
    await setAttempts(servers().db, id, 8)
    start(declareRotation(() => Promise.reject(new Error('no')), { maxAttempts: 20 }))
    await waitUntil('the job is parked', async () => (await readRun(id)).dueInSeconds > 0)
    const { attempts, holder, dueInSeconds } = await readRun(id)
    expect([attempts, holder]).to.deep.equal([9, null])
    expect(dueInSeconds).to.be.within(55, 60)
  })
})
