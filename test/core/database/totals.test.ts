import { expect } from 'chai'
import { adjustTotal, computeTotal, type RowCounter } from '../../../core/database/list/total.ts'

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
})
