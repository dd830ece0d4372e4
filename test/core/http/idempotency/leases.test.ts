import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { connectDatabase } from '../../../../core/database/connection.ts'
import { leaseKey, releaseKey, type KeyLease } from '../../../../core/http/idempotency/leases.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'
import { platform } from '../../../support/platform.ts'
import { getOperator } from '../../identity/people.ts'

describe('Idempotency-Key: two requests at the same moment', () => {
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
})
