import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { declareJob, type JobRun, type JobType, type RunningJob } from '../../../../core/kernel/job.ts'
import { startWorker, type Worker } from '../../../../core/queue/worker.ts'
import { waitUntil } from '../../../support/processes.ts'
import { createQueueParts, type QueueParts } from '../parts.ts'
import { readJobRow, useServers } from '../servers.ts'

interface Step {
  job: string
  began: number
  ended: number
}

describe('Job queue: long steps of one organization', () => {
  const servers = useServers()
  let parts: QueueParts
  let worker: Worker | undefined
  let steps: Step[]
  let inStep: number
  /** What the steps of imports wait for. */
  let inside: (run: JobRun) => Promise<unknown>
  /** Ends the jobs that others do meanwhile. */
  let endOthers: () => void

  before(() => {
    parts = createQueueParts(servers().database.url, servers().redis.url)
  })
  after(() => parts.close())
  beforeEach(() => {
    steps = []
    inStep = 0
    inside = () => sleep(60)
  })
  afterEach(async () => {
    endOthers()
    await worker?.stop()
  })

  const enqueue = (type: JobType, organization: string) =>
    parts.context.db.transaction((trx) =>
      parts.context.queue.enqueue(trx, { type, organization, total: 3, payload: {} }),
    )

  /** Imports of three long steps each, mints of one quick step, publications that only take their time. */
  function work() {
    const { promise: others, resolve } = Promise.withResolvers<void>()
    endOthers = resolve
    const common = { permission: 'dpp:read', maxAttempts: 3 } as const
    const done = { status: 'completed', result: null } as const
    worker = startWorker({
      context: parts.context,
      jobs: [
        declareJob({
          ...common,
          type: 'import',
          async run({ id }: RunningJob, run) {
            for (let at = 0; at < 3; at++) {
              await run.step(async () => {
                const began = performance.now()
                inStep++
                await inside(run)
                inStep--
                steps.push({ job: id, began, ended: performance.now() })
              })
            }
            return done
          },
        }),
        declareJob({ ...common, type: 'mint', run: (_, run) => run.step(() => Promise.resolve(done)) }),
        declareJob({ ...common, type: 'publish', run: () => others.then(() => done) }),
      ],
    })
  }

  const statusOf = async (id: string) => (await readJobRow(servers(), id)).status
  const ended = (ids: readonly string[]) =>
    waitUntil(
      'the jobs end',
      async () => (await Promise.all(ids.map(statusOf))).every((status) => status === 'completed'),
      60_000,
    )

  it('go on beside each other while nobody else works', async () => {
    const organization = randomUUID()
    const { promise: all, resolve } = Promise.withResolvers<void>()
    inside = () => {
      if (inStep === 3) resolve()
      return all
    }
    work()
    await ended(await Promise.all([1, 2, 3].map(() => enqueue('import', organization))))
    expect(steps).to.have.length(9)
  })

  it('are alone again some time after the job of another organization has ended', async () => {
    const [a, b] = [randomUUID(), randomUUID()]
    work()
    await ended([await enqueue('mint', b)])
    inside = (run) => waitUntil('nobody else works', () => !run.isProcessShared())
    await ended([await enqueue('import', a)])
    expect(steps).to.have.length(3)
  })

  it('take turns and rest twice as long as they took while another organization works', async () => {
    const [a, b] = [randomUUID(), randomUUID()]
    const other = await enqueue('publish', b)
    work()
    const imports = await Promise.all([1, 2, 3].map(() => enqueue('import', a)))
    await ended(imports)
    endOthers()
    await ended([other])
    expect(steps).to.have.length(9)
    const sorted = steps.toSorted((one, next) => one.began - next.began)
    // Nobody knows before its end that a step is long: up to three begin as the first ones.
    const turns = sorted.slice(3)
    for (const [at, { began }] of turns.entries()) {
      const before = turns[at - 1]
      if (before)
        expect(began - before.ended, `rest before step ${at}`).to.be.at.least(2 * (before.ended - before.began))
    }
  })

  it('do not keep its quick jobs of another type', async () => {
    const [a, b] = [randomUUID(), randomUUID()]
    await enqueue('publish', b)
    const { promise: free, resolve } = Promise.withResolvers<void>()
    work()
    inside = () => (steps.length < 1 ? sleep(60) : free)
    const imports = await Promise.all([enqueue('import', a), enqueue('import', a)])
    await waitUntil('one has ended a long step', () => steps.length > 0)
    await waitUntil('one is in a step', () => inStep > 0)
    await ended([await enqueue('mint', a)])
    expect(await Promise.all(imports.map(statusOf))).to.deep.equal(['pending', 'pending'])
    resolve()
    await ended(imports)
  })

  it('hand a job back at once that rests when the worker stops', async () => {
    const [a, b] = [randomUUID(), randomUUID()]
    await enqueue('publish', b)
    inside = () => sleep(2_000)
    work()
    const resting = await enqueue('import', a)
    await waitUntil('a long step has ended', () => steps.length === 1)
    const stopped = worker?.stop()
    await waitUntil(
      'it is handed back',
      async () => (await readJobRow(servers(), resting)).lease_holder === null,
      60_000,
    )
    endOthers()
    await stopped
    worker = undefined
    expect(steps).to.have.length(1)
  })
})
