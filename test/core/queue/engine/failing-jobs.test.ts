import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { waitUntil } from '../../../support/processes.ts'
import { listUnits, recordUnit } from '../../../support/rows/queue/units.ts'
import { declareJob, type JobRun } from '../../../../core/kernel/job.ts'
import { createProblem } from '../../../../core/kernel/problem.ts'
import { JobLeases } from '../../../../core/queue/engine/leases.ts'
import { startWorker, type Worker, type WorkerOptions } from '../../../../core/queue/worker.ts'
import { createQueueParts, startJob, startUnitsJob, unitsJob, type QueueParts } from '../parts.ts'
import { hasJobEnded, readJobRow, useServers } from '../servers.ts'

describe('Job queue: jobs that fail', () => {
  const servers = useServers()
  let parts: QueueParts
  let worker: Worker | undefined

  const work = (options: Partial<WorkerOptions>) => {
    worker = startWorker({
      context: parts.context,
      jobs: [unitsJob],
      types: ['mint'],
      backoff: { minSeconds: 0.05, maxSeconds: 0.2 },
      ...options,
    })
  }
  const ended = (id: string, milliseconds = 10_000) =>
    waitUntil('it ends', () => hasJobEnded(servers(), id), milliseconds)

  before(() => {
    parts = createQueueParts(servers().database.url, servers().redis.url)
  })
  after(() => parts.close())
  afterEach(async () => {
    await worker?.stop()
    worker = undefined
  })

  it('fails a job that always throws after its attempts, gives back once, and runs others', async () => {
    let runs = 0
    const given: string[] = []
    const poison = declareJob({
      type: 'claim',
      permission: 'dpp:read',
      maxAttempts: 3,
      async run() {
        runs++
        throw new Error('the secret reason')
      },
      handleFailure: async (trx, { id }) => {
        given.push(id)
        await recordUnit(trx, id, -1)
      },
    })
    work({ jobs: [poison, unitsJob], types: ['mint', 'claim'], maxConcurrentJobs: 1 })
    const bad = await startJob(parts.context, {}, { type: 'claim', total: 7 })
    const good = await Promise.all([1, 2, 3].map(() => startUnitsJob(parts.context, { units: 2 })))
    for (const id of [bad, ...good]) await ended(id)
    const row = await readJobRow(servers(), bad)
    expect(row).to.include({ status: 'failed', completed: 0, failed: 7, lease_holder: null })
    expect(row.errors).to.deep.equal([
      { line: 0, code: 'JOB_FAILED', message: 'The work could not be done in 3 attempts.' },
    ])
    expect(runs).to.equal(3)
    expect(given).to.deep.equal([bad])
    for (const id of good) expect(await readJobRow(servers(), id)).to.include({ status: 'completed', completed: 2 })
  })

  it('shows the detail of a problem', async () => {
    const refused = declareJob({
      type: 'mint',
      permission: 'dpp:read',
      maxAttempts: 1,
      run: () => {
        throw createProblem('DPP_PASSPORT_NOT_CLAIMABLE', 'The passport is archived.')
      },
    })
    work({ jobs: [refused] })
    const id = await startJob(parts.context, {})
    await ended(id)
    expect((await readJobRow(servers(), id)).errors).to.deep.equal([
      { line: 0, code: 'DPP_PASSPORT_NOT_CLAIMABLE', message: 'The passport is archived.' },
    ])
  })

  it('ends the job at once for an outcome of failure and keeps what was done', async () => {
    let given = 0
    const half = declareJob({
      type: 'mint',
      permission: 'dpp:read',
      maxAttempts: 5,
      async run(_, { step }) {
        await step(async (_, move) =>
          move({ completed: 2, errors: [{ line: 1, code: 'BAD', message: 'nul \0 and \ud800' }], failed: 1 }),
        )
        return { status: 'failed', code: 'GONE', message: 'The rest is gone.' }
      },
      handleFailure: async () => {
        given++
      },
    })
    work({ jobs: [half] })
    const id = await startJob(parts.context, {}, { total: 10 })
    await ended(id)
    const row = await readJobRow(servers(), id)
    expect(row).to.include({ status: 'failed', completed: 2, failed: 8 })
    expect(row.errors.map(({ code }) => code)).to.deep.equal(['BAD', 'GONE'])
    expect(given).to.equal(1)
  })

  it('rolls back an abandonment that fails and tries it again', async () => {
    let tries = 0
    const clumsy = declareJob({
      type: 'mint',
      permission: 'dpp:read',
      maxAttempts: 1,
      run: async () => {
        throw new Error('no')
      },
      async handleFailure(trx, { id }) {
        await recordUnit(trx, id, 0)
        if (++tries < 3) throw new Error('not yet')
      },
    })
    work({ jobs: [clumsy] })
    const id = await startJob(parts.context, {})
    await ended(id)
    expect(tries).to.equal(3)
    expect(await listUnits(servers(), id)).to.have.length(1)
  })

  it('ends a job whose abandonment can never succeed', async () => {
    const stubborn = declareJob({
      type: 'mint',
      permission: 'dpp:read',
      maxAttempts: 1,
      run: async () => {
        throw new Error('no')
      },
      handleFailure: async () => {
        throw new Error('never')
      },
    })
    work({ jobs: [stubborn], backoff: { minSeconds: 0.01, maxSeconds: 0.01 } })
    const id = await startJob(parts.context, {})
    const nudge = setInterval(() => parts.context.queue.notifyWorker(id), 50)
    await ended(id, 20_000).finally(() => clearInterval(nudge))
    expect(await readJobRow(servers(), id)).to.include({ status: 'failed', failed: 1 })
  })

  it('gives up a run that never returns, which cannot write any more', async () => {
    const runs: JobRun[] = []
    const hangingJob = declareJob({
      type: 'mint',
      permission: 'dpp:read',
      maxAttempts: 1,
      run: (_, run) => {
        runs.push(run)
        return new Promise(() => {})
      },
    })
    work({ jobs: [hangingJob], handlerTimeoutMs: 500 })
    const id = await startJob(parts.context, {})
    await ended(id, 15_000)
    expect(await readJobRow(servers(), id)).to.include({ status: 'failed' })
    const [run] = runs
    expect(run?.signal.aborted).to.equal(true)
    const late = await run?.step((trx) => recordUnit(trx, id, 0)).catch((cause: unknown) => cause)
    expect(late).to.be.instanceOf(Error)
    expect(await listUnits(servers(), id)).to.deep.equal([])
  })

  it('does not give up a run that goes on step by step, however long it takes', async () => {
    let runs = 0
    const long = declareJob({
      type: 'mint',
      permission: 'dpp:read',
      maxAttempts: 5,
      async run(_, { step }) {
        runs++
        for (const end = performance.now() + 2_200; performance.now() < end;) {
          await step(async () => undefined)
          await sleep(50)
        }
        return { status: 'completed', result: null }
      },
    })
    work({ jobs: [long], handlerTimeoutMs: 1_000 })
    const id = await startJob(parts.context, {})
    await ended(id)
    expect([runs, (await readJobRow(servers(), id)).status]).to.deep.equal([1, 'completed'])
  })

  it('leaves a job alone that another run has done meanwhile, which is no error', async () => {
    const lost = Promise.withResolvers<void>()
    let [runs, isOver] = [0, false]
    const overtaken = declareJob({
      type: 'mint',
      permission: 'dpp:read',
      maxAttempts: 5,
      async run() {
        if (++runs === 2) return { status: 'completed', result: null }
        await lost.promise
        isOver = true
        return { status: 'failed', code: 'GONE', message: 'The rest is gone.' }
      },
    })
    const lines: string[] = []
    const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) })
    work({ jobs: [overtaken], context: { ...parts.context, log } })
    const id = await startJob(parts.context, {})
    await waitUntil('it runs', () => runs === 1)
    // As a sweep does with a run that seems dead.
    const { lease_holder: holder } = await readJobRow(servers(), id)
    await new JobLeases({ db: servers().db, types: [], worker: () => null }).dropHolders([holder ?? ''])
    await ended(id)
    lost.resolve()
    await waitUntil('the first run is over', () => isOver)
    await worker?.stop()
    worker = undefined
    expect(lines).to.deep.equal([])
    expect(await readJobRow(servers(), id)).to.include({ status: 'completed', failed: 0 })
  })

  it('forgets earlier failures with each finished item, so a long job outlives many of them', async () => {
    const shaky = declareJob<{ units: number }>({
      type: 'mint',
      permission: 'dpp:read',
      maxAttempts: 2,
      async run({ payload, completed, attempt }, { step }) {
        if (completed === payload.units) return { status: 'completed', result: null }
        if (attempt === 1 && completed > 0) throw new Error('every unit fails once')
        await step(async (_, move) => move({ completed: 1 }))
        throw new Error('and once more after it')
      },
    })
    work({ jobs: [shaky] })
    const id = await startJob(parts.context, { units: 3 }, { total: 3 })
    await ended(id, 20_000)
    expect(await readJobRow(servers(), id)).to.include({ status: 'completed', completed: 3 })
  })

  it('keeps the first hundred errors and counts all', async () => {
    const many = declareJob({
      type: 'mint',
      permission: 'dpp:read',
      maxAttempts: 1,
      async run(_, { step }) {
        for (let part = 0; part < 3; part++) {
          const errors = Array.from({ length: 60 }, (_, at) => ({ line: part * 60 + at, code: 'BAD', message: 'bad' }))
          await step(async (_, move) => move({ failed: 60, errors }))
        }
        return { status: 'completed', result: null }
      },
    })
    work({ jobs: [many] })
    const id = await startJob(parts.context, {}, { total: 180 })
    await ended(id)
    const row = await readJobRow(servers(), id)
    expect(row.failed).to.equal(180)
    expect(row.errors.map(({ line }) => line)).to.deep.equal(Array.from({ length: 100 }, (_, line) => line))
    await sleep(0)
  })
})
