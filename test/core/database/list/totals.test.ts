import { expect } from 'chai'
import knex from 'knex'
import { createDirectDatabase, type DirectDatabase } from '../../../../core/database/connection.ts'
import { listPage } from '../../../../core/database/list/index.ts'
import type { ListSource } from '../../../../core/database/list/source.ts'
import { computeKeptTotal } from '../../../../core/database/list/estimates.ts'
import { adjustTotal, computeTotal, type RowCounter } from '../../../../core/database/list/total.ts'
import { defaultPageRequest } from '../../../../core/kernel/page.ts'

/** A table of so many rows of which the planner thinks otherwise. @param inTime whether counting is over in time */
function table(rows: number, estimated: number, inTime: boolean) {
  const recordedCalls: string[] = []
  const counts: RowCounter = {
    async count(limit) {
      recordedCalls.push(`count ${limit}`)
      return Math.min(rows, limit)
    },
    async countWithin(limit) {
      recordedCalls.push(`within ${limit}`)
      return inTime ? Math.min(rows, limit) : null
    },
    async estimate() {
      recordedCalls.push('estimate')
      return estimated
    },
  }
  return { counts, recordedCalls }
}

describe('core/database/totals: the total of a list', () => {
  it('is exact up to 10,000 in one statement', async () => {
    const { counts, recordedCalls } = table(10_000, 1, false)
    expect(await computeTotal(counts)).to.deep.equal({ total: 10_000 })
    expect(recordedCalls).to.deep.equal(['count 10001'])
  })

  it('is exact up to 100,000 where counting is over in time', async () => {
    expect(await computeTotal(table(100_000, 5, true).counts)).to.deep.equal({ total: 100_000 })
    expect(await computeTotal(table(100_000, 70_000, false).counts)).to.deep.equal({
      total: 70_000,
      totalIsEstimate: true,
    })
    expect(await computeTotal(table(100_002, 70_000, true).counts)).to.deep.equal({
      total: 100_001,
      totalIsEstimate: true,
    })
  })

  it("is the planner's estimate above, and counting is not tried", async () => {
    const { counts, recordedCalls } = table(900_000, 880_000, true)
    expect(await computeTotal(counts)).to.deep.equal({ total: 880_000, totalIsEstimate: true })
    expect(recordedCalls).to.deep.equal(['count 10001', 'estimate'])
    expect(await computeTotal(table(900_000, 7, false).counts)).to.deep.equal({ total: 10_001, totalIsEstimate: true })
  })

  it('is the same estimate for some seconds, for the same statement of the same database only', async () => {
    let now = 0
    const [direct, other] = [createDirectDatabase(knex({ client: 'pg' })), createDirectDatabase(knex({ client: 'pg' }))]
    const read = async (database: DirectDatabase, key: string) => {
      const { counts, recordedCalls } = table(900_000, 880_000, true)
      const total = await computeKeptTotal(database, key, counts, () => now)
      expect(total).to.deep.equal({ total: 880_000, totalIsEstimate: true })
      return recordedCalls.length > 0
    }
    expect(await read(direct, 'a'), 'the first time').to.equal(true)
    expect(await read(direct, 'a'), 'at once again').to.equal(false)
    expect(await read(direct, 'b'), 'another statement').to.equal(true)
    expect(await read(other, 'a'), 'another database').to.equal(true)
    now += 4_999
    expect(await read(direct, 'a'), 'after 5 s, but for a millisecond').to.equal(false)
    now += 1
    expect(await read(direct, 'a'), 'after 5 s').to.equal(true)
  })

  it('is counted each time where it is exact', async () => {
    const direct = createDirectDatabase(knex({ client: 'pg' }))
    for (const rows of [10_000, 9_999]) {
      expect(await computeKeptTotal(direct, 'a', table(rows, 1, false).counts)).to.deep.equal({ total: rows })
    }
  })

  it('is kept for the thousand statements that came last', async () => {
    const direct = createDirectDatabase(knex({ client: 'pg' }))
    const counts = (key: number) => {
      const { counts: counter, recordedCalls } = table(900_000, 880_000, true)
      return computeKeptTotal(direct, `statement ${key}`, counter).then(() => recordedCalls.length)
    }
    for (let key = 0; key <= 1_000; key++) await counts(key)
    expect([await counts(1), await counts(0)]).to.deep.equal([0, 2])
  })

  it('is never below what the pages hold, and exact on the last of them', () => {
    const estimate = { total: 10_001, totalIsEstimate: true } as const
    expect(adjustTotal(estimate, { offset: 20_000, rows: 10, hasMore: true })).to.deep.equal({
      total: 20_011,
      totalIsEstimate: true,
    })
    expect(adjustTotal(estimate, { offset: 20_000, rows: 3, hasMore: false })).to.deep.equal({ total: 20_003 })
    expect(adjustTotal(estimate, { offset: 90_000, rows: 0, hasMore: false })).to.deep.equal(estimate)
    expect(adjustTotal({ total: 4 }, { offset: 0, rows: 4, hasMore: false })).to.deep.equal({ total: 4 })
  })

  it('fits a page that is read by its number, and behind a cursor stays what was found', async () => {
    const columns = { createdAt: { sql: 'rows.created_at' } }
    const readTotal = async (rowsFound: number, where: { currentPage: number } | { cursor: string | null }) => {
      const source: ListSource<object> = {
        id: 'rows.id',
        isSerial: false,
        readRows: async () => Array.from({ length: rowsFound }, (_, at) => ({ key0: '2026-03-01', key1: `row ${at}` })),
        computeTotal: () => computeTotal(table(900_000, 880_000, true).counts),
      }
      const { total, totalIsEstimate, nextCursor } = await listPage(
        source,
        { ...defaultPageRequest, ...where },
        columns,
      )
      return { total, isEstimate: totalIsEstimate ?? false, nextCursor }
    }
    const estimate = { total: 880_000, isEstimate: true }
    const { nextCursor, ...first } = await readTotal(11, { currentPage: 1 })
    expect(first, 'the first page').to.deep.equal(estimate)
    expect(await readTotal(11, { currentPage: 90_000 }), 'a page beyond the estimate').to.include({
      total: 900_001,
      isEstimate: true,
    })
    expect(await readTotal(3, { currentPage: 90_000 }), 'the last page').to.include({
      total: 899_993,
      isEstimate: false,
    })
    expect(await readTotal(3, { cursor: nextCursor }), 'behind a cursor').to.include(estimate)
  })
})
