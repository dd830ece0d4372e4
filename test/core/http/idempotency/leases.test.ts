import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { connectDatabase } from '../../../../core/database/connection.ts'
import { leaseKey, releaseKey, type KeyLease } from '../../../../core/http/idempotency/leases.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'
import { platform } from '../../../support/platform.ts'
import { getOperator } from '../../identity/people.ts'

describe('Idempotency-Key: two requests with one key', () => {
  /** With one connection, statements run in the order in which they were begun. */
  let db: Knex
  before(() => {
    db = connectDatabase({ url: platform.database, name: 'test', maxConnections: 1 })
  })
  after(() => db.destroy())

  it('tells the second to come back in a second when the first ends before it is looked at', async () => {
    const { notices } = await getOperator()
    const request = { key: randomUUID(), scope: 'test', share: 'test', operation: 'test_v1', seconds: 60 }
    const lease = () => leaseKey({ db, notices }, { ...request, isTransaction: true }, Buffer.alloc(32))
    const first = (await lease()) as KeyLease
    const second = lease()
    const released = releaseKey(db, first)
    const [refused] = await Promise.allSettled([second, released])
    const { code, headers } = (refused as PromiseRejectedResult).reason as ProblemError
    expect([code, headers]).to.deep.equal(['IDEMPOTENCY_IN_PROGRESS', { 'Retry-After': '1' }])
    const next = (await lease()) as KeyLease
    expect(next.holder).to.be.a('string').and.not.to.equal(first.holder)
    await releaseKey(db, next)
  })

  it('takes over work that can be rolled back at once from a lost process, other work only if it stays lost', async () => {
    const { notices } = await getOperator()
    for (const [isTransaction, looks, isTaken] of [
      [true, [true, false], true],
      [false, [true, false], false],
      [false, [true, true], true],
    ] as const) {
      const left: boolean[] = [...looks]
      const processOfOther = { processNumber: 1, isProcessGone: async () => left.shift() ?? false }
      const request = { key: randomUUID(), scope: 'test', share: 'test', operation: 'test_v1', seconds: 60 }
      const lease = () =>
        leaseKey({ db, notices: { ...notices, ...processOfOther } }, { ...request, isTransaction }, Buffer.alloc(32))
      const first = (await lease()) as KeyLease
      const next = await lease().catch(({ code }: ProblemError) => code)
      expect(next !== 'IDEMPOTENCY_IN_PROGRESS', `${isTransaction} ${looks.join()}`).to.equal(isTaken)
      await releaseKey(db, isTaken ? (next as KeyLease) : first)
    }
  })
})
