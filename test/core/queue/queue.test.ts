import { expect } from 'chai'
import type { Knex } from 'knex'
import { pino } from 'pino'
import type { JobQueue } from '../../../core/kernel/ports/job-queue.ts'
import type { Notices } from '../../../core/kernel/ports/notices.ts'
import { createQueue, dueChannel } from '../../../core/queue/queue.ts'
import { waitUntil } from '../../support/processes.ts'
import { FakeDatabase } from './fakes/fake-database.ts'

describe('Job queue: what it writes', () => {
  const log = pino({ level: 'silent' })
  const organization = '018f3f6e-7b1a-7c3d-9e2f-0123456789ab'
  let database: FakeDatabase
  /** What comes of each notice; the last one counts for all further ones. */
  let sendNotice: (() => Promise<void>)[]
  let notices: [db: Knex, channel: string, payload: string][]
  let queue: JobQueue

  beforeEach(() => {
    database = new FakeDatabase()
    database.isSerial = true
    sendNotice = []
    notices = []
    const notify = (...notice: [Knex, string, string]) => {
      notices.push(notice)
      return sendNotice.shift()?.() ?? Promise.resolve()
    }
    queue = createQueue({ db: database.knex, log, notices: { notify } as unknown as Notices })
  })

  const job = { type: 'mint', organization, total: 4, payload: { name: 'nul \0' } } as const

  it('is a job that belongs to nobody else and counts towards no limit, unless it says so', async () => {
    const id = await queue.enqueue(database.knex, job)
    expect(database.openCount).to.equal(0)
    const all = { application: 'app', product: 'sheet', endUser: 'buyer', countsTowardsLimit: true }
    const other = await queue.enqueue(database.knex, { ...job, payload: undefined, ...all })
    const [first, counted, second] = database.statements.map(({ bindings }) => bindings)
    expect(first).to.deep.equal([id, 'mint', organization, null, null, null, 4, '{"name":"nul \ufffd"}', false])
    expect(counted).to.deep.equal([organization, 'mint'])
    expect(second).to.deep.equal([other, 'mint', organization, 'app', 'sheet', 'buyer', 4, 'null', true])
    expect(database.statements[0]?.sql).to.include(`'pending'`)
    expect(database.statements).to.have.length(3)
  })

  it('is no job beyond the limit, which is remembered', async () => {
    database = new FakeDatabase(({ sql }) => (sql.includes('count(*)') ? [{ count: 200, oldest: 3 }] : []))
    const refusal = await queue
      .enqueue(database.knex, { ...job, countsTowardsLimit: true })
      .catch((cause: Error) => cause.message)
    expect(refusal).to.include('RATE_LIMITED')
    expect(database.statements).to.have.length(1)
    expect(() => queue.assertNotRefusedRecently(organization, 'mint')).to.throw('RATE_LIMITED')
    queue.assertNotRefusedRecently(organization, 'claim')
  })

  it('is a job that nobody takes for a long time, if it is held', async () => {
    const id = await queue.enqueue(database.knex, { ...job, isHeld: true })
    expect(database.statements.map(({ bindings }) => bindings).at(-1)).to.deep.equal([id])
    expect([database.statements.length, database.openCount]).to.deep.equal([2, 0])
    await queue.enqueue(database.knex, job)
    expect(database.statements).to.have.length(3)
  })

  it('is nothing of a job that is discarded while it has no unit', async () => {
    const calls: unknown[] = []
    const rows = {
      where: (condition: object) => {
        calls.push(condition)
        return rows
      },
      delete: async () => {
        await new Promise((resolve) => setImmediate(resolve))
        calls.push('deleted')
      },
    }
    await queue.discardJob(((table: string) => (calls.push(table), rows)) as unknown as Knex, 'one')
    expect(calls).to.deep.equal(['jobs', { id: 'one', total: 0 }, 'deleted'])
  })

  it('is each count of units, in one statement', async () => {
    const done = new Map([
      ['one', 3],
      ['two', 1],
    ])
    await queue.countCompletedUnits(database.knex, done)
    expect(database.openCount).to.equal(0)
    expect(database.statements.map(({ bindings }) => bindings)).to.deep.equal([
      [
        ['one', 'two'],
        [3, 1],
      ],
    ])
  })

  it('is that jobs are woken, and a notice of it in the same transaction', async () => {
    await queue.wakeJobs(database.knex, 'one', 'two')
    expect(database.openCount).to.equal(0)
    expect(database.statements.map(({ bindings }) => bindings)).to.deep.equal([[['one', 'two']], [dueChannel, '']])
  })

  it('is what results are amended with, and nothing if there is nothing to amend', async () => {
    await queue.amendResults(database.knex, [])
    expect(database.statements).to.deep.equal([])
    await queue.amendResults(database.knex, [
      { job: 'one', result: { a: 1 } },
      { job: 'two', result: { b: '\0' } },
    ])
    expect(database.openCount).to.equal(0)
    expect(database.statements.map(({ bindings }) => bindings)).to.deep.equal([
      [
        ['one', 'two'],
        ['{"a":1}', '{"b":"\ufffd"}'],
      ],
      [dueChannel, ''],
    ])
  })

  it('is a notice by its own connection for a worker, and one further for all that follow meanwhile', async () => {
    const sent = Promise.withResolvers<void>()
    sendNotice = [() => sent.promise]
    for (const id of ['one', 'two', 'three']) queue.notifyWorker(id)
    expect(notices).to.deep.equal([[database.knex, dueChannel, '']])
    sent.resolve()
    await waitUntil('the further one is sent', () => notices.length === 2)
    await new Promise((resolve) => setImmediate(resolve))
    expect(notices).to.have.length(2)
    queue.notifyWorker('four')
    expect(notices).to.have.length(3)
  })

  it('is a notice also after one that could not be sent', async () => {
    sendNotice = [() => Promise.reject(new Error('the database is away'))]
    queue.notifyWorker('one')
    await new Promise((resolve) => setImmediate(resolve))
    queue.notifyWorker('two')
    expect(notices).to.have.length(2)
  })
})
