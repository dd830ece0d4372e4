import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { eventually } from '../../support/processes.ts'
import type { PostgresNotices } from '../../../core/database/notices.ts'
import { job, type Run } from '../../../core/kernel/job.ts'
import { startWorker } from '../../../core/queue/worker.ts'
import { blockingJob, organization, partsOf, start, startUnits, unitsJob, type QueueParts } from './parts.ts'
import { endChild, hasEnded, jobRow, startChild, unitsOf, useServers } from './servers.ts'

describe('workers that die, stop or lose their lease', () => {
  const servers = useServers()
  let parts: QueueParts

  before(() => { parts = partsOf(servers().database.url, servers().redis.url) })
  after(() => parts.close())

  it('another worker goes on within 5 s of a kill -9, and no unit is done twice', async () => {
    const workers = await Promise.all([startChild(servers()), startChild(servers())])
    try {
      const id = await startUnits(parts.context, { units: 30, pause: 50 })
      await eventually('it is under way', async () => (await jobRow(servers(), id)).completed >= 3)
      const [one] = await unitsOf(servers(), id)
      const victim = workers.find(({ pid }) => pid === one?.pid)
      const heir = workers.find(({ pid }) => pid !== one?.pid)
      if (!victim) throw new Error('Nobody holds the job')
      await endChild(victim, 'SIGKILL')
      const killed = Date.now()
      await eventually('it ends', () => hasEnded(servers(), id))
      const units = await unitsOf(servers(), id)
      const first = units.find(({ pid }) => pid === heir?.pid)
      expect(first?.at.getTime()).to.be.below(killed + 5_000)
      expect(units.map(({ unit }) => unit)).to.deep.equal(Array.from({ length: 30 }, (_, unit) => unit))
      expect(await jobRow(servers(), id)).to.include({ status: 'completed', completed: 30 })
    } finally {
      await Promise.all(workers.map((child) => endChild(child, 'SIGTERM')))
    }
  })

  it('a stopped worker finishes its step, hands the job back at once, and the failed attempt is not counted', async () => {
    const leaving = await startChild(servers())
    const id = await startUnits(parts.context, { units: 20, pause: 50 })
    await eventually('it is under way', async () => (await jobRow(servers(), id)).completed >= 2)
    const stopped = Date.now()
    await endChild(leaving, 'SIGTERM')
    expect(leaving.exitCode).to.equal(0)
    expect(Date.now() - stopped).to.be.below(10_000)
    const row = await jobRow(servers(), id)
    expect(row).to.include({ status: 'pending', lease_holder: null, attempts: 0 })
    const heir = startWorker({ context: parts.context, jobs: [unitsJob], types: ['mint'] })
    await eventually('it ends', () => hasEnded(servers(), id)).finally(() => heir.stop())
    expect((await unitsOf(servers(), id)).map(({ unit }) => unit)).to.deep.equal(Array.from({ length: 20 }, (_, unit) => unit))
  })

  it('a worker whose jobs were quick takes more of them ahead, and gives back untouched what it had not begun', async () => {
    const { context } = parts
    const many = (count: number, payload: object) => context.db.transaction(async (trx) => {
      const ids: string[] = []
      for (let at = 0; at < count; at++) ids.push(await context.queue.enqueue(trx, { type: 'mint', organization, total: 1, payload }))
      return ids
    })
    const leaving = startWorker({ context, jobs: [unitsJob], types: ['mint'], concurrency: 2 })
    const quick = await many(200, { units: 0 })
    context.queue.ring(quick[0] ?? '')
    for (const id of quick) await eventually('the quick ones end', () => hasEnded(servers(), id))
    const slow = await many(16, { units: 1, pause: 1_000 })
    context.queue.ring(slow[0] ?? '')
    const rows = () => Promise.all(slow.map((id) => jobRow(servers(), id)))
    await eventually('some are under way', async () => (await rows()).some(({ completed }) => completed > 0))
    const held = (await rows()).filter(({ lease_holder }) => lease_holder !== null)
    expect(held.length, 'held, of which two run').to.be.greaterThan(2)
    const stopped = Date.now()
    await leaving.stop()
    expect(Date.now() - stopped).to.be.below(10_000)
    const left = (await rows()).filter(({ status }) => status === 'pending')
    expect(left.length).to.be.within(6, 14)
    for (const row of left) expect(row).to.include({ lease_holder: null, attempts: 0, completed: 0 })
    const heir = startWorker({ context, jobs: [unitsJob], types: ['mint'] })
    for (const id of slow) await eventually('it ends', () => hasEnded(servers(), id))
    await heir.stop()
    for (const id of slow) expect((await unitsOf(servers(), id)).map(({ unit }) => unit)).to.deep.equal([0])
  })

  it('a database that dies under the worker costs a pause, no unit and no process', async () => {
    const worker = startWorker({ context: parts.context, jobs: [unitsJob], types: ['mint'] })
    try {
      const ids = await Promise.all([1, 2, 3].map(() => startUnits(parts.context, { units: 20, pause: 30 })))
      await eventually('it is under way', async () => (await jobRow(servers(), ids[0] ?? '')).completed >= 3)
      const { database } = servers()
      const before = database.pid ?? 0
      process.kill(before, 'SIGKILL')
      await eventually('another one runs', () => (database.pid ?? before) !== before)
      await database.ready()
      for (const id of ids) {
        await eventually('it ends', () => hasEnded(servers(), id))
        expect((await unitsOf(servers(), id)).map(({ unit }) => unit)).to.deep.equal(Array.from({ length: 20 }, (_, unit) => unit))
        expect(await jobRow(servers(), id)).to.include({ status: 'completed', completed: 20 })
      }
    } finally {
      await worker.stop()
    }
  })

  it('a job that a worker took without hearing of it does not wait for the end of its lease', async () => {
    const { db, notices } = parts.context
    const id = await startUnits(parts.context, { units: 3, pause: 10 })
    const taken = { lease_holder: randomUUID(), lease_worker: (notices as PostgresNotices).number }
    await db('jobs').where({ id }).update({ ...taken, lease_until: db.raw(`now() + interval '60 s'`), attempts: 1 })
    const begin = Date.now()
    const worker = startWorker({ context: parts.context, jobs: [unitsJob], types: ['mint'] })
    await eventually('it ends', () => hasEnded(servers(), id)).finally(() => worker.stop())
    expect(Date.now() - begin).to.be.within(1_400, 30_000)
    expect((await unitsOf(servers(), id)).map(({ unit }) => unit)).to.deep.equal([0, 1, 2])
  })

  it('a job that blocks its process for ever costs that process only, and ends', async () => {
    const blocked = await startChild(servers())
    const exited = once(blocked, 'exit')
    const id = await start(parts.context, {}, { type: 'claim' })
    const [, signal] = await exited as [number | null, string]
    expect(signal).to.equal('SIGKILL')
    const heir = startWorker({ context: parts.context, jobs: [unitsJob, blockingJob] })
    try {
      const other = await startUnits(parts.context, { units: 1 })
      await eventually('the others go on', () => hasEnded(servers(), other))
      await eventually('it ends', () => hasEnded(servers(), id))
      expect(await jobRow(servers(), id)).to.include({ status: 'failed', failed: 1 })
    } finally {
      await heir.stop()
    }
  })

  it('a run that lost its lease writes nothing, neither by its steps nor by its outcome', async () => {
    const runs: Run[] = []
    const going = Promise.withResolvers<void>()
    const slow = job({
      type: 'mint', permission: 'dpp:read', attempts: 1,
      async run({ id }, run) {
        runs.push(run)
        await going.promise
        await run.step(async (trx, move) => {
          await trx.raw('insert into units (job, unit, pid) values (?, 0, 0)', [id])
          move({ completed: 1 })
        }).catch(() => undefined)
        return { status: 'completed', result: { by: 'the one without a lease' } }
      },
    })
    const worker = startWorker({ context: parts.context, jobs: [slow], types: ['mint'] })
    try {
      const id = await start(parts.context, {})
      await eventually('it runs', () => runs.length === 1)
      const other = '018f3f6e-0000-7000-8000-000000000001'
      await servers().db('jobs').where({ id }).update({ lease_holder: other })
      going.resolve()
      await sleep(300)
      expect(await unitsOf(servers(), id)).to.deep.equal([])
      expect(await jobRow(servers(), id)).to.include({ status: 'pending', completed: 0, result: null, lease_holder: other })
      expect(runs[0]?.signal.aborted).to.equal(true)
      await servers().db('jobs').where({ id }).delete()
    } finally {
      await worker.stop()
    }
  })

  it('a worker whose connection is only lost for a moment keeps its jobs', async () => {
    const worker = startWorker({ context: parts.context, jobs: [unitsJob], types: ['mint'] })
    try {
      const id = await startUnits(parts.context, { units: 60, pause: 50 })
      await eventually('it is under way', async () => (await jobRow(servers(), id)).completed >= 2)
      const { rowCount } = await servers().db.raw(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tessera notices'`)
      expect(rowCount).to.be.greaterThan(0)
      await eventually('it ends', () => hasEnded(servers(), id))
      expect(await jobRow(servers(), id)).to.include({ status: 'completed', completed: 60, attempts: 1 })
    } finally {
      await worker.stop()
    }
  })
})
