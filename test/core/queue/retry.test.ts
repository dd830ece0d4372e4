import { expect } from 'chai'
import { v7 } from 'uuid'
import { declareJob, type JobDeclaration } from '../../../core/kernel/job.ts'
import { listFailedJobs, retryFailedJob } from '../../../core/queue/retry.ts'
import { startWorker } from '../../../core/queue/worker.ts'
import { waitUntil } from '../../support/processes.ts'
import { createQueueParts, organizationId, startJob, type QueueParts } from './parts.ts'
import { hasJobEnded, readJobRow, useServers } from './servers.ts'

describe('Failed jobs: another run', () => {
  const servers = useServers()
  let parts: QueueParts
  let isBroken: boolean

  before(() => {
    parts = createQueueParts(servers().database.url, servers().redis.url)
  })
  beforeEach(() => {
    isBroken = true
  })
  after(() => parts.close())

  /** A job of three units, whose run breaks off after the first. */
  const breakingJob: JobDeclaration<unknown> = declareJob({
    type: 'mint',
    permission: 'dpp:read',
    maxAttempts: 1,
    async run({ completed, total }, { step }) {
      for (let unit = completed; unit < total; unit++) {
        if (isBroken && unit === 1) throw new Error('It breaks')
        await step(async (_, recordProgress) => recordProgress({ completed: 1 }))
      }
      return { status: 'completed', result: null }
    },
  })

  async function runToItsEnd(id: string): Promise<void> {
    const worker = startWorker({ context: parts.context, jobs: [breakingJob], types: ['mint'] })
    await waitUntil('the job ends', () => hasJobEnded(servers(), id))
    await worker.stop()
  }
  const retry = (id: string, organization: string | null = null) =>
    parts.context.db.transaction((trx) => retryFailedJob(trx, parts.context.queue, id, organization))
  const findListed = async (id: string) =>
    (await listFailedJobs(parts.context.db, organizationId, 10)).find((job) => job.id === id)

  it('goes on where the last one broke off, with counters as if nothing had failed', async () => {
    const id = await startJob(parts.context, {}, { total: 3 })
    await runToItsEnd(id)
    expect(await readJobRow(servers(), id)).to.include({ status: 'failed', completed: 1, failed: 2 })
    expect(await findListed(id)).to.deep.include({
      cause: { code: 'JOB_FAILED', message: 'The work could not be done in 1 attempts.' },
      hasWorkLeft: true,
    })
    isBroken = false
    const retried = await retry(id, organizationId)
    expect(retried?.isPutBack).to.equal(true)
    expect(retried?.row).to.deep.include({
      status: 'pending',
      completed: 1,
      failed: 0,
      errors: [],
      state: {},
      attempts: 0,
    })
    await runToItsEnd(id)
    expect(await readJobRow(servers(), id)).to.deep.include({
      status: 'completed',
      completed: 3,
      failed: 0,
      errors: [],
    })
    expect(await findListed(id)).to.equal(undefined)
  })

  it('begins once, for the organization of the job alone', async () => {
    const id = await startJob(parts.context, {}, { total: 3 })
    await runToItsEnd(id)
    expect(await retry(id, v7())).to.equal(undefined)
    expect(await retry(v7())).to.equal(undefined)
    expect((await readJobRow(servers(), id)).status).to.equal('failed')
    const both = await Promise.all([retry(id, organizationId), retry(id)])
    expect(both.map((each) => each?.isPutBack).sort()).to.deep.equal([false, true])
    await runToItsEnd(id)
    // It has failed again, and was counted as before.
    expect(await readJobRow(servers(), id)).to.include({ status: 'failed', completed: 1, failed: 2 })
    expect((await readJobRow(servers(), id)).errors).to.have.length(1)
  })
})
