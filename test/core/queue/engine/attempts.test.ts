import { expect } from 'chai'
import { declareJob } from '../../../../core/kernel/job.ts'
import { startWorker, type Worker } from '../../../../core/queue/worker.ts'
import { waitUntil } from '../../../support/processes.ts'
import { createQueueParts, startJob, type QueueParts } from '../parts.ts'
import { hasJobEnded, readJobRow, useServers } from '../servers.ts'

describe('Job queue: attempts', () => {
  const servers = useServers()
  let parts: QueueParts
  let worker: Worker | undefined

  before(() => {
    parts = createQueueParts(servers().database.url, servers().redis.url)
  })
  after(() => parts.close())
  afterEach(async () => {
    await worker?.stop()
    worker = undefined
  })

  /** Runs a job whose every run does one step and throws then. @returns how often it ran before it had failed */
  async function countRuns(completedUnits: readonly number[]): Promise<number> {
    let runs = 0
    const failing = declareJob({
      type: 'mint',
      permission: 'dpp:read',
      maxAttempts: 2,
      async run(_, { step }) {
        const completed = completedUnits[runs++] ?? 0
        await step(async (_trx, move) => {
          if (completed > 0) move({ completed })
        })
        throw new Error('no further')
      },
    })
    const backoff = { minSeconds: 0.05, maxSeconds: 0.1 }
    worker = startWorker({ context: parts.context, jobs: [failing], types: ['mint'], backoff })
    const id = await startJob(parts.context, {}, { total: 3 })
    await waitUntil('the job ends', () => hasJobEnded(servers(), id))
    expect((await readJobRow(servers(), id)).status).to.equal('failed')
    return runs
  }

  it('count a run whose steps complete nothing', async () => {
    expect(await countRuns([])).to.equal(2)
  })

  it('begin anew with each run that completes a unit', async () => {
    expect(await countRuns([1, 1])).to.equal(3)
  })
})
