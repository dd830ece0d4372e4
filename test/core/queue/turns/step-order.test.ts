import { getEventListeners } from 'node:events'
import { expect } from 'chai'
import { StepTurns } from '../../../../core/queue/engine/step-turns.ts'
import { waitUntil } from '../../../support/processes.ts'
import { FakedClock } from '../support/faked-clock.ts'

describe('Turns of steps: their order', () => {
  let clock: FakedClock
  let turns: StepTurns
  const { signal } = new AbortController()

  beforeEach(() => {
    clock = new FakedClock(1_000_000)
    turns = new StepTurns()
    turns.enter('a')
  })
  afterEach(() => clock.remove())

  /** Runs a step that takes so long by the clock. */
  const runFor = (milliseconds: number, organization = 'a') =>
    turns.runStep(organization, 'mint', signal, async () => {
      clock.nowMs += milliseconds
    })
  /** Lets the steps that wait be looked at. */
  const look = async () => {
    const { readCount } = clock
    await waitUntil('they are looked at', () => clock.readCount >= readCount + 4)
  }
  /** Begins a step that ends when the test says so. */
  function begin(signalOfRun = signal) {
    const { promise, resolve } = Promise.withResolvers<string>()
    let hasBegun = false
    const done = turns.runStep('a', 'mint', signalOfRun, () => {
      hasBegun = true
      return promise
    })
    done.catch(() => undefined)
    return { done, end: resolve, hasBegun: () => hasBegun }
  }

  it('follow each other at once while they take less than 20 milliseconds', async () => {
    turns.enter('b')
    await runFor(19)
    expect(begin().hasBegun()).to.equal(true)
  })

  it('rest twice as long as a step of 20 milliseconds took, and not after the next quick one', async () => {
    turns.enter('b')
    await runFor(20)
    const next = begin()
    clock.nowMs += 39
    await look()
    expect(next.hasBegun(), 'a millisecond too early').to.equal(false)
    clock.nowMs += 1
    await waitUntil('it begins', next.hasBegun)
    next.end('done')
    expect(await next.done).to.equal('done')
    expect(begin().hasBegun(), 'after a quick one').to.equal(true)
  })

  it('do not rest while nobody else works, and no longer once nobody else does', async () => {
    await runFor(10_000)
    await runFor(10_000)
    turns.enter('b')
    const next = begin()
    await look()
    expect(next.hasBegun(), 'while b works').to.equal(false)
    turns.leave('b')
    clock.nowMs += 1_999
    await look()
    expect(next.hasBegun(), 'a moment after b').to.equal(false)
    clock.nowMs += 1
    await waitUntil('it begins', next.hasBegun)
  })

  it('wait for the one under way, then begin one after the other in the order they came', async () => {
    turns.enter('b')
    const first = begin()
    await runFor(20)
    clock.nowMs += 1_000
    const [second, third] = [begin(), begin()]
    await look()
    expect([second.hasBegun(), third.hasBegun()]).to.deep.equal([false, false])
    first.end('first')
    await first.done
    // That step took more than a second.
    clock.nowMs += 5_000
    await waitUntil('the second begins', second.hasBegun)
    await look()
    expect(third.hasBegun(), 'while the second is under way').to.equal(false)
    clock.nowMs += 30
    second.end('second')
    await second.done
    clock.nowMs += 60
    await waitUntil('the third begins', third.hasBegun)
  })

  it('stand behind those that wait, also when they need not wait any more', async () => {
    turns.enter('b')
    await runFor(20)
    const early = begin()
    clock.nowMs += 100
    const late = begin()
    expect(late.hasBegun()).to.equal(false)
    await waitUntil('the first begins', early.hasBegun)
    early.end('early')
    await waitUntil('the other begins', late.hasBegun)
  })

  it('leave the line when their run ends, and let the others begin', async () => {
    turns.enter('b')
    await runFor(20)
    const ending = new AbortController()
    const [given, next] = [begin(ending.signal), begin()]
    ending.abort(new Error('the run ends'))
    expect(await given.done.catch((cause: Error) => cause.message)).to.equal('the run ends')
    clock.nowMs += 100
    await waitUntil('the next one begins', next.hasBegun)
    expect(given.hasBegun()).to.equal(false)
    next.end('next')
    await next.done
    expect(begin().hasBegun(), 'nobody counts as under way').to.equal(true)
  })

  it('are refused for a run that has ended, and listen to it only while they wait', async () => {
    turns.enter('b')
    await runFor(20)
    const ending = new AbortController()
    const next = begin(ending.signal)
    expect(getEventListeners(ending.signal, 'abort')).to.have.length(1)
    clock.nowMs += 100
    await waitUntil('it begins', next.hasBegun)
    expect(getEventListeners(ending.signal, 'abort')).to.deep.equal([])
    next.end('done')
    await next.done
    ending.abort(new Error('the run has ended'))
    const late = begin(ending.signal)
    expect(await late.done.catch((cause: Error) => cause.message)).to.equal('the run has ended')
    expect(late.hasBegun()).to.equal(false)
  })

  it('go on after a step that failed', async () => {
    turns.enter('b')
    const failed = turns.runStep('a', 'mint', signal, () => {
      clock.nowMs += 20
      return Promise.reject(new Error('no'))
    })
    expect(await failed.catch((cause: Error) => cause.message)).to.equal('no')
    const next = begin()
    clock.nowMs += 40
    await waitUntil('it begins', next.hasBegun)
  })

  it('of another type rest apart', async () => {
    turns.enter('b')
    await runFor(20)
    let hasBegun = false
    const other = turns.runStep('a', 'import', signal, async () => {
      hasBegun = true
    })
    expect(hasBegun).to.equal(true)
    await other
  })

  it('forget how long they took once their organization has been away for two seconds', async () => {
    turns.enter('b')
    await runFor(10_000)
    turns.leave('a')
    clock.nowMs += 1_999
    expect(turns.isShared('b'), 'a moment ago').to.equal(true)
    clock.nowMs += 1
    expect(turns.isShared('b')).to.equal(false)
    turns.enter('a')
    expect(begin().hasBegun()).to.equal(true)
  })

  it('are shared with an organization of which one job works while another rests', async () => {
    turns.enter('a')
    turns.enter('b')
    await runFor(20)
    const resting = begin()
    expect(turns.isShared('b')).to.equal(true)
    clock.nowMs += 40
    await waitUntil('it begins', resting.hasBegun)
  })
})
