import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { connectDatabase } from '../../../core/database/connection.ts'
import type { ProblemError } from '../../../core/kernel/problem.ts'
import { createQueue, dueChannel } from '../../../core/queue/queue.ts'
import { waitUntil } from '../../support/processes.ts'
import { countJobs } from '../../support/rows/queue/job-counts.ts'
import { failJob } from '../../support/rows/queue/job-changes.ts'
import {
  completeJob,
  deleteJobsOf,
  insertWaitingJobs,
  leaseJobToNobody,
  readJobRun,
  readJobRuns,
} from '../../support/rows/queue/runs/job-runs.ts'
import { createQueueParts, type QueueParts } from './parts.ts'
import { readJobRow, useServers } from './servers.ts'

describe('Job queue: what it writes', () => {
  const servers = useServers()
  let parts: QueueParts
  let organization: string
  /** Number of notices that a job is due, as another process hears them. */
  let noticeCount = 0

  before(async () => {
    parts = createQueueParts(servers().database.url, undefined)
    parts.notices.subscribe(dueChannel, () => void noticeCount++)
    await parts.notices.ready()
  })
  after(() => parts.close())
  beforeEach(() => {
    organization = randomUUID()
    noticeCount = 0
  })
  afterEach(() => deleteJobsOf(servers().db, organization))

  const job = { type: 'mint', total: 4, payload: { name: 'nul \0' } } as const
  const enqueue = (more: object = {}) => {
    const { db, queue } = parts.context
    return db.transaction((trx) => queue.enqueue(trx, { ...job, organization, ...more }))
  }
  const enqueueTwo = async (): Promise<[string, string]> => [await enqueue(), await enqueue()]
  const readRow = (id: string) => readJobRow(servers(), id)
  const readRun = (id: string) => readJobRun(servers().db, id)

  it('is a job that belongs to nobody else and counts towards no limit, unless it says so', async () => {
    const id = await enqueue()
    const none = { application: null, product: null, end_user: null }
    const counters = { completed: 0, failed: 0, attempts: 0 }
    const row = await readRow(id)
    expect(row).to.include({ id, type: 'mint', organization, status: 'pending', total: 4, ...none, ...counters })
    expect(row.payload).to.deep.equal({ name: 'nul \ufffd' })
    expect(await readRun(id)).to.include({ isCounted: false, holder: null, isWoken: false })
    expect((await readRun(id)).dueInSeconds, 'due').to.be.at.most(0)
    const [application, product] = [randomUUID(), randomUUID()]
    const all = { application, product, endUser: 'buyer', countsTowardsLimit: true }
    const other = await enqueue({ payload: undefined, ...all })
    expect(await readRow(other)).to.include({ application, product, end_user: 'buyer', payload: null })
    expect((await readRun(other)).isCounted).to.equal(true)
  })

  it('is no job beyond the limit, which is remembered', async () => {
    const { db, queue } = parts.context
    await insertWaitingJobs(servers().db, { organization, type: 'mint', count: 200 })
    const refusal = await db
      .transaction((trx) => queue.enqueue(trx, { ...job, organization, countsTowardsLimit: true }))
      .catch((cause: ProblemError) => cause.code)
    expect(refusal).to.equal('RATE_LIMITED')
    expect(await countJobs(servers().db, organization)).to.equal(200)
    expect(() => queue.assertNotRefusedRecently(organization, 'mint')).to.throw('RATE_LIMITED')
    queue.assertNotRefusedRecently(organization, 'claim')
  })

  it('is a job that nobody takes for a long time, if it is held', async () => {
    const held = await readRun(await enqueue({ isHeld: true }))
    expect(held.dueInSeconds).to.be.greaterThan(364 * 86_400)
    expect(held.status).to.equal('pending')
  })

  it('is nothing of a job that is discarded while it has no unit', async () => {
    const { db, queue } = parts.context
    const [empty, full] = [await enqueue({ total: 0 }), await enqueue({ total: 1 })]
    await db.transaction(async (trx) => {
      await queue.discardJob(trx, empty)
      await queue.discardJob(trx, full)
    })
    expect(await countJobs(servers().db, organization)).to.equal(1)
    expect((await readRow(full)).status).to.equal('pending')
  })

  it('is each count of units, of jobs that have not ended', async () => {
    const { db, queue } = parts.context
    const [first, second] = await enqueueTwo()
    const [other, ended] = await enqueueTwo()
    await completeJob(servers().db, ended, {})
    const done = new Map([
      [first, 3],
      [second, 1],
      [ended, 2],
    ])
    for (let times = 0; times < 2; times++) {
      await queue.countCompletedUnits(db, done)
      done.delete(first)
    }
    const counts = await Promise.all([first, second, other, ended].map(async (id) => (await readRow(id)).completed))
    expect(counts).to.deep.equal([3, 2, 0, 0])
  })

  it('is that jobs are woken, and a notice of it in the same transaction', async () => {
    const { db, queue } = parts.context
    const ids = [await enqueue({ isHeld: true }), await enqueue({ isHeld: true }), await enqueue({ isHeld: true })]
    const [first = '', second = ''] = ids
    await db.transaction(async (trx) => {
      await queue.wakeJobs(trx, first, second)
      await sleep(50)
      expect(noticeCount, 'before the commit').to.equal(0)
    })
    await waitUntil('the notice is heard', () => noticeCount === 1)
    const runs = await readJobRuns(servers().db, ids)
    expect(runs.map(({ isWoken, dueInSeconds }) => [isWoken, dueInSeconds <= 0])).to.deep.equal([
      [true, true],
      [true, true],
      [false, false],
    ])
  })

  it('is what results are amended with, and nothing if there is nothing to amend', async () => {
    const { db, queue } = parts.context
    const [completed, failed] = await enqueueTwo()
    const [held, other] = await enqueueTwo()
    await completeJob(servers().db, completed, { a: 0, c: 2 })
    await failJob(servers().db, failed, { attempts: 3 })
    await leaseJobToNobody(servers().db, held, { seconds: 60 })
    await leaseJobToNobody(servers().db, other, { seconds: 60 })
    await db.transaction((trx) => queue.amendResults(trx, []))
    const result = { a: 1, b: '\0' }
    await db.transaction((trx) =>
      queue.amendResults(
        trx,
        [completed, failed, held].map((id) => ({ job: id, result })),
      ),
    )
    await waitUntil('the notice is heard', () => noticeCount > 0)
    expect(noticeCount, 'none of nothing').to.equal(1)
    const results = await Promise.all([completed, failed, held, other].map(async (id) => (await readRow(id)).result))
    expect(results).to.deep.equal([{ a: 1, b: '\ufffd', c: 2 }, null, null, null])
    expect(await readRun(held), 'its run loses it').to.include({ holder: null, heldUntil: null, isWoken: true })
    expect((await readRun(other)).holder).to.be.a('string')
    expect((await readRun(completed)).isWoken).to.equal(false)
  })

  it('is a notice by its own connection for a worker, and one further for all that follow meanwhile', async () => {
    const { queue } = parts.context
    for (const id of ['one', 'two', 'three']) queue.notifyWorker(id)
    await waitUntil('the further one is heard', () => noticeCount === 2)
    await sleep(50)
    queue.notifyWorker('four')
    await waitUntil('the next one is heard', () => noticeCount >= 3)
    await sleep(50)
    expect(noticeCount).to.equal(3)
  })

  it('is a notice also after one that could not be sent', async () => {
    const lines: string[] = []
    const db = connectDatabase({ url: servers().database.url, name: 'a pool that is closed', maxConnections: 1 })
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
    const queue = createQueue({ db, log, notices: parts.notices })
    await db.destroy()
    queue.notifyWorker('one')
    await waitUntil('it could not be sent', () => lines.length === 1)
    expect(lines[0]).to.include('a ring was lost')
    db.initialize()
    try {
      queue.notifyWorker('two')
      await waitUntil('it is heard', () => noticeCount === 1)
    } finally {
      await queue.close()
      await db.destroy()
    }
  })
})
