import { expect } from 'chai'
import { pino } from 'pino'
import { v7 } from 'uuid'
import type { JobOutcome, JobRun } from '../../../../core/kernel/job.ts'
import { createProblem } from '../../../../core/kernel/problem.ts'
import type { LeasedJobRow } from '../../../../core/queue/engine/leases.ts'
import { LeaseLostError } from '../../../../core/queue/engine/run.ts'
import { dueChannel } from '../../../../core/queue/queue.ts'
import { holdJobs, refuseJobWrites } from '../../../support/database/held-writes.ts'
import { waitUntil } from '../../../support/processes.ts'
import {
  deleteJobsOf,
  insertLeasedJobs,
  passLeaseOn,
  readLease,
  type NewLeasedJob,
} from '../../../support/rows/queue/job-leases.ts'
import { FakedClock } from '../support/faked-clock.ts'
import { countTimers } from '../support/timers.ts'
import { completed, createRunner, declareMint } from '../support/runs.ts'
import { createQueueParts, type QueueParts } from '../parts.ts'
import { readJobRow, useServers } from '../servers.ts'

describe('Job queue: the runner of leased jobs', () => {
  const servers = useServers()
  const realRandom = Math.random
  let parts: QueueParts
  /** An organization for each test, so that it has no job but those of the test. */
  let organization: string
  /** What a test changes for others, which ends with it. */
  let endings: (() => Promise<void> | void)[]

  before(async () => {
    parts = createQueueParts(servers().database.url, undefined)
    await parts.notices.ready()
  })
  after(() => parts.close())
  beforeEach(() => {
    organization = v7()
    endings = []
  })
  afterEach(async () => {
    Math.random = realRandom
    for (const end of endings.toReversed()) await end()
    await deleteJobsOf(servers().db, organization)
  })

  /** Writes a job that has been leased to a run, for its second attempt unless told otherwise. */
  async function leaseJob(more: Omit<NewLeasedJob, 'organization'> = {}): Promise<LeasedJobRow> {
    const [row] = await insertLeasedJobs(servers().db, [{ organization, attempts: 2, ...more }])
    if (!row) throw new Error('No job was written')
    return row
  }
  const readRow = ({ id }: LeasedJobRow) => readJobRow(servers(), id)
  const readLeaseOf = ({ id }: LeasedJobRow) => readLease(servers().db, id)
  const fakeClock = (nowMs?: number) => {
    const clock = new FakedClock(nowMs)
    endings.push(() => clock.remove())
    return clock
  }
  const refuseWrites = async (times: number) => {
    const refused = await refuseJobWrites(servers().db, organization, { times })
    endings.push(() => refused.stop())
    return refused
  }
  /** Runs a job until its outcome is written. */
  async function run(runner: ReturnType<typeof createRunner>, row: LeasedJobRow): Promise<void> {
    await runner.runJob(row)
    await waitUntil('it is written', () => runner.listHolders().length === 0)
  }

  it('completes a job with the result of its handler', async () => {
    const row = await leaseJob()
    await run(
      createRunner(
        declareMint(async () => completed),
        parts.context,
      ),
      row,
    )
    expect(await readRow(row)).to.deep.include({
      status: 'completed',
      result: { by: 'the run' },
      lease_holder: null,
      attempts: 2,
    })
  })

  it('parks a job that waits, and notifies a worker only if it is due already', async () => {
    const { context, notices } = parts
    let [noticeCount, delay] = [0, 0]
    endings.push(notices.subscribe(dueChannel, () => void noticeCount++))
    await waitUntil('it listens', () => noticeCount === 1)
    const runner = createRunner(
      declareMint(async () => ({ status: 'waiting', delaySeconds: delay })),
      context,
    )
    const due = await leaseJob()
    await run(runner, due)
    expect((await readLeaseOf(due)).dueInSeconds).to.be.at.most(0)
    await waitUntil('a worker is notified', () => noticeCount === 2)
    delay = 7
    const later = await leaseJob()
    await run(runner, later)
    expect((await readLeaseOf(later)).dueInSeconds).to.be.within(4, 7)
    expect(await readRow(later)).to.include({ status: 'pending', attempts: 0, lease_holder: null })
    // Notices arrive in the order in which they were sent.
    const [mark, text] = ['mark_of_the_runner', later.id]
    let isMarked = false
    endings.push(notices.subscribe(mark, (payload) => void (isMarked ||= payload === text)))
    await waitUntil('the mark arrives', async () => {
      if (!isMarked) await notices.notify(servers().db, mark, text)
      return isMarked
    })
    expect(noticeCount).to.equal(2)
  })

  it('tries a job again that threw, after a time that grows with its attempts', async () => {
    const runner = createRunner(
      declareMint(() => Promise.reject(new Error('no'))),
      parts.context,
    )
    Math.random = () => 0.5
    for (const [attempts, seconds] of [
      [1, 8],
      [2, 16],
    ] as const) {
      const row = await leaseJob({ attempts })
      await run(runner, row)
      expect(await readRow(row)).to.include({ status: 'pending', attempts, lease_holder: null })
      expect((await readLeaseOf(row)).dueInSeconds).to.be.within(seconds - 3, seconds)
    }
  })

  it('hands a job back, and leaves one alone that another run has', async () => {
    const runner = createRunner(
      declareMint(() => Promise.reject(new LeaseLostError('it is in other hands'))),
      parts.context,
    )
    const row = await leaseJob()
    await run(runner, row)
    const { holder, dueInSeconds } = await readLeaseOf(row)
    expect(holder).to.equal(row.lease_holder)
    expect(dueInSeconds).to.be.at.most(0)
    expect(await readRow(row)).to.include({ status: 'pending', attempts: 2, version: row.version })
  })

  it('has room again when a handler has returned, and says how long that took without the wait for its place', async () => {
    const clock = fakeClock(50_000)
    const runner = createRunner(
      declareMint(async () => {
        clock.nowMs += 30
        return completed
      }),
      parts.context,
    )
    const row = await leaseJob()
    const release = await holdJobs(servers().db, organization)
    const place = Promise.withResolvers<void>()
    const ran = runner.runJob(row, place.promise)
    expect(runner.listHolders()).to.deep.equal([row.lease_holder])
    clock.nowMs += 1_000
    place.resolve()
    expect(await ran).to.equal(30)
    expect(runner.listHolders(), 'while the outcome is written').to.deep.equal([row.lease_holder])
    await release()
    await waitUntil('it is written', () => runner.listHolders().length === 0)
    expect((await readRow(row)).status).to.equal('completed')
  })

  it('has no room beside 500 outcomes that are not written yet', async () => {
    let runCount = 0
    const runner = createRunner(
      declareMint(async () => {
        runCount++
        return completed
      }),
      parts.context,
    )
    const { db } = servers()
    const rows = await insertLeasedJobs(
      db,
      Array.from({ length: 501 }, () => ({ organization })),
    )
    const release = await holdJobs(db, organization)
    await Promise.all(rows.slice(1).map((row) => runner.runJob(row)))
    let hasRoom = false
    const next = rows.slice(0, 1).map((row) => runner.runJob(row).then(() => (hasRoom = true)))
    await waitUntil('its handler has returned', () => runCount === 501)
    await new Promise((resolve) => setImmediate(resolve))
    expect(hasRoom).to.equal(false)
    await release()
    await Promise.all(next)
    await waitUntil('all are written', () => runner.listHolders().length === 0)
  })

  it('writes an outcome again that could not be written, seven times at most', async () => {
    const runner = createRunner(
      declareMint(async () => completed),
      parts.context,
    )
    // No time between two attempts.
    Math.random = () => -0.5
    const row = await leaseJob()
    const refusedTwice = await refuseWrites(2)
    await run(runner, row)
    expect([await refusedTwice.countTries(), (await readRow(row)).status]).to.deep.equal([3, 'completed'])
    await refusedTwice.stop()
    endings.pop()
    const other = await leaseJob()
    const refused = await refuseWrites(100)
    await run(runner, other)
    expect(await refused.countTries()).to.equal(7)
    expect(await readRow(other), 'which runs again after its lease').to.include({
      status: 'pending',
      lease_holder: other.lease_holder,
    })
  })

  it('waits a quarter of a second, then twice as long, before it writes an outcome again', async () => {
    const refusedAtMs: number[] = []
    const log = pino({ level: 'error' }, { write: () => void refusedAtMs.push(performance.now()) })
    const runner = createRunner(
      declareMint(async () => completed),
      { ...parts.context, log },
    )
    const row = await leaseJob()
    await refuseWrites(2)
    Math.random = () => 0
    await run(runner, row)
    const writtenAtMs = performance.now()
    expect((await readRow(row)).status).to.equal('completed')
    const [first = 0, second = 0] = refusedAtMs
    expect(refusedAtMs).to.have.length(2)
    expect(second - first).to.be.above(120)
    expect(writtenAtMs - second).to.be.above(240)
  })

  it('parks a job again that could not be parked', async () => {
    for (const [handleFailure, attempts] of [
      [undefined, 2],
      [() => Promise.reject(new Error('it holds on')), 3],
    ] as const) {
      const declaration = declareMint(() => Promise.reject(new Error('no')), handleFailure && { handleFailure })
      const row = await leaseJob({ attempts })
      const refused = await refuseWrites(1)
      Math.random = () => -0.5
      await run(createRunner(declaration, parts.context), row)
      expect(await refused.countTries()).to.equal(2)
      expect(await readRow(row)).to.include({ status: 'pending', attempts, lease_holder: null })
      await refused.stop()
      endings.pop()
    }
  })

  it('refuses a job that it has no handler for', async () => {
    const runner = createRunner(
      declareMint(async () => completed),
      parts.context,
    )
    const row = await leaseJob({ type: 'claim' })
    const refused = await runner.runJob(row).catch((cause: Error) => cause.message)
    expect(refused).to.equal('A job of type claim was taken without a handler')
  })

  it('leaves no timer behind when it stops', async () => {
    const runner = createRunner(
      declareMint(async () => completed),
      parts.context,
    )
    const before = await countTimers()
    await runner.stop(60_000)
    expect(await countTimers()).to.equal(before)
  })

  it('renews the leases of its runs, and ends those that have lost their job', async () => {
    const going = Promise.withResolvers<JobOutcome>()
    const runs: JobRun[] = []
    const runner = createRunner(
      declareMint((_, given) => {
        runs.push(given)
        return going.promise
      }),
      parts.context,
    )
    await runner.renewLeases()
    const [lost, kept] = [await leaseJob(), await leaseJob()]
    const ran = [runner.runJob(lost), runner.runJob(kept)]
    await waitUntil('both run', () => runs.length === 2)
    const other = await passLeaseOn(servers().db, lost.id)
    await runner.renewLeases()
    expect((await readLeaseOf(kept)).leaseSeconds).to.be.within(7, 10)
    expect((await readLeaseOf(lost)).leaseSeconds).to.be.below(5)
    expect(runs.map(({ signal }) => signal.aborted)).to.deep.equal([true, false])
    expect(runs[0]?.signal.reason).to.be.instanceOf(LeaseLostError)
    going.resolve(completed)
    await Promise.all(ran)
    await waitUntil('they are written', () => runner.listHolders().length === 0)
    expect(await readRow(lost)).to.include({ status: 'pending', lease_holder: other })
    expect((await readRow(kept)).status).to.equal('completed')
  })

  it('gives up what is stuck when it is asked to look', async () => {
    const clock = fakeClock()
    const runs: JobRun[] = []
    const runner = createRunner(
      declareMint((_, given) => {
        runs.push(given)
        return new Promise(() => {})
      }),
      parts.context,
    )
    const row = await leaseJob()
    const ran = runner.runJob(row)
    await waitUntil('it runs', () => runs.length === 1)
    clock.nowMs += 60_001
    runner.checkRuns()
    expect(runs[0]?.signal.aborted).to.equal(true)
    clock.nowMs += 2_001
    runner.checkRuns()
    await ran
    await waitUntil('it is written', () => runner.listHolders().length === 0)
    expect(await readRow(row)).to.include({ status: 'pending', attempts: 2, lease_holder: null })
    expect((await readLeaseOf(row)).dueInSeconds, 'it is tried again').to.be.above(0)
  })

  it('asks all runs to end when it stops, waits for them, and begins no other', async () => {
    const going = Promise.withResolvers<void>()
    const begun: string[] = []
    const runner = createRunner(
      declareMint(async (job, { signal }) => {
        begun.push(job.id)
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        await going.promise
        throw createProblem('VALIDATION_FAILED', 'The run was ended.')
      }),
      parts.context,
    )
    const place = Promise.withResolvers<void>()
    const [running, waiting, late] = [await leaseJob(), await leaseJob(), await leaseJob()]
    void runner.runJob(running)
    void runner.runJob(waiting, place.promise)
    await waitUntil('it runs', () => begun.length === 1)
    let hasStopped = false
    const stopped = runner.stop(60_000).then(() => (hasStopped = true))
    place.resolve()
    await waitUntil('what waited is handed back', async () => (await readRow(waiting)).lease_holder === null)
    expect([hasStopped, begun]).to.deep.equal([false, [running.id]])
    going.resolve()
    await stopped
    await run(runner, late)
    for (const row of [running, waiting, late]) {
      expect(await readRow(row), 'no attempt counts').to.include({ status: 'pending', attempts: 1, lease_holder: null })
      expect((await readLeaseOf(row)).dueInSeconds).to.be.at.most(0)
    }
    expect(begun).to.deep.equal([running.id])
  })

  it('hands back what has not ended in time when it stops', async () => {
    const runner = createRunner(
      declareMint(() => new Promise(() => {})),
      parts.context,
    )
    const row = await leaseJob()
    void runner.runJob(row)
    await runner.stop(50)
    expect(await readRow(row)).to.include({ status: 'pending', attempts: 1, lease_holder: null })
    expect((await readLeaseOf(row)).dueInSeconds).to.be.at.most(0)
  })
})
