import { expect } from 'chai'
import { v7 } from 'uuid'
import type { JobOutcome, JobProgress, JobRun, RunningJob } from '../../../../core/kernel/job.ts'
import type { Context } from '../../../../core/kernel/work.ts'
import { HandedBackError, LeasedRun, LeaseLostError, StuckRunError } from '../../../../core/queue/engine/run.ts'
import { StepTurns } from '../../../../core/queue/engine/step-turns.ts'
import {
  deleteJobsOf,
  insertLeasedJobs,
  isJobLocked,
  passLeaseOn,
  readLease,
} from '../../../support/rows/queue/job-leases.ts'
import { listUnits, recordUnit } from '../../../support/rows/queue/units.ts'
import { waitUntil } from '../../../support/processes.ts'
import type { LeasedJobRow } from '../../../../core/queue/engine/leases.ts'
import { FakedClock } from '../support/faked-clock.ts'
import { collectUnhandledRejections } from '../support/rejections.ts'
import { completed, declareMint } from '../support/runs.ts'
import { readJobRow, useServers } from '../servers.ts'

describe('Job queue: one run of a handler', () => {
  const servers = useServers()
  const organization = v7()
  let clock: FakedClock | undefined
  let steps: StepTurns
  let row: LeasedJobRow

  beforeEach(async () => {
    row = await insertLeasedJob()
    steps = new StepTurns()
  })
  afterEach(async () => {
    clock?.remove()
    clock = undefined
    await deleteJobsOf(servers().db, organization)
  })

  /** Writes a job of which one of three units is done, and which this run has. */
  async function insertLeasedJob(): Promise<LeasedJobRow> {
    const [leased] = await insertLeasedJobs(servers().db, [{ organization, attempts: 2 }])
    if (!leased) throw new Error('No job was written')
    return leased
  }
  const createRun = (run: (job: RunningJob, run: JobRun) => Promise<JobOutcome>) =>
    new LeasedRun({
      context: { db: servers().db } as unknown as Context,
      row,
      declaration: declareMint(run),
      steps,
      handlerTimeoutMs: 500,
    })
  const failureOf = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (cause: unknown) => cause,
    )
  /** Reports these changes in one step of a new job. @returns what is in the row then */
  async function report(changes: readonly JobProgress[]) {
    row = await insertLeasedJob()
    const run = createRun(async (_, { step }) => {
      await step(async (_trx, recordProgress) => changes.forEach((change) => recordProgress(change)))
      return completed
    })
    await run.runHandler()
    return { run, written: await readJobRow(servers(), row.id) }
  }

  it('shows the handler its job, and returns its outcome', async () => {
    const seen: unknown[] = []
    const run = createRun(async (job, { isProcessShared }) => {
      seen.push(job, isProcessShared())
      steps.enter('another')
      seen.push(isProcessShared())
      return completed
    })
    expect(await run.runHandler()).to.equal(completed)
    const { id, type, payload, total, completed: done, failed, state } = row
    const job = { id, type, organization, payload, total, completed: done, failed, state, attempt: 2 }
    expect(seen).to.deep.equal([job, false, true])
    expect([run.holder, run.attempts, run.job]).to.deep.equal([row.lease_holder, 2, job])
  })

  it('counts as work of its organization while it lasts', async () => {
    const going = Promise.withResolvers<JobOutcome>()
    const ended = createRun(() => going.promise).runHandler()
    expect(steps.isShared('another')).to.equal(true)
    going.resolve(completed)
    await ended
    clock = new FakedClock(performance.now() + 3_000)
    expect(steps.isShared('another')).to.equal(false)
  })

  it('throws what the handler throws, and the reason of its end if that came before', async () => {
    const broken = new Error('the handler')
    expect(await failureOf(createRun(() => Promise.reject(broken)).runHandler())).to.equal(broken)
    const [reason, later] = [new HandedBackError('the worker stops'), new Error('later')]
    const run: LeasedRun = createRun(async (_, { signal }) => {
      run.endRun(reason)
      run.endRun(later)
      expect(signal.reason).to.equal(reason)
      throw broken
    })
    expect(await failureOf(run.runHandler())).to.equal(reason)
  })

  it('does not begin once it has ended', async () => {
    let hasBegun = false
    const run = createRun(async () => {
      hasBegun = true
      return completed
    })
    const reason = new HandedBackError('the worker stops')
    run.endRun(reason)
    expect(await failureOf(run.runHandler())).to.equal(reason)
    expect(hasBegun).to.equal(false)
  })

  it('lets a handler write nothing after it has returned', async () => {
    const runs: JobRun[] = []
    await createRun(async (_, run) => {
      runs.push(run)
      return completed
    }).runHandler()
    expect(runs[0]?.signal.reason).to.be.instanceOf(LeaseLostError)
    const late = runs[0]?.step((trx) => recordUnit(trx, row.id, 0)) ?? Promise.resolve()
    expect(await failureOf(late)).to.be.instanceOf(LeaseLostError)
    expect(await listUnits(servers(), row.id)).to.deep.equal([])
  })

  it('locks its job before each step, and renews the lease in the same transaction', async () => {
    const { db } = servers()
    const seen: boolean[] = []
    const run = createRun(async ({ id }, { step }) => {
      seen.push(await isJobLocked(db, id))
      const done = await step(async (trx) => {
        await recordUnit(trx, id, 0)
        seen.push(await isJobLocked(db, id), ((await readLease(db, id)).leaseSeconds ?? 0) > 6)
        return 'done'
      })
      seen.push(await isJobLocked(db, id), ((await readLease(db, id)).leaseSeconds ?? 0) > 6)
      return { status: 'completed', result: { done } }
    })
    expect(await run.runHandler()).to.deep.equal({ status: 'completed', result: { done: 'done' } })
    expect(seen).to.deep.equal([false, true, false, false, true])
    expect(await listUnits(servers(), row.id)).to.have.length(1)
  })

  it('neither renews the lease nor keeps anything of a step that fails', async () => {
    const { db } = servers()
    const broken = new Error('the step')
    const run = createRun(({ id }, { step }) =>
      step(async (trx, recordProgress) => {
        await recordUnit(trx, id, 0)
        recordProgress({ completed: 1 })
        throw broken
      }),
    )
    expect(await failureOf(run.runHandler())).to.equal(broken)
    expect(await listUnits(servers(), row.id)).to.deep.equal([])
    expect(await readJobRow(servers(), row.id)).to.include({ completed: 1, attempts: 2 })
    expect((await readLease(db, row.id)).leaseSeconds).to.be.below(5)
  })

  it('ends without the work of a step when another run has the job', async () => {
    const other = await passLeaseOn(servers().db, row.id)
    let worked = false
    const run = createRun(async (_, { step, signal }) => {
      await step(async () => {
        worked = true
      }).catch(() => undefined)
      expect(signal.reason, 'the signal').to.be.instanceOf(LeaseLostError)
      return completed
    })
    await run.runHandler()
    expect(worked).to.equal(false)
    const { holder, leaseSeconds } = await readLease(servers().db, row.id)
    expect(holder).to.equal(other)
    expect(leaseSeconds, 'the lease of the other one').to.be.below(5)
    const lost: LeasedRun = createRun((_, { step }) => step(async () => completed))
    expect(await failureOf(lost.runHandler())).to.be.instanceOf(LeaseLostError)
  })

  it('counts its attempts anew with a unit that is done or has failed, and only then', async () => {
    for (const [changes, isProgress] of [
      [[{ completed: 1 }], true],
      [[{ failed: 1 }], true],
      [[{ completed: 1, failed: 1 }], true],
      [[{ total: 4, state: { read: 4 } }], false],
      [[], false],
    ] as const) {
      const { run, written } = await report(changes)
      const expected = isProgress ? 1 : 2
      expect([written.attempts, run.attempts], JSON.stringify(changes)).to.deep.equal([expected, expected])
    }
  })

  it('writes all changes of a step together, and none if there are none', async () => {
    const error = { line: 1, code: 'BAD', message: 'is bad' }
    const { written } = await report([
      { completed: 2, state: { first: 1 } },
      { failed: 1, errors: [error] },
      { total: 5, state: { last: 2 }, errors: [error] },
    ])
    expect(written).to.deep.include({
      total: 8,
      completed: 3,
      failed: 1,
      state: { at: 1, first: 1, last: 2 },
      errors: [error, error],
    })
    expect(written.version, 'changed once').to.equal(2)
    expect((await report([])).written.version).to.equal(1)
    expect((await report([{ state: { only: 'state' } }])).written).to.deep.include({
      total: 3,
      completed: 1,
      failed: 0,
      state: { at: 1, only: 'state' },
      errors: [],
    })
  })

  it('keeps the first hundred errors of its steps', async () => {
    const errors = Array.from({ length: 130 }, (_, line) => ({ line, code: 'BAD', message: 'is bad' }))
    expect((await report([{ errors }])).written.errors).to.deep.equal(errors.slice(0, 100))
    const { written } = await report([{ errors: errors.slice(0, 1) }, { errors: errors.slice(1) }])
    expect(written.errors).to.deep.equal(errors.slice(0, 100))
    row = await insertLeasedJob()
    const run = createRun(async (_, { step }) => {
      for (const at of [0, 65])
        await step(async (_trx, recordProgress) => recordProgress({ errors: errors.slice(at, at + 65) }))
      return completed
    })
    await run.runHandler()
    expect((await readJobRow(servers(), row.id)).errors, 'of several steps').to.deep.equal(errors.slice(0, 100))
  })

  it('is asked to end after its time without a step, and given up two seconds later', async () => {
    clock = new FakedClock(10_000)
    const runs: JobRun[] = []
    const run = createRun((_, given) => {
      runs.push(given)
      return new Promise(() => {})
    })
    const failure = failureOf(run.runHandler())
    let isOver = false
    void failure.then(() => (isOver = true))
    const settle = () => new Promise((resolve) => setImmediate(resolve))
    run.checkProgress(10_500)
    expect(runs[0]?.signal.aborted, 'after half a second').to.equal(false)
    clock.nowMs = 10_501
    run.checkProgress(10_501)
    expect(runs[0]?.signal.reason)
      .to.be.instanceOf(StuckRunError)
      .and.have.property('message', 'no sign of life for 0.5 s')
    clock.nowMs = 12_501
    run.checkProgress(12_501)
    await settle()
    expect(isOver, 'after two seconds').to.equal(false)
    run.checkProgress(12_502)
    await settle()
    expect(isOver, 'after more than two seconds').to.equal(true)
    expect(await failure).to.equal(runs[0]?.signal.reason)
  })

  it('is not asked to end while a step is open, and has all its time again after the step', async () => {
    clock = new FakedClock(10_000)
    const [step, end] = [Promise.withResolvers<void>(), Promise.withResolvers<JobOutcome>()]
    let isInStep = false
    const runs: JobRun[] = []
    const run = createRun(async (_, given) => {
      runs.push(given)
      await given.step(() => {
        isInStep = true
        return step.promise
      })
      runs.push(given)
      return end.promise
    })
    const ended = run.runHandler()
    await waitUntil('it is in a step', () => isInStep)
    run.checkProgress(20_000)
    expect(runs[0]?.signal.aborted, 'in a step').to.equal(false)
    clock.nowMs = 20_000
    step.resolve()
    await waitUntil('the step is over', () => runs.length === 2)
    run.checkProgress(20_500)
    expect(runs[0]?.signal.aborted, 'after the step').to.equal(false)
    run.checkProgress(20_501)
    expect(runs[0]?.signal.aborted).to.equal(true)
    end.resolve(completed)
    expect(await ended).to.equal(completed)
  })

  it('may be given up before anything waits for its outcome', async () => {
    const run = createRun(async () => completed)
    const reason = new HandedBackError('the worker stops')
    run.endRun(reason)
    expect(await collectUnhandledRejections(async () => run.checkProgress(performance.now() + 10_000))).to.deep.equal(
      [],
    )
    expect(await failureOf(run.runHandler())).to.equal(reason)
  })

  it('names its ends, which stand in the log', () => {
    expect([new LeaseLostError(), new HandedBackError(), new StuckRunError()].map(({ name }) => name)).to.deep.equal([
      'LeaseLostError',
      'HandedBackError',
      'StuckRunError',
    ])
  })
})
