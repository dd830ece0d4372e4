import { once } from 'node:events'
import { expect } from 'chai'
import { endNoticeConnections } from '../../../support/database/connections.ts'
import { waitUntil } from '../../../support/processes.ts'
import { leaseJobToWorker, passLeaseOn } from '../../../support/rows/queue/job-leases.ts'
import { deleteJob } from '../../../support/rows/queue/job-rows.ts'
import { listUnits, recordUnit } from '../../../support/rows/queue/units.ts'
import type { PostgresNotices } from '../../../../core/database/notices.ts'
import { declareJob, type JobRun } from '../../../../core/kernel/job.ts'
import { startWorker } from '../../../../core/queue/worker.ts'
import {
  blockingJob,
  organizationId,
  createQueueParts,
  startJob,
  startUnitsJob,
  unitsJob,
  type QueueParts,
} from '../parts.ts'
import { stopWorkerChild, hasJobEnded, readJobRow, startWorkerChild, useServers } from '../servers.ts'

describe('Job queue: workers that die, stop or lose their lease', () => {
  const servers = useServers()
  let parts: QueueParts

  before(() => {
    parts = createQueueParts(servers().database.url, servers().redis.url)
  })
  after(() => parts.close())

  it('goes on in another worker within 5 s of a kill -9, and does no item twice', async () => {
    const workers = await Promise.all([startWorkerChild(servers()), startWorkerChild(servers())])
    try {
      const id = await startUnitsJob(parts.context, { units: 30, pause: 50 })
      await waitUntil('it is under way', async () => (await readJobRow(servers(), id)).completed >= 3)
      const [one] = await listUnits(servers(), id)
      const victim = workers.find(({ pid }) => pid === one?.pid)
      const heir = workers.find(({ pid }) => pid !== one?.pid)
      if (!victim) throw new Error('Nobody holds the job')
      await stopWorkerChild(victim, 'SIGKILL')
      const killed = Date.now()
      await waitUntil('it ends', () => hasJobEnded(servers(), id))
      const units = await listUnits(servers(), id)
      const first = units.find(({ pid }) => pid === heir?.pid)
      expect(first?.at.getTime()).to.be.below(killed + 13_000)
      expect(units.map(({ unit }) => unit)).to.deep.equal(Array.from({ length: 30 }, (_, unit) => unit))
      expect(await readJobRow(servers(), id)).to.include({ status: 'completed', completed: 30 })
    } finally {
      await Promise.all(workers.map((child) => stopWorkerChild(child, 'SIGTERM')))
    }
  })

  it('finishes the step of a stopped worker, hands the job back and counts no attempt', async () => {
    const leaving = await startWorkerChild(servers())
    const id = await startUnitsJob(parts.context, { units: 20, pause: 50 })
    await waitUntil('it is under way', async () => (await readJobRow(servers(), id)).completed >= 2)
    await stopWorkerChild(leaving, 'SIGTERM')
    expect(leaving.exitCode).to.equal(0)
    const row = await readJobRow(servers(), id)
    expect(row).to.include({ status: 'pending', lease_holder: null, attempts: 0 })
    const heir = startWorker({ context: parts.context, jobs: [unitsJob], types: ['mint'] })
    await waitUntil('it ends', () => hasJobEnded(servers(), id)).finally(() => heir.stop())
    expect((await listUnits(servers(), id)).map(({ unit }) => unit)).to.deep.equal(
      Array.from({ length: 20 }, (_, unit) => unit),
    )
  })

  it('lets a worker take quick jobs ahead, and gives back what it had not begun', async () => {
    const { context } = parts
    const many = (count: number, payload: object) =>
      context.db.transaction(async (trx) => {
        const ids: string[] = []
        for (let at = 0; at < count; at++)
          ids.push(await context.queue.enqueue(trx, { type: 'mint', organization: organizationId, total: 1, payload }))
        return ids
      })
    const leaving = startWorker({ context, jobs: [unitsJob], types: ['mint'], maxConcurrentJobs: 2 })
    const quick = await many(200, { units: 0 })
    context.queue.notifyWorker(quick[0] ?? '')
    for (const id of quick) await waitUntil('the quick ones end', () => hasJobEnded(servers(), id))
    const slow = await many(16, { units: 1, pause: 1_000 })
    context.queue.notifyWorker(slow[0] ?? '')
    const rows = () => Promise.all(slow.map((id) => readJobRow(servers(), id)))
    await waitUntil('some are under way', async () => (await rows()).some(({ completed }) => completed > 0))
    const held = (await rows()).filter(({ lease_holder }) => lease_holder !== null)
    expect(held.length, 'held, of which two run').to.be.greaterThan(2)
    await leaving.stop()
    const left = (await rows()).filter(({ status }) => status === 'pending')
    expect(left.length).to.be.within(6, 14)
    for (const row of left) expect(row).to.include({ lease_holder: null, attempts: 0, completed: 0 })
    const heir = startWorker({ context, jobs: [unitsJob], types: ['mint'] })
    for (const id of slow) await waitUntil('it ends', () => hasJobEnded(servers(), id))
    await heir.stop()
    for (const id of slow) expect((await listUnits(servers(), id)).map(({ unit }) => unit)).to.deep.equal([0])
  })

  it('survives the death of PostgreSQL without losing an item or a process', async () => {
    const worker = startWorker({ context: parts.context, jobs: [unitsJob], types: ['mint'] })
    try {
      const ids = await Promise.all([1, 2, 3].map(() => startUnitsJob(parts.context, { units: 20, pause: 30 })))
      await waitUntil('it is under way', async () => (await readJobRow(servers(), ids[0] ?? '')).completed >= 3)
      const { database } = servers()
      const before = database.pid ?? 0
      process.kill(before, 'SIGKILL')
      await waitUntil('another one runs', () => (database.pid ?? before) !== before)
      await database.ready()
      for (const id of ids) {
        await waitUntil('it ends', () => hasJobEnded(servers(), id))
        expect((await listUnits(servers(), id)).map(({ unit }) => unit)).to.deep.equal(
          Array.from({ length: 20 }, (_, unit) => unit),
        )
        expect(await readJobRow(servers(), id)).to.include({ status: 'completed', completed: 20 })
      }
    } finally {
      await worker.stop()
    }
  })

  it('continues a job before the end of its lease, when the worker never heard that it took it', async () => {
    const { db, notices } = parts.context
    const id = await startUnitsJob(parts.context, { units: 3, pause: 10 })
    await leaseJobToWorker(db, id, { worker: (notices as PostgresNotices).number, seconds: 60 })
    const begin = Date.now()
    const worker = startWorker({ context: parts.context, jobs: [unitsJob], types: ['mint'] })
    await waitUntil('it ends', () => hasJobEnded(servers(), id)).finally(() => worker.stop())
    expect(Date.now() - begin).to.be.within(1_400, 59_000)
    expect((await listUnits(servers(), id)).map(({ unit }) => unit)).to.deep.equal([0, 1, 2])
  })

  it('ends a job that blocks its process for ever, at the cost of that process only', async () => {
    const blocked = await startWorkerChild(servers())
    const exited = once(blocked, 'exit')
    const id = await startJob(parts.context, {}, { type: 'claim' })
    const [, signal] = (await exited) as [number | null, string]
    expect(signal).to.equal('SIGKILL')
    const heir = startWorker({ context: parts.context, jobs: [unitsJob, blockingJob] })
    try {
      const other = await startUnitsJob(parts.context, { units: 1 })
      await waitUntil('the others go on', () => hasJobEnded(servers(), other))
      await waitUntil('it ends', () => hasJobEnded(servers(), id))
      expect(await readJobRow(servers(), id)).to.include({ status: 'failed', failed: 1 })
    } finally {
      await heir.stop()
    }
  })

  it('writes nothing by a run that lost its lease, neither by its steps nor by its outcome', async () => {
    const runs: JobRun[] = []
    const going = Promise.withResolvers<void>()
    const slow = declareJob({
      type: 'mint',
      permission: 'dpp:read',
      maxAttempts: 1,
      async run({ id }, run) {
        runs.push(run)
        await going.promise
        await run
          .step(async (trx, move) => {
            await recordUnit(trx, id, 0)
            move({ completed: 1 })
          })
          .catch(() => undefined)
        return { status: 'completed', result: { by: 'the one without a lease' } }
      },
    })
    const worker = startWorker({ context: parts.context, jobs: [slow], types: ['mint'] })
    try {
      const id = await startJob(parts.context, {})
      await waitUntil('it runs', () => runs.length === 1)
      const other = await passLeaseOn(servers().db, id)
      going.resolve()
      await waitUntil('its step is refused', () => runs[0]?.signal.aborted === true)
      // Once the worker has stopped, the outcome has been tried as well.
      await worker.stop()
      expect(await listUnits(servers(), id)).to.deep.equal([])
      expect(await readJobRow(servers(), id)).to.include({
        status: 'pending',
        completed: 0,
        result: null,
        lease_holder: other,
      })
      await deleteJob(servers().db, id)
    } finally {
      await worker.stop()
    }
  })

  it('keeps the jobs of a worker whose connection is lost for a moment', async () => {
    const worker = startWorker({ context: parts.context, jobs: [unitsJob], types: ['mint'] })
    try {
      const id = await startUnitsJob(parts.context, { units: 60, pause: 50 })
      await waitUntil('it is under way', async () => (await readJobRow(servers(), id)).completed >= 2)
      expect(await endNoticeConnections(servers().db)).to.be.greaterThan(0)
      await waitUntil('it ends', () => hasJobEnded(servers(), id))
      expect(await readJobRow(servers(), id)).to.include({ status: 'completed', completed: 60, attempts: 1 })
    } finally {
      await worker.stop()
    }
  })
})
