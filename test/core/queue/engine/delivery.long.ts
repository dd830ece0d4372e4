import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker as Thread } from 'node:worker_threads'
import { expect } from 'chai'
import { assertQuick, waitUntil } from '../../../support/processes.ts'
import { listUnits } from '../../../support/rows/queue/units.ts'
import { declareJob } from '../../../../core/kernel/job.ts'
import { startWorker, type Worker, type WorkerOptions } from '../../../../core/queue/worker.ts'
import { dueChannel } from '../../../../core/queue/queue.ts'
import { organizationId, createQueueParts, startJob, startUnitsJob, unitsJob, type QueueParts } from '../parts.ts'
import { stopWorkerChild, hasJobEnded, readJobRow, startWorkerChild, useServers } from '../servers.ts'

describe('Job queue: delivery', () => {
  const servers = useServers()
  let parts: QueueParts
  let worker: Worker | undefined

  const work = (options: Partial<WorkerOptions> = {}) => {
    worker = startWorker({ context: parts.context, jobs: [unitsJob], types: ['mint'], ...options })
  }
  /**
   * Runs ten jobs one after the other in less time than a sweep for each takes; a busy machine has five tries.
   * @returns the last job
   */
  async function runQuickly(context: QueueParts['context'], units: number): Promise<string> {
    let id = ''
    await assertQuick(8_000, async () => {
      const startedAtMs = performance.now()
      for (let round = 0; round < 10; round++) {
        id = await startUnitsJob(context, { units })
        await waitUntil('it ends', () => hasJobEnded(servers(), id))
      }
      return performance.now() - startedAtMs
    })
    return id
  }
  before(() => {
    parts = createQueueParts(servers().database.url, servers().redis.url)
  })
  after(() => parts.close())
  afterEach(async () => {
    await worker?.stop()
    worker = undefined
  })

  it('runs a job that was rung at once, and says what came of it', async () => {
    work()
    await waitUntil('the bell hangs', () => parts.context.queue.isReady())
    const id = await runQuickly(parts.context, 3)
    const row = await readJobRow(servers(), id)
    expect(row).to.include({
      status: 'completed',
      organization: organizationId,
      completed: 3,
      failed: 0,
      total: 3,
      lease_holder: null,
    })
    expect(row.result).to.deep.equal({ units: 3 })
  })

  it('finds a job that nobody rang for within about a second', async () => {
    work()
    await sleep(300)
    const id = await startUnitsJob(parts.context, { units: 1 }, { ring: false })
    await waitUntil('it ends', () => hasJobEnded(servers(), id), 10_000)
  })

  it('runs a job that needs no payload', async () => {
    let seen: unknown
    const plain = declareJob({
      type: 'mint',
      permission: 'dpp:read',
      maxAttempts: 1,
      async run({ payload }) {
        seen = payload
        return { status: 'completed', result: null }
      },
    })
    work({ jobs: [plain] })
    const id = await startJob(parts.context, undefined)
    await waitUntil('it ends', () => hasJobEnded(servers(), id))
    expect(seen).to.equal(null)
  })

  it('delivers by the database alone where there is no Redis, without waiting for the sweep', async () => {
    const alone = createQueueParts(servers().database.url, undefined)
    const other = startWorker({ context: alone.context, jobs: [unitsJob], types: ['mint'] })
    try {
      let isHeard = false
      alone.notices.subscribe(dueChannel, () => {
        isHeard = true
      })
      await waitUntil('the channel is listened to', () => isHeard)
      await runQuickly(alone.context, 1)
    } finally {
      await other.stop()
      await alone.close()
    }
  })

  it('counts all that a step reports, whichever counters each report has', async () => {
    const reporting = declareJob({
      type: 'mint',
      permission: 'dpp:read',
      maxAttempts: 1,
      async run(_, { step }) {
        await step(async (_trx, recordProgress) => {
          recordProgress({ completed: 2, state: { first: true } })
          recordProgress({ failed: 1, errors: [{ line: 3, code: 'BAD', message: 'is bad' }] })
          recordProgress({ completed: 1, total: 1, state: { last: true } })
        })
        return { status: 'completed', result: null }
      },
    })
    work({ jobs: [reporting] })
    const id = await startJob(parts.context, {}, { total: 3 })
    await waitUntil('it ends', () => hasJobEnded(servers(), id))
    const { status, total, completed, failed, state, errors } = await readJobRow(servers(), id)
    expect({ status, total, completed, failed, state, errors }).to.deep.equal({
      status: 'completed',
      total: 4,
      completed: 3,
      failed: 1,
      state: { first: true, last: true },
      errors: [{ line: 3, code: 'BAD', message: 'is bad' }],
    })
  })

  it('shares jobs between workers and does each unit once', async () => {
    const children = await Promise.all([startWorkerChild(servers()), startWorkerChild(servers())])
    try {
      const ids = await Promise.all(
        Array.from({ length: 30 }, () => startUnitsJob(parts.context, { units: 3, pause: 100 })),
      )
      for (const id of ids) await waitUntil('it ends', () => hasJobEnded(servers(), id))
      const all = (await Promise.all(ids.map((id) => listUnits(servers(), id)))).flat()
      expect(all).to.have.length(90)
      expect(new Set(all.map(({ pid }) => pid)).size).to.equal(2)
    } finally {
      await Promise.all(children.map((child) => stopWorkerChild(child, 'SIGTERM')))
    }
  })

  it('does not run more at once than it was told to', async () => {
    let running = 0
    let maxSeen = 0
    const counting = declareJob({
      type: 'mint',
      permission: 'dpp:read',
      maxAttempts: 1,
      async run() {
        maxSeen = Math.max(maxSeen, ++running)
        await sleep(40)
        running--
        return { status: 'completed', result: null }
      },
    })
    work({ jobs: [counting], maxConcurrentJobs: 3 })
    const ids = await Promise.all(Array.from({ length: 15 }, () => startJob(parts.context, {})))
    for (const id of ids) await waitUntil('it ends', () => hasJobEnded(servers(), id))
    expect(maxSeen).to.equal(3)
  })

  it('leaves a waiting job alone until it is woken, with the commit of the wake', async () => {
    let runs = 0
    const waiting = declareJob({
      type: 'mint',
      permission: 'dpp:read',
      maxAttempts: 1,
      run: async ({ completed, total }) => {
        runs++
        return completed === total ? { status: 'completed', result: null } : { status: 'waiting', delaySeconds: 60 }
      },
    })
    work({ jobs: [waiting] })
    const { db, queue } = parts.context
    const id = await startJob(parts.context, {}, { total: 2 })
    await waitUntil('it has run', () => runs === 1)
    await sleep(1_300)
    expect(runs).to.equal(1)
    await db.transaction(async (trx) => {
      await queue.advanceJob(trx, id, { completed: 2 })
      await queue.wakeJobs(trx, id)
      await sleep(1_300)
      expect(runs).to.equal(1)
    })
    await waitUntil('it ends', () => hasJobEnded(servers(), id))
    expect(await readJobRow(servers(), id)).to.include({ status: 'completed', completed: 2, attempts: 1 })
  })

  it('does not sleep over a wake that came while the job ran', async () => {
    let runs = 0
    const { db, queue } = parts.context
    const waiting = declareJob({
      type: 'mint',
      permission: 'dpp:read',
      maxAttempts: 1,
      async run({ id }) {
        if (++runs === 2) return { status: 'completed', result: null }
        await db.transaction((trx) => queue.wakeJobs(trx, id))
        return { status: 'waiting', delaySeconds: 60 }
      },
    })
    work({ jobs: [waiting] })
    const id = await startJob(parts.context, {})
    await waitUntil('it ends', () => hasJobEnded(servers(), id))
  })

  it('looks again at a waiting job by itself when its time has come', async () => {
    let runs = 0
    const waiting = declareJob({
      type: 'mint',
      permission: 'dpp:read',
      maxAttempts: 1,
      run: async () =>
        ++runs === 3 ? { status: 'completed', result: null } : { status: 'waiting', delaySeconds: 0.2 },
    })
    work({ jobs: [waiting] })
    const id = await startJob(parts.context, {})
    await waitUntil('it ends', () => hasJobEnded(servers(), id))
    expect(runs).to.equal(3)
  })

  it('tells the channel of each change a reader can see, and counts it', async () => {
    const heard: string[] = []
    const { notices } = parts.context
    const deafen = notices.subscribe('job', (id) => heard.push(id))
    await waitUntil('the channel is listened to', () => heard.includes(''))
    work()
    const id = await startUnitsJob(parts.context, { units: 4 })
    await waitUntil('it ends', () => hasJobEnded(servers(), id))
    await waitUntil('all is heard', () => heard.filter((one) => one === id).length === 5)
    expect((await readJobRow(servers(), id)).version).to.equal(6)
    deafen()
  })

  it('leaves no thread behind when it is stopped: its watchdog would kill the process', async () => {
    const threads: Thread[] = []
    const note = (thread: Thread) => void threads.push(thread)
    process.on('worker', note)
    try {
      work()
      await waitUntil('the watchdog runs', () => threads.length === 1)
    } finally {
      process.off('worker', note)
    }
    await worker?.stop()
    worker = undefined
    expect(threads.map(({ threadId }) => threadId)).to.deep.equal([-1])
  })

  it('refuses to start on a type without handler or with two', () => {
    expect(() => startWorker({ context: parts.context, jobs: [], types: ['mint'] })).to.throw(
      'No handler is declared for jobs of type mint',
    )
    expect(() => startWorker({ context: parts.context, jobs: [unitsJob, unitsJob], types: ['mint'] })).to.throw(
      'Two handlers are declared for jobs of type mint',
    )
  })
})
