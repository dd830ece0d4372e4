import { expect } from 'chai'
import type { JobOutcome, JobRun } from '../../../../core/kernel/job.ts'
import { createProblem } from '../../../../core/kernel/problem.ts'
import { LeaseLostError } from '../../../../core/queue/engine/run.ts'
import { waitUntil } from '../../../support/processes.ts'
import { FakeDatabase } from '../fakes/fake-database.ts'
import { FakedClock } from '../fakes/faked-clock.ts'
import { countTimers } from '../fakes/timers.ts'
import { completed, createLeasedRow, createRunner, declareMint } from '../fakes/runs.ts'

describe('Job queue: the runner of leased jobs', () => {
  const row = createLeasedRow({ attempts: 2 })
  const { id, lease_holder: holder } = row
  const realRandom = Math.random

  afterEach(() => {
    Math.random = realRandom
  })

  it('completes a job with the result of its handler', async () => {
    const { runner, leases, notified } = createRunner(declareMint(async () => completed))
    await runner.runJob(row)
    await waitUntil('it is written', () => runner.listHolders().length === 0)
    expect([leases.completions, leases.parkings, notified]).to.deep.equal([
      [{ id, holder, result: { by: 'the run' } }],
      [],
      [],
    ])
  })

  it('parks a job that waits, and notifies a worker only if it is due already', async () => {
    const { runner, leases, notified } = createRunner(declareMint(async () => ({ status: 'waiting', delaySeconds: 7 })))
    await runner.runJob(row)
    await waitUntil('it is written', () => runner.listHolders().length === 0)
    expect([leases.parkings, notified]).to.deep.equal([[{ id, holder, kind: 'waiting', seconds: 7 }], [id]])
    leases.isDueAtOnce = false
    await runner.runJob(row)
    await waitUntil('it is written', () => runner.listHolders().length === 0)
    expect(notified).to.deep.equal([id])
  })

  it('tries a job again that threw, after a time that grows with its attempts', async () => {
    const { runner, leases } = createRunner(declareMint(() => Promise.reject(new Error('no'))))
    Math.random = () => 0.5
    for (const attempts of [1, 2]) {
      await runner.runJob({ ...row, attempts })
      await waitUntil('it is written', () => runner.listHolders().length === 0)
    }
    expect(leases.parkings.map(({ kind, seconds }) => [kind, seconds])).to.deep.equal([
      ['retry', 8],
      ['retry', 16],
    ])
  })

  it('hands a job back, and leaves one alone that another run has', async () => {
    const { runner, leases, database } = createRunner(
      declareMint(() => Promise.reject(new LeaseLostError('it is in other hands'))),
    )
    await runner.runJob(row)
    await waitUntil('it is over', () => runner.listHolders().length === 0)
    expect([leases.parkings, leases.completions, database.statements]).to.deep.equal([[], [], []])
  })

  it('has room again when a handler has returned, and says how long that took without the wait for its place', async () => {
    const clock = new FakedClock(50_000)
    try {
      const { runner, leases } = createRunner(
        declareMint(async () => {
          clock.nowMs += 30
          return completed
        }),
      )
      const written = Promise.withResolvers<void>()
      leases.write = () => written.promise
      const place = Promise.withResolvers<void>()
      const ran = runner.runJob(row, place.promise)
      expect(runner.listHolders()).to.deep.equal([holder])
      clock.nowMs += 1_000
      place.resolve()
      expect(await ran).to.equal(30)
      expect(runner.listHolders(), 'while the outcome is written').to.deep.equal([holder])
      written.resolve()
      await waitUntil('it is written', () => runner.listHolders().length === 0)
    } finally {
      clock.remove()
    }
  })

  it('has no room beside 500 outcomes that are not written yet', async () => {
    const { runner, leases } = createRunner(declareMint(async () => completed))
    const written = Promise.withResolvers<void>()
    leases.write = () => written.promise
    await Promise.all(Array.from({ length: 500 }, () => runner.runJob(createLeasedRow())))
    let hasRoom = false
    const next = runner.runJob(createLeasedRow()).then(() => (hasRoom = true))
    await waitUntil('its handler has returned', () => leases.completions.length === 501)
    await new Promise((resolve) => setImmediate(resolve))
    expect(hasRoom).to.equal(false)
    written.resolve()
    await next
    await waitUntil('all are written', () => runner.listHolders().length === 0)
  })

  it('writes an outcome again that could not be written, seven times at most', async () => {
    const { runner, leases } = createRunner(declareMint(async () => completed))
    // No time between two attempts.
    Math.random = () => -0.5
    leases.write = async () => {
      if (leases.completions.length < 3) throw new Error('the database is away')
    }
    await runner.runJob(row)
    await waitUntil('it is written', () => runner.listHolders().length === 0)
    expect(leases.completions).to.have.length(3)
    leases.write = () => Promise.reject(new Error('the database is away'))
    let waits = 0
    Math.random = () => {
      waits++
      return -0.5
    }
    await runner.runJob(row)
    await waitUntil('it is given up', () => runner.listHolders().length === 0)
    expect([leases.completions.length, waits]).to.deep.equal([3 + 7, 6])
  })

  it('waits a quarter of a second, then twice as long, before it writes an outcome again', async () => {
    const { runner, leases } = createRunner(declareMint(async () => completed))
    const writtenAtMs: number[] = []
    Math.random = () => 0
    leases.write = async () => {
      writtenAtMs.push(performance.now())
      if (writtenAtMs.length < 3) throw new Error('the database is away')
    }
    await runner.runJob(row)
    await waitUntil('it is written', () => runner.listHolders().length === 0)
    const [first = 0, second = 0, third = 0] = writtenAtMs
    expect(second - first).to.be.above(120)
    expect(third - second).to.be.above(240)
  })

  it('parks a job again that could not be parked', async () => {
    for (const [handleFailure, attempts] of [
      [undefined, 2],
      [() => Promise.reject(new Error('it holds on')), 3],
    ] as const) {
      const database = new FakeDatabase(({ sql }) => (sql.includes('for update') ? [{ left: 1 }] : []))
      const declaration = declareMint(() => Promise.reject(new Error('no')), handleFailure && { handleFailure })
      const { runner, leases } = createRunner(declaration, database)
      Math.random = () => -0.5
      leases.write = async () => {
        if (leases.parkings.length < 2) throw new Error('the database is away')
      }
      await runner.runJob({ ...row, attempts })
      await waitUntil('it is written', () => runner.listHolders().length === 0)
      expect(leases.parkings.map(({ kind }) => kind)).to.deep.equal(['retry', 'retry'])
    }
  })

  it('refuses a job that it has no handler for', async () => {
    const { runner } = createRunner(declareMint(async () => completed))
    const refused = await runner.runJob({ ...row, type: 'claim' }).catch((cause: Error) => cause.message)
    expect(refused).to.equal('A job of type claim was taken without a handler')
  })

  it('leaves no timer behind when it stops', async () => {
    const { runner } = createRunner(declareMint(async () => completed))
    const before = await countTimers()
    await runner.stop(60_000)
    expect(await countTimers()).to.equal(before)
  })

  it('renews the leases of its runs, and ends those that have lost their job', async () => {
    const going = Promise.withResolvers<JobOutcome>()
    const runs: JobRun[] = []
    const { runner, leases } = createRunner(
      declareMint((_, run) => {
        runs.push(run)
        return going.promise
      }),
    )
    await runner.renewLeases()
    expect(leases.renewals, 'without a run').to.deep.equal([])
    const kept = createLeasedRow()
    const ran = [runner.runJob(row), runner.runJob(kept)]
    await waitUntil('both run', () => runs.length === 2)
    leases.holding = new Set([kept.lease_holder])
    await runner.renewLeases()
    expect(leases.renewals).to.deep.equal([
      [
        { id, holder },
        { id: kept.id, holder: kept.lease_holder },
      ],
    ])
    expect(runs.map(({ signal }) => signal.aborted)).to.deep.equal([true, false])
    expect(runs[0]?.signal.reason).to.be.instanceOf(LeaseLostError)
    going.resolve(completed)
    await Promise.all(ran)
  })

  it('gives up what is stuck when it is asked to look', async () => {
    const clock = new FakedClock()
    try {
      const runs: JobRun[] = []
      const { runner, leases } = createRunner(
        declareMint((_, run) => {
          runs.push(run)
          return new Promise(() => {})
        }),
      )
      const ran = runner.runJob(row)
      await waitUntil('it runs', () => runs.length === 1)
      clock.nowMs += 60_001
      runner.checkRuns()
      expect(runs[0]?.signal.aborted).to.equal(true)
      clock.nowMs += 2_001
      runner.checkRuns()
      await ran
      await waitUntil('it is tried again', () => leases.parkings.length === 1)
      expect(leases.parkings[0]?.kind).to.equal('retry')
    } finally {
      clock.remove()
    }
  })

  it('asks all runs to end when it stops, waits for them, and begins no other', async () => {
    const going = Promise.withResolvers<void>()
    const begun: string[] = []
    const { runner, leases } = createRunner(
      declareMint(async (job, { signal }) => {
        begun.push(job.id)
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        await going.promise
        throw createProblem('VALIDATION_FAILED', 'The run was ended.')
      }),
    )
    const place = Promise.withResolvers<void>()
    const waiting = createLeasedRow()
    void runner.runJob(row)
    void runner.runJob(waiting, place.promise)
    await waitUntil('it runs', () => begun.length === 1)
    let hasStopped = false
    const stopped = runner.stop(60_000).then(() => (hasStopped = true))
    place.resolve()
    await waitUntil('what waited is handed back', () => leases.parkings.length === 1)
    expect([hasStopped, begun]).to.deep.equal([false, [id]])
    going.resolve()
    await stopped
    expect(leases.parkings).to.deep.equal([
      { id: waiting.id, holder: waiting.lease_holder, kind: 'handback', seconds: 0 },
      { id, holder, kind: 'handback', seconds: 0 },
    ])
    await runner.runJob(createLeasedRow())
    expect(begun).to.deep.equal([id])
  })

  it('hands back what has not ended in time when it stops', async () => {
    const { runner, leases } = createRunner(declareMint(() => new Promise(() => {})))
    void runner.runJob(row)
    leases.write = () => new Promise((resolve) => setImmediate(resolve))
    await runner.stop(50)
    expect(leases.writtenCount).to.equal(1)
    expect(leases.parkings).to.deep.equal([{ id, holder, kind: 'handback', seconds: 0 }])
  })
})
