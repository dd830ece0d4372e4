import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { FairQueue, type FairQueueLimits } from '../../../../core/http/apart/fair-queue.ts'
import { assertThreadRoom, withThreadHandler } from '../../../../core/http/apart/thread-operations.ts'
import type { WorkerThreadPool } from '../../../../core/http/apart/thread-pool.ts'
import type { Caller } from '../../../../core/kernel/caller.ts'
import type { Operation } from '../../../../core/kernel/operation.ts'
import type { OverloadedError } from '../../../../core/kernel/overloaded.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'

describe('Turns of work in worker threads', () => {
  const limits: FairQueueLimits = { maxRunning: 2, maxRunningOfOwner: 1, maxWaitingOfOwner: 2, maxWaiting: 3 }

  /** A queue whose tasks run until the test ends them. Tasks are named for their owner: `a1` is the first of `a`. */
  function createQueue(more: Partial<FairQueueLimits> = {}) {
    const queue = new FairQueue({ ...limits, ...more })
    const [running, refusals] = [new Map<string, () => void>(), new Map<string, unknown>()]
    const send = async (...names: string[]) => {
      for (const name of names) {
        const owner = name.slice(0, 1)
        queue
          .runInTurn(owner, () => new Promise<void>((resolve) => running.set(name, resolve)))
          .catch((error: unknown) => refusals.set(name, error))
      }
      await setImmediate()
      return [...running.keys()]
    }
    return {
      queue,
      refusals,
      send,
      end: (name: string) => {
        running.get(name)?.()
        running.delete(name)
        return send()
      },
    }
  }

  it('are limited for all and for each owner, and come by owner', async () => {
    const { send, end } = createQueue()
    expect(await send('a1', 'a2', 'a3', 'b1')).to.deep.equal(['a1', 'b1'])
    await send('c1')
    expect(await end('b1')).to.deep.equal(['a1', 'c1'])
    expect(await end('a1')).to.deep.equal(['c1', 'a2'])
    expect(await end('a2')).to.deep.equal(['c1', 'a3'])
    expect(await end('c1')).to.deep.equal(['a3'])
    expect(await send('c2')).to.deep.equal(['a3', 'c2'])
  })

  it('go round: who has had one waits behind the other owners', async () => {
    const { send, end } = createQueue({ maxRunning: 1, maxWaiting: 10 })
    await send('a1', 'a2', 'a3', 'b1', 'b2')
    const order: string[] = []
    for (let next = 'a1'; next !== ''; [next = ''] = await end(next)) order.push(next)
    expect(order).to.deep.equal(['a1', 'a2', 'b1', 'a3', 'b2'])
  })

  it('are refused to an owner whose line is full, and to all when all lines are', async () => {
    const { queue, send, refusals } = createQueue()
    await send('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1')
    const [owner, all] = [refusals.get('a4') as ProblemError, refusals.get('c1') as OverloadedError]
    expect([owner.code, owner.detail, owner.headers]).to.deep.equal([
      'RATE_LIMITED',
      '2 requests of yours wait for this already. Wait for one of them.',
      { 'Retry-After': '2' },
    ])
    expect([all.name, all.message, all.retryAfterSeconds]).to.deep.equal([
      'OverloadedError',
      'Too many others ask for this now. Try again shortly.',
      5,
    ])
    expect([...refusals.keys()]).to.deep.equal(['a4', 'c1'])
    expect(() => queue.assertRoom('a')).to.throw('requests of yours')
    expect(() => queue.assertRoom('c')).to.throw('Too many others')
  })

  it('have room for an owner as soon as a task of it has ended, also with an error', async () => {
    const { queue, send, end } = createQueue()
    await send('a1', 'b1', 'c1', 'c2', 'd1')
    expect(() => queue.assertRoom('e')).to.throw('Too many others')
    await end('a1')
    expect(() => queue.assertRoom('e')).to.not.throw()
    const own = new FairQueue(limits)
    const [failed] = await Promise.allSettled([own.runInTurn('a', async () => Promise.reject(new Error('failed')))])
    expect(failed?.status).to.equal('rejected')
    expect(await own.runInTurn('a', async () => 'done')).to.equal('done')
  })

  it('belong to an organization, a buyer, a member without one, or the network of an anonymous caller', async () => {
    const owners: string[] = []
    const threads = {
      assertRoom: (owner: string) => owners.push(owner),
      runTask: async (_: string, __: Buffer, owner: string) => owners.push(owner),
    } as unknown as WorkerThreadPool
    const operation = { declaration: { id: 'do_v1', execution: { runsInThread: true } }, handle: async () => 'here' }
    const { handle } = withThreadHandler(operation as unknown as Operation, threads)
    const member = { kind: 'member', session: 's', user: 'u', organization: 'o', role: 'owner' } as const
    const buyer = { kind: 'endUser', user: 'u', organization: 'o' } as Caller
    const request = { address: '2001:db8::1' }
    for (const [caller, owner] of [
      [{ kind: 'anonymous' }, 'network 2001:db8:0:0::/64'],
      [{ kind: 'key', id: 'k', organization: 'o', permissions: {} }, 'organization o'],
      [member, 'organization o'],
      [{ ...member, organization: null, role: null }, 'member u'],
      [buyer, 'buyer u'],
    ] as [Caller, string][]) {
      owners.length = 0
      assertThreadRoom(threads, caller, request)
      await handle({ caller, request, body: Buffer.alloc(0) } as never)
      expect(owners).to.deep.equal([owner, owner])
    }
  })

  it('are not needed without threads, or for an operation that runs in none', async () => {
    const threads = { runTask: async () => 'apart' } as unknown as WorkerThreadPool
    const create = (runsInThread: boolean) =>
      ({
        declaration: { id: 'do_v1', execution: { runsInThread } },
        handle: async () => 'here',
      }) as unknown as Operation
    for (const [operation, pool] of [
      [create(true), undefined],
      [create(false), threads],
    ] as const)
      expect(withThreadHandler(operation, pool)).to.equal(operation)
  })
})
