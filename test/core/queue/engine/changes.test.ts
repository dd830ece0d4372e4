import { expect } from 'chai'
import { declareJob } from '../../../../core/kernel/job.ts'
import { computeBackoffSeconds } from '../../../../core/queue/engine/backoff.ts'
import { createHandlers } from '../../../../core/queue/engine/handlers.ts'
import { mergeMoves } from '../../../../core/queue/engine/move.ts'
import { formatJsonb, presentJob } from '../../../../core/queue/engine/rows.ts'
import { createLeasedRow, declareMint, completed } from '../support/runs.ts'

describe('Job queue: changes of a job', () => {
  const error = (line: number) => ({ line, code: 'BAD', message: 'is bad' })

  it('are added up, whichever counters each has', () => {
    expect(
      mergeMoves({ completed: 2, total: 1, state: { a: 1, b: 1 } }, { failed: 3, errors: [error(1)] }),
    ).to.deep.equal({
      completed: 2,
      failed: 3,
      total: 1,
      state: { a: 1, b: 1 },
      errors: [error(1)],
    })
    expect(mergeMoves({ errors: [error(1)] }, { total: 1 })).to.deep.include({ total: 1, errors: [error(1)] })
    expect(
      mergeMoves(
        { failed: 1, errors: [error(1)], state: { a: 1 } },
        { completed: 1, failed: 1, total: 4, errors: [error(2)], state: { a: 2 } },
      ),
    ).to.deep.equal({ completed: 1, failed: 2, total: 4, state: { a: 2 }, errors: [error(1), error(2)] })
  })

  it('have texts that PostgreSQL takes, and members of other kinds as they are', () => {
    expect(formatJsonb({ text: 'nul \0 and \ud800', list: [1, true, null, { deep: '\0' }] })).to.equal(
      JSON.stringify({ text: 'nul \ufffd and \ufffd', list: [1, true, null, { deep: '\ufffd' }] }),
    )
  })

  it('are seen as all status routes show them', () => {
    const row = createLeasedRow({
      created_at: new Date('2030-01-02T03:04:05Z'),
      updated_at: new Date('2030-01-03T00:00:00Z'),
    })
    expect(presentJob(row)).to.deep.equal({
      id: row.id,
      type: 'mint',
      status: 'pending',
      total: 3,
      completed: 1,
      failed: 0,
      result: null,
      errors: [],
      createdAt: '2030-01-02T03:04:05.000Z',
      updatedAt: '2030-01-03T00:00:00.000Z',
    })
  })
})

describe('Job queue: attempts and handlers', () => {
  it('wait twice as long after each attempt, up to a maximum, give or take half', () => {
    const backoff = { minSeconds: 2, maxSeconds: 50 }
    const listWaits = (random: number) => {
      const real = Math.random
      Math.random = () => random
      try {
        return [1, 2, 3, 4, 5, 6, 90].map((attempt) => computeBackoffSeconds(attempt, backoff))
      } finally {
        Math.random = real
      }
    }
    expect(listWaits(0.5)).to.deep.equal([2, 4, 8, 16, 32, 50, 50])
    expect(listWaits(0)).to.deep.equal([1, 2, 4, 8, 16, 25, 25])
    expect(listWaits(1)).to.deep.equal([3, 6, 12, 24, 48, 75, 75])
  })

  it('have one handler for each type, and all that are asked for', () => {
    const mint = declareMint(async () => completed)
    const claim = declareJob({ ...mint, type: 'claim' })
    const handlers = createHandlers([mint, claim], ['claim', 'mint'])
    expect([...handlers]).to.deep.equal([
      ['mint', mint],
      ['claim', claim],
    ])
    expect([...createHandlers([mint]).keys()]).to.deep.equal(['mint'])
    expect(() => createHandlers([mint], ['mint', 'claim', 'import'])).to.throw(
      'No handler is declared for jobs of type claim, import',
    )
    expect(() => createHandlers([mint, claim, mint])).to.throw('Two handlers are declared for jobs of type mint')
  })
})
