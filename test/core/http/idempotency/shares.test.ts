import { expect } from 'chai'
import type { Knex } from 'knex'
import { pino } from 'pino'
import { BodyShares } from '../../../../core/http/idempotency/shares.ts'
import { waitUntil } from '../../../support/processes.ts'

describe('Idempotency-Key: when a share of stored answers is looked through', () => {
  /** The shares that were looked through, in their order. */
  let checkedShares: string[]
  let shares: BodyShares
  let isAway = false

  beforeEach(() => {
    checkedShares = []
    isAway = false
    const raw = async (_: string, [share]: [string]) => {
      checkedShares.push(share)
      if (isAway) throw new Error('PostgreSQL is away')
      return { rows: [{ bytes: '0' }] }
    }
    shares = new BodyShares({ raw } as unknown as Knex, pino({ level: 'silent' }))
  })

  it('is at its first answer, and again after each MiB', () => {
    for (const bytes of [1, 1, 1024 * 1024 - 3, 1, 1]) shares.recordStored('a', bytes)
    expect(checkedShares).to.deep.equal(['a', 'a'])
  })

  it('is at the next answer when it could not be looked through', async () => {
    isAway = true
    shares.recordStored('a', 1)
    isAway = false
    await waitUntil('the failure is known', () => {
      shares.recordStored('a', 1)
      return checkedShares.length > 1
    })
  })

  it('is at the next answer when too many others came in between to keep count', () => {
    shares.recordStored('a', 1)
    for (let at = 0; at < 10_000; at++) shares.recordStored(`other ${at}`, 1)
    shares.recordStored('a', 1)
    expect(checkedShares.filter((share) => share === 'a')).to.have.length(2)
  })
})
