import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { declareJob, type RunningJob } from '../../../../core/kernel/job.ts'
import { eachBatch } from '../../../../core/queue/batches/each-batch.ts'
import { insertJobItems, takeJobItems, type JobItem } from '../../../../core/queue/batches/items.ts'
import { JobLeases } from '../../../../core/queue/engine/leases.ts'
import { startWorker, type Worker } from '../../../../core/queue/worker.ts'
import { waitUntil } from '../../../support/processes.ts'
import { createQueueParts, startJob, type QueueParts } from '../parts.ts'
import { hasJobEnded, readJobRow, useServers } from '../servers.ts'

describe('Job queue: items of a job, batch by batch', () => {
  const servers = useServers()
  let parts: QueueParts
  let worker: Worker | undefined
  /** The lines of each batch whose work began, and what happens inside it. */
  let batches: number[][]
  let inside: (trx: Knex, items: readonly JobItem[]) => Promise<void>

  before(() => {
    parts = createQueueParts(servers().database.url, undefined)
  })
  after(() => parts.close())
  beforeEach(() => {
    batches = []
    inside = async () => undefined
  })
  afterEach(() => worker?.stop())

  const job = declareJob({
    type: 'publish',
    permission: 'dpp:read',
    maxAttempts: 5,
    async run({ id, state }: RunningJob, run) {
      const { sum } = await eachBatch(run, {
        job: id,
        step: 'test',
        state: { sum: Number(state['sum'] ?? 0) },
        take: (trx) => takeJobItems(trx, { job: id, step: 'test' }, 4),
        async work(trx, items, { sum }) {
          batches.push(items.map(({ line }) => line))
          await inside(trx, items)
          const failed = items.filter(({ line }) => line % 5 === 0)
          return {
            state: { sum: items.reduce((all, { line }) => all + line, sum) },
            progress: {
              completed: items.length - failed.length,
              failed: failed.length,
              errors: failed.map(({ line }) => ({ line, code: 'FIVE', message: 'is a multiple of five' })),
            },
          }
        },
      })
      return { status: 'completed', result: { sum } }
    },
  })

  async function start(count: number): Promise<string> {
    const id = await startJob(parts.context, {}, { total: count, ring: false, type: 'publish' })
    const items = Array.from({ length: count }, (_, line) => ({ line, subject: randomUUID() }))
    await insertJobItems(servers().db, { job: id, step: 'test' }, items)
    await insertJobItems(servers().db, { job: id, step: 'later' }, [{ line: count, subject: randomUUID() }])
    return id
  }

  async function finish(id: string) {
    worker = startWorker({ context: parts.context, jobs: [job], backoff: { minSeconds: 0.05, maxSeconds: 0.05 } })
    await waitUntil('it ends', () => hasJobEnded(servers(), id))
    return readJobRow(servers(), id)
  }

  /** Takes what is left of a list, and returns its lines. */
  const takeLines = async (id: string, step: string) =>
    (await takeJobItems(servers().db, { job: id, step }, 100)).map(({ line }) => line)

  it('are taken in their order, worked on and counted once, apart from those of another step', async () => {
    const id = await start(10)
    const { completed, failed, errors, result, state, attempts } = await finish(id)
    expect(batches).to.deep.equal([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9],
    ])
    expect({ completed, failed, result, state, attempts }, 'in one run').to.deep.equal({
      completed: 8,
      failed: 2,
      result: { sum: 45 },
      state: { sum: 45 },
      attempts: 1,
    })
    expect(errors.map(({ line }) => line)).to.deep.equal([0, 5])
    expect(await takeLines(id, 'test')).to.deep.equal([])
    expect(await takeLines(id, 'later')).to.deep.equal([10])
  })

  it('are all there again after a batch that threw, and counted only by the batch that did not', async () => {
    let attempts = 0
    inside = async (_trx, [first]) => {
      if (first?.line === 4 && ++attempts < 3) throw new Error('not yet')
    }
    const { completed, failed, result } = await finish(await start(10))
    expect(batches.map(([first]) => first)).to.deep.equal([0, 4, 4, 4, 8])
    expect({ completed, failed, result }).to.deep.equal({ completed: 8, failed: 2, result: { sum: 45 } })
  })

  it('stay with the run that has the lease: another one takes and counts nothing', async () => {
    const id = await start(10)
    let dropped: Promise<void> | undefined
    inside = async (_trx, [first]) => {
      if (first?.line !== 4 || batches.length > 2) return
      // As a sweep does with a run that seems dead: it waits for this batch, then the job is another run's.
      const { lease_holder: holder } = await readJobRow(servers(), id)
      dropped = new JobLeases({ db: servers().db, types: [], worker: () => null }).dropHolders([holder ?? ''])
    }
    const { completed, failed, result } = await finish(id)
    await dropped
    expect(batches.flat()).to.deep.equal(Array.from({ length: 10 }, (_, line) => line))
    expect({ completed, failed, result }).to.deep.equal({ completed: 8, failed: 2, result: { sum: 45 } })
  })
})
