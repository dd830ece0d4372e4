import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { eventually } from '../../support/processes.ts'
import { job, type Run } from '../../../core/kernel/job.ts'
import { problem } from '../../../core/kernel/problem.ts'
import { startWorker, type Worker, type WorkerOptions } from '../../../core/queue/worker.ts'
import { partsOf, start, startUnits, unitsJob, type QueueParts } from './parts.ts'
import { hasEnded, jobRow, unitsOf, useServers } from './servers.ts'

describe('jobs that go wrong', () => {
  const servers = useServers()
  let parts: QueueParts
  let worker: Worker | undefined

  const work = (options: Partial<WorkerOptions>) => {
    worker = startWorker({ context: parts.context, jobs: [unitsJob], types: ['mint'], backoff: { least: 0.05, most: 0.2 }, ...options })
  }
  const ended = (id: string, milliseconds = 10_000) => eventually('it ends', () => hasEnded(servers(), id), milliseconds)

  before(() => { parts = partsOf(servers().database.url, servers().redis.url) })
  after(() => parts.close())
  afterEach(async () => {
    await worker?.stop()
    worker = undefined
  })

  it('a job that always throws fails after its attempts, gives back once, and others go on', async () => {
    let runs = 0
    const given: string[] = []
    const poison = job({
      type: 'claim', permission: 'dpp:read', attempts: 3,
      async run() {
        runs++
        throw new Error('the secret reason')
      },
      abandon: async (trx, { id }) => {
        given.push(id)
        await trx.raw('insert into units (job, unit, pid) values (?, -1, 0)', [id])
      },
    })
    work({ jobs: [poison, unitsJob], types: ['mint', 'claim'], concurrency: 1 })
    const bad = await start(parts.context, {}, { type: 'claim', total: 7 })
    const good = await Promise.all([1, 2, 3].map(() => startUnits(parts.context, { units: 2 })))
    for (const id of [bad, ...good]) await ended(id)
    const row = await jobRow(servers(), bad)
    expect(row).to.include({ status: 'failed', completed: 0, failed: 7, lease_holder: null })
    expect(row.errors).to.deep.equal([{ line: 0, code: 'JOB_FAILED', message: 'The work could not be done in 3 attempts.' }])
    expect(runs).to.equal(3)
    expect(given).to.deep.equal([bad])
    for (const id of good) expect(await jobRow(servers(), id)).to.include({ status: 'completed', completed: 2 })
  })

  it('a problem of ours is told in its own words', async () => {
    const refused = job({
      type: 'mint', permission: 'dpp:read', attempts: 1,
      run: () => { throw problem('DPP_PASSPORT_NOT_CLAIMABLE', 'The passport is archived.') },
    })
    work({ jobs: [refused] })
    const id = await start(parts.context, {})
    await ended(id)
    expect((await jobRow(servers(), id)).errors).to.deep.equal([
      { line: 0, code: 'DPP_PASSPORT_NOT_CLAIMABLE', message: 'The passport is archived.' }])
  })

  it('an outcome of failure ends the job at once and keeps what was done', async () => {
    let given = 0
    const half = job({
      type: 'mint', permission: 'dpp:read', attempts: 5,
      async run(_, { step }) {
        await step(async (_, move) => move({ completed: 2, errors: [{ line: 1, code: 'BAD', message: 'nul \0 and \ud800' }], failed: 1 }))
        return { status: 'failed', code: 'GONE', message: 'The rest is gone.' }
      },
      abandon: async () => { given++ },
    })
    work({ jobs: [half] })
    const id = await start(parts.context, {}, { total: 10 })
    await ended(id)
    const row = await jobRow(servers(), id)
    expect(row).to.include({ status: 'failed', completed: 2, failed: 8 })
    expect(row.errors.map(({ code }) => code)).to.deep.equal(['BAD', 'GONE'])
    expect(given).to.equal(1)
  })

  it('an abandonment that fails leaves nothing of its transaction and is tried again', async () => {
    let tries = 0
    const clumsy = job({
      type: 'mint', permission: 'dpp:read', attempts: 1,
      run: async () => { throw new Error('no') },
      async abandon(trx, { id }) {
        await trx.raw('insert into units (job, unit, pid) values (?, 0, 0)', [id])
        if (++tries < 3) throw new Error('not yet')
      },
    })
    work({ jobs: [clumsy] })
    const id = await start(parts.context, {})
    await ended(id)
    expect(tries).to.equal(3)
    expect(await unitsOf(servers(), id)).to.have.length(1)
  })

  it('a job never hangs on an abandonment that can never succeed', async () => {
    const stubborn = job({
      type: 'mint', permission: 'dpp:read', attempts: 1,
      run: async () => { throw new Error('no') },
      abandon: async () => { throw new Error('never') },
    })
    work({ jobs: [stubborn], backoff: { least: 0.01, most: 0.01 } })
    const id = await start(parts.context, {})
    const nudge = setInterval(() => parts.context.queue.ring(id), 50)
    await ended(id, 20_000).finally(() => clearInterval(nudge))
    expect(await jobRow(servers(), id)).to.include({ status: 'failed', failed: 1 })
  })

  it('a run that never comes back is given up, and cannot write any more', async () => {
    const runs: Run[] = []
    const hung = job({
      type: 'mint', permission: 'dpp:read', attempts: 1,
      run: (_, run) => {
        runs.push(run)
        return new Promise(() => {})
      },
    })
    work({ jobs: [hung], patience: 500 })
    const id = await start(parts.context, {})
    await ended(id, 15_000)
    expect(await jobRow(servers(), id)).to.include({ status: 'failed' })
    const [run] = runs
    expect(run?.signal.aborted).to.equal(true)
    const late = await run?.step(async (trx) => trx.raw('insert into units (job, unit, pid) values (?, 0, 0)', [id])).catch((cause: unknown) => cause)
    expect(late).to.be.instanceOf(Error)
    expect(await unitsOf(servers(), id)).to.deep.equal([])
  })

  it('a unit that gets done makes earlier failures forgotten, so a long job outlives many of them', async () => {
    const shaky = job<{ units: number }>({
      type: 'mint', permission: 'dpp:read', attempts: 2,
      async run({ payload, completed, attempt }, { step }) {
        if (completed === payload.units) return { status: 'completed', result: null }
        if (attempt === 1 && completed > 0) throw new Error('every unit fails once')
        await step(async (_, move) => move({ completed: 1 }))
        throw new Error('and once more after it')
      },
    })
    work({ jobs: [shaky] })
    const id = await start(parts.context, { units: 3 }, { total: 3 })
    await ended(id, 20_000)
    expect(await jobRow(servers(), id)).to.include({ status: 'completed', completed: 3 })
  })

  it('keeps the first hundred errors and counts all', async () => {
    const many = job({
      type: 'mint', permission: 'dpp:read', attempts: 1,
      async run(_, { step }) {
        for (let part = 0; part < 3; part++) {
          const errors = Array.from({ length: 60 }, (_, at) => ({ line: part * 60 + at, code: 'BAD', message: 'bad' }))
          await step(async (_, move) => move({ failed: 60, errors }))
        }
        return { status: 'completed', result: null }
      },
    })
    work({ jobs: [many] })
    const id = await start(parts.context, {}, { total: 180 })
    await ended(id)
    const row = await jobRow(servers(), id)
    expect(row.failed).to.equal(180)
    expect(row.errors.map(({ line }) => line)).to.deep.equal(Array.from({ length: 100 }, (_, line) => line))
    await sleep(0)
  })
})
