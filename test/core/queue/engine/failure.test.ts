import { expect } from 'chai'
import { createProblem } from '../../../../core/kernel/problem.ts'
import type { JobDeclaration } from '../../../../core/kernel/job.ts'
import { waitUntil } from '../../../support/processes.ts'
import { FakeDatabase } from '../fakes/fake-database.ts'
import { createLeasedRow, createRunner, declareMint } from '../fakes/runs.ts'

describe('Job queue: the end of a job that failed for good', () => {
  const realRandom = Math.random
  afterEach(() => {
    Math.random = realRandom
  })

  /** Runs a job in its last attempt, of which so many units are left. */
  async function failJob(
    declaration: JobDeclaration<unknown>,
    { attempts = 3, left = 2 }: { attempts?: number; left?: number | null } = {},
  ) {
    const database = new FakeDatabase(({ sql }) => (sql.includes('for update') && left !== null ? [{ left }] : []))
    const { runner, leases, notified } = createRunner(declaration, database)
    const row = createLeasedRow({ attempts })
    Math.random = () => 0.5
    await runner.runJob(row)
    await waitUntil('it is written', () => runner.listHolders().length === 0)
    const [counted] = database.find('state = state')
    return { row, database, leases, notified, counted: counted?.bindings }
  }

  const broken = () => Promise.reject(new Error('the secret reason'))
  const jobFailed = (attempts: number) =>
    JSON.stringify([{ line: 0, code: 'JOB_FAILED', message: `The work could not be done in ${attempts} attempts.` }])

  it('is written with all that is left as failed and without the reason, in one transaction', async () => {
    const { row, database, counted } = await failJob(declareMint(broken))
    expect(counted).to.deep.equal([0, 0, 2, '{}', 1, jobFailed(3), row.id])
    expect(database.statements.map(({ bindings }) => bindings.at(-1))).to.deep.equal([row.lease_holder, row.id, row.id])
    expect(database.statements[0]?.bindings).to.deep.equal([row.id, row.lease_holder])
    expect(database.statements[2]?.sql).to.include(`status = 'failed'`).and.to.include('lease_holder = null')
    expect(database.endings).to.deep.equal(['commit'])
  })

  it('counts nothing below zero of a job that did more than it had', async () => {
    const { counted } = await failJob(declareMint(broken), { left: -1 })
    expect(counted?.slice(0, 3)).to.deep.equal([0, 0, 0])
  })

  it('tells code and detail of a problem, and those of an outcome', async () => {
    const problem = createProblem('DPP_PASSPORT_NOT_CLAIMABLE', 'The passport is archived.')
    const refused = await failJob(declareMint(() => Promise.reject(problem)))
    expect(refused.counted?.at(-2)).to.equal(
      JSON.stringify([{ line: 0, code: 'DPP_PASSPORT_NOT_CLAIMABLE', message: 'The passport is archived.' }]),
    )
    const outcome = { status: 'failed', code: 'GONE', message: 'The rest is gone.' } as const
    const gone = await failJob(
      declareMint(async () => outcome),
      { attempts: 1 },
    )
    expect(gone.counted?.at(-2)).to.equal(JSON.stringify([{ line: 0, code: 'GONE', message: 'The rest is gone.' }]))
  })

  it('comes without a run where a job had more attempts than it may have', async () => {
    let runs = 0
    const counting = declareMint(() => {
      runs++
      return broken()
    })
    const { counted } = await failJob(counting, { attempts: 4 })
    expect([runs, counted?.at(-2)]).to.deep.equal([0, jobFailed(3)])
    await failJob(counting, { attempts: 3 })
    expect(runs, 'in its last attempt').to.equal(1)
    const { leases } = await failJob(counting, { attempts: 2 })
    expect(leases.parkings.map(({ kind }) => kind)).to.deep.equal(['retry'])
  })

  it('gives back what the job held, in the same transaction and before the job has failed', async () => {
    const given: string[] = []
    const { row, database } = await failJob(
      declareMint(broken, {
        async handleFailure(transaction, job) {
          // Two statements, so that a transaction that does not wait for them would have ended.
          await transaction('first')
          await transaction('second')
          given.push(job.id)
        },
      }),
    )
    expect(given).to.deep.equal([row.id])
    expect(database.statements.map(({ sql }) => sql).slice(1, 3)).to.deep.equal(['first', 'second'])
    expect(database.endings).to.deep.equal(['commit'])
  })

  it('tries ten times more to give back what the job held, then fails without', async () => {
    let tries = 0
    const stubborn = declareMint(broken, {
      handleFailure: async () => {
        tries++
        throw new Error('never')
      },
    })
    for (const attempts of [3, 13]) {
      const { row, database, leases, notified } = await failJob(stubborn, { attempts })
      expect(database.endings).to.deep.equal(['rollback'])
      expect(leases.parkings).to.deep.equal([{ id: row.id, holder: row.lease_holder, kind: 'retry', seconds: 20 }])
      expect(notified).to.deep.equal([row.id])
    }
    expect(tries).to.equal(2)
    const { database, leases } = await failJob(stubborn, { attempts: 14 })
    expect([tries, database.endings, leases.parkings]).to.deep.equal([2, ['commit'], []])
  })

  it('is not written by a run that has lost its job, which tries nothing again', async () => {
    let given = 0
    const { database, leases } = await failJob(
      declareMint(broken, {
        handleFailure: async () => {
          given++
        },
      }),
      { left: null },
    )
    expect([given, database.endings, database.statements.length, leases.parkings]).to.deep.equal([
      0,
      ['rollback'],
      1,
      [],
    ])
  })
})
