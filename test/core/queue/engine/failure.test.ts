import { expect } from 'chai'
import { pino } from 'pino'
import { v7 } from 'uuid'
import { createProblem } from '../../../../core/kernel/problem.ts'
import type { JobDeclaration } from '../../../../core/kernel/job.ts'
import { waitUntil } from '../../../support/processes.ts'
import { deleteJobsOf, insertLeasedJobs, passLeaseOn, readLease } from '../../../support/rows/queue/job-leases.ts'
import { listUnits, recordUnit } from '../../../support/rows/queue/units.ts'
import { createRunner, declareMint } from '../support/runs.ts'
import { createQueueParts, type QueueParts } from '../parts.ts'
import { readJobRow, useServers } from '../servers.ts'

describe('Job queue: the end of a job that failed for good', () => {
  const servers = useServers()
  const organization = v7()
  const realRandom = Math.random
  let parts: QueueParts

  before(() => {
    parts = createQueueParts(servers().database.url, undefined)
  })
  after(() => parts.close())
  afterEach(async () => {
    Math.random = realRandom
    await deleteJobsOf(servers().db, organization)
  })

  interface FailingJob {
    attempts?: number
    /** The units that are done, of three. */
    done?: number
    /** Whether another run has the job by now. */
    isLost?: boolean
  }

  /** Runs a job, in its last attempt unless told otherwise. @returns what has become of it */
  async function failJob(
    declaration: JobDeclaration<unknown>,
    { attempts = 3, done = 1, isLost = false }: FailingJob = {},
  ) {
    const { db } = servers()
    const [leased] = await insertLeasedJobs(db, [{ organization, attempts, completed: done }])
    if (!leased) throw new Error('No job was written')
    const { id } = leased
    if (isLost) await passLeaseOn(db, id)
    const errors: string[] = []
    const log = pino({ level: 'error' }, { write: (line) => void errors.push(line) })
    const runner = createRunner(declaration, { ...parts.context, log })
    Math.random = () => 0.5
    await runner.runJob(leased)
    await waitUntil('it is written', () => runner.listHolders().length === 0)
    Math.random = realRandom
    return { id, row: await readJobRow(servers(), id), lease: await readLease(db, id), errors }
  }

  const broken = () => Promise.reject(new Error('the secret reason'))
  const jobFailed = (attempts: number) => [
    { line: 0, code: 'JOB_FAILED', message: `The work could not be done in ${attempts} attempts.` },
  ]

  it('is written with all that is left as failed and without the reason, in one transaction', async () => {
    const { row, lease } = await failJob(declareMint(broken))
    expect(row).to.deep.include({
      status: 'failed',
      total: 3,
      completed: 1,
      failed: 2,
      // What is needed to make the job pending again.
      state: { at: 1, failure: { left: 2, code: 'JOB_FAILED', message: 'The work could not be done in 3 attempts.' } },
      errors: jobFailed(3),
      result: null,
    })
    expect([lease.holder, lease.worker, lease.leaseSeconds]).to.deep.equal([null, null, null])
  })

  it('counts nothing below zero of a job that did more than it had', async () => {
    const { row } = await failJob(declareMint(broken), { done: 4 })
    expect(row).to.include({ status: 'failed', total: 3, completed: 4, failed: 0 })
  })

  it('tells code and detail of a problem, and those of an outcome', async () => {
    const problem = createProblem('DPP_PASSPORT_NOT_CLAIMABLE', 'The passport is archived.')
    const refused = await failJob(declareMint(() => Promise.reject(problem)))
    expect(refused.row.errors).to.deep.equal([
      { line: 0, code: 'DPP_PASSPORT_NOT_CLAIMABLE', message: 'The passport is archived.' },
    ])
    const outcome = { status: 'failed', code: 'GONE', message: 'The rest is gone.' } as const
    const gone = await failJob(
      declareMint(async () => outcome),
      { attempts: 1 },
    )
    expect(gone.row.errors).to.deep.equal([{ line: 0, code: 'GONE', message: 'The rest is gone.' }])
  })

  it('comes without a run where a job had more attempts than it may have', async () => {
    let runs = 0
    const counting = declareMint(() => {
      runs++
      return broken()
    })
    const { row } = await failJob(counting, { attempts: 4 })
    expect([runs, row.status, row.errors]).to.deep.equal([0, 'failed', jobFailed(3)])
    await failJob(counting, { attempts: 3 })
    expect(runs, 'in its last attempt').to.equal(1)
    const again = await failJob(counting, { attempts: 2 })
    expect(again.row).to.include({ status: 'pending', attempts: 2, lease_holder: null })
  })

  it('gives back what the job held, in the same transaction and before the job has failed', async () => {
    const seen: string[] = []
    const { id, row } = await failJob(
      declareMint(broken, {
        async handleFailure(transaction, job) {
          // Two statements, so that a transaction that does not wait for them would have ended.
          await recordUnit(transaction, job.id, 0)
          seen.push((await readJobRow({ db: transaction }, job.id)).status)
          await recordUnit(transaction, job.id, 1)
          seen.push(`${(await listUnits(servers(), job.id)).length} seen by others`)
        },
      }),
    )
    expect(seen).to.deep.equal(['pending', '0 seen by others'])
    expect(row.status).to.equal('failed')
    expect(await listUnits(servers(), id)).to.have.length(2)
  })

  it('tries ten times more to give back what the job held, then fails without', async () => {
    let tries = 0
    const stubborn = declareMint(broken, {
      async handleFailure(transaction, { id }) {
        tries++
        await recordUnit(transaction, id, 0)
        throw new Error('never')
      },
    })
    for (const attempts of [3, 13]) {
      const { id, row, lease } = await failJob(stubborn, { attempts })
      expect(row).to.include({ status: 'pending', failed: 0, attempts, lease_holder: null })
      expect(lease.dueInSeconds).to.be.within(15, 20)
      expect(await listUnits(servers(), id)).to.deep.equal([])
    }
    expect(tries).to.equal(2)
    const { row } = await failJob(stubborn, { attempts: 14 })
    expect([tries, row.status, row.failed]).to.deep.equal([2, 'failed', 2])
  })

  it('is not written by a run that has lost its job, which tries nothing again', async () => {
    let given = 0
    const { row, lease, errors } = await failJob(
      declareMint(broken, {
        handleFailure: async () => {
          given++
        },
      }),
      { isLost: true },
    )
    expect(given).to.equal(0)
    expect(row).to.deep.include({ status: 'pending', failed: 0, errors: [], attempts: 3 })
    expect(lease.holder, 'the other run').to.be.a('string')
    expect(errors, 'which is no error').to.deep.equal([])
    expect(lease.dueInSeconds).to.be.at.most(0)
  })
})
