import { expect } from 'chai'
import type { JobOutcome, JobProgress, JobRun, RunningJob } from '../../../../core/kernel/job.ts'
import type { Context } from '../../../../core/kernel/work.ts'
import { HandedBackError, LeasedRun, LeaseLostError, StuckRunError } from '../../../../core/queue/engine/run.ts'
import { StepTurns } from '../../../../core/queue/engine/step-turns.ts'
import { FakeDatabase } from '../fakes/fake-database.ts'
import { FakedClock } from '../fakes/faked-clock.ts'
import { collectUnhandledRejections } from '../fakes/rejections.ts'
import { completed, createLeasedRow, declareMint } from '../fakes/runs.ts'

describe('Job queue: one run of a handler', () => {
  let clock: FakedClock | undefined
  let database: FakeDatabase
  let steps: StepTurns
  /** Whether the run still has its job. */
  let hasLease: boolean

  beforeEach(() => {
    hasLease = true
    database = new FakeDatabase(({ sql }) => (sql.includes('for update') && hasLease ? [{}] : []))
    steps = new StepTurns()
  })
  afterEach(() => {
    clock?.remove()
    clock = undefined
  })

  const row = createLeasedRow({ attempts: 2 })
  const createRun = (run: (job: RunningJob, run: JobRun) => Promise<JobOutcome>) =>
    new LeasedRun({
      context: { db: database.knex } as unknown as Context,
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
  /** Reports these changes in one step. @returns what was written of them */
  async function report(changes: readonly JobProgress[]) {
    const run = createRun(async (_, { step }) => {
      await step(async (_trx, recordProgress) => changes.forEach((change) => recordProgress(change)))
      return completed
    })
    await run.runHandler()
    const [counted] = database.find('state = state')
    const [renewed] = database.find('attempts = case')
    return { run, counted: counted?.bindings, renewed: renewed?.bindings }
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
    const { id, type, organization, payload, total, completed: done, failed, state } = row
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
    expect(await failureOf(runs[0]?.step(async () => undefined) ?? Promise.resolve())).to.be.instanceOf(LeaseLostError)
    expect(database.statements).to.deep.equal([])
  })

  it('locks its job before each step, and renews the lease in the same transaction', async () => {
    let lockedFirst = false
    const run = createRun(async (_, { step }) => {
      const done = await step(async () => {
        lockedFirst = database.statements.length === 1 && database.openCount === 0
        return 'done'
      })
      return { status: 'completed', result: { done } }
    })
    expect(await run.runHandler()).to.deep.equal({ status: 'completed', result: { done: 'done' } })
    expect(lockedFirst).to.equal(true)
    expect(database.statements.map(({ bindings }) => bindings)).to.deep.equal([
      [row.id, row.lease_holder],
      [false, row.id],
    ])
    expect(database.endings).to.deep.equal(['commit'])
  })

  it('ends without the work of a step when another run has the job', async () => {
    hasLease = false
    let worked = false
    const run = createRun(async (_, { step, signal }) => {
      await step(async () => {
        worked = true
      }).catch(() => undefined)
      expect(signal.reason, 'the signal').to.be.instanceOf(LeaseLostError)
      return completed
    })
    await run.runHandler()
    expect([worked, database.endings, database.statements.length]).to.deep.equal([false, ['rollback'], 1])
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
      database.statements.length = 0
      const { run, renewed } = await report(changes)
      expect([renewed, run.attempts], JSON.stringify(changes)).to.deep.equal([[isProgress, row.id], isProgress ? 1 : 2])
    }
  })

  it('writes all changes of a step together, and none if there are none', async () => {
    const error = { line: 1, code: 'BAD', message: 'is bad' }
    const { counted } = await report([
      { completed: 2, state: { first: 1 } },
      { failed: 1, errors: [error] },
      { total: 5, state: { last: 2 }, errors: [error] },
    ])
    const [errors, state] = [JSON.stringify([error, error]), JSON.stringify({ first: 1, last: 2 })]
    expect(counted).to.deep.equal([5, 2, 1, state, 2, errors, row.id])
    database.statements.length = 0
    expect((await report([])).counted).to.equal(undefined)
    expect((await report([{ state: { only: 'state' } }])).counted).to.deep.equal([
      0,
      0,
      0,
      '{"only":"state"}',
      0,
      '[]',
      row.id,
    ])
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
    const runs: JobRun[] = []
    const run = createRun(async (_, given) => {
      runs.push(given)
      await given.step(() => step.promise)
      runs.push(given)
      return end.promise
    })
    const ended = run.runHandler()
    run.checkProgress(20_000)
    expect(runs[0]?.signal.aborted, 'in a step').to.equal(false)
    clock.nowMs = 20_000
    step.resolve()
    while (runs.length < 2) await new Promise((resolve) => setImmediate(resolve))
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
