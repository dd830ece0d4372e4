import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { RequestScheduler } from '../../../../core/http/limits/request-scheduler.ts'
import type { Caller } from '../../../../core/kernel/caller.ts'

const createKey = (organization: string): Caller => ({
  kind: 'key',
  application: null,
  id: 'k',
  organization,
  permissions: {},
})
const createBuyer = (organization: string): Caller => ({
  kind: 'endUser',
  session: 's',
  user: 'u',
  application: 'a',
  organization,
  email: null,
  phoneNumber: null,
})

describe('Turns of requests', () => {
  let now: number
  let scheduler: RequestScheduler

  beforeEach(() => {
    now = 0
    mock.method(performance, 'now', () => now)
    mock.timers.enable({ apis: ['setTimeout'] })
    scheduler = new RequestScheduler()
  })
  afterEach(() => {
    mock.timers.reset()
    mock.restoreAll()
  })

  /** Sends requests whose work ends when the test says so. */
  function send(caller: Caller, count: number, kind: 'runInTurn' | 'runInSharedTurn' = 'runInTurn') {
    const running: (() => void)[] = []
    let [begun, refused] = [0, 0]
    const ended = Array.from({ length: count }, () =>
      scheduler[kind](caller, () => {
        begun++
        return new Promise<void>((resolve) => running.push(resolve))
      }).catch(() => refused++),
    )
    return {
      /** How many of them have begun so far. */
      countBegun: async () => {
        await setImmediate()
        return begun
      },
      countRefused: async () => {
        await setImmediate()
        return refused
      },
      endOne: () => running.shift()?.(),
      endAll: async () => {
        for (let left = count; left > 0; left--) {
          running.shift()?.()
          await setImmediate()
        }
        await Promise.all(ended)
      },
    }
  }

  it('are eight at a time for an organization that is alone; the ninth request waits for one of them', async () => {
    const requests = send(createKey('a'), 9)
    expect(await requests.countBegun()).to.equal(8)
    requests.endOne()
    expect(await requests.countBegun()).to.equal(9)
    await requests.endAll()
  })

  it('are fewer the more others are present, and never fewer than two', async () => {
    for (const [others, turns] of [
      [1, 4],
      [2, 2],
      [7, 2],
    ] as const) {
      scheduler = new RequestScheduler()
      for (let at = 0; at < others; at++) await scheduler.runInTurn(createKey(`other-${at}`), async () => undefined)
      const requests = send(createKey('a'), 9)
      expect(await requests.countBegun(), `${others} others`).to.equal(turns)
      await requests.endAll()
    }
  })

  it('are eight again when the others have sent nothing for a second', async () => {
    for (const [elapsed, turns] of [
      [1_000, 2],
      [1_001, 8],
    ] as const) {
      scheduler = new RequestScheduler()
      for (const other of ['b', 'c', 'd']) await scheduler.runInTurn(createKey(other), async () => undefined)
      now += elapsed
      const requests = send(createKey('a'), 9)
      expect(await requests.countBegun(), `${elapsed} ms later`).to.equal(turns)
      await requests.endAll()
    }
  })

  it('are others for the buyers of an organization, and none for anonymous callers, who count as one sender', async () => {
    const [members, buyers] = [send(createKey('a'), 9), send(createBuyer('a'), 9)]
    const anonymous = send({ kind: 'anonymous' }, 20)
    expect(await Promise.all([members, buyers, anonymous].map((each) => each.countBegun()))).to.deep.equal([8, 4, 20])
    await Promise.all([members, buyers, anonymous].map((each) => each.endAll()))
  })

  it('are eight times as many, and others, for requests that share transactions', async () => {
    const [shared, own] = [send(createKey('a'), 65, 'runInSharedTurn'), send(createKey('a'), 9)]
    expect(await Promise.all([shared.countBegun(), own.countBegun()])).to.deep.equal([64, 8])
    const beside = send(createKey('b'), 33, 'runInSharedTurn')
    expect(await beside.countBegun()).to.equal(32)
    await Promise.all([shared, own, beside].map((each) => each.endAll()))
  })

  it('are waited for three seconds', async () => {
    const requests = send(createKey('a'), 9)
    mock.timers.tick(2_999)
    expect(await requests.countRefused()).to.equal(0)
    mock.timers.tick(1)
    expect(await requests.countRefused()).to.equal(1)
    await requests.endAll()
  })
})
