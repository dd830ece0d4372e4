import { expect } from 'chai'
import type { ProblemError } from '../../../core/kernel/problem.ts'
import { assertClaimsBelowLimit, RefusalMemory } from '../../../core/queue/limit.ts'
import { FakeDatabase } from './fakes/fake-database.ts'
import { FakedClock } from './fakes/faked-clock.ts'

const problemOf = async (promise: Promise<void>) =>
  promise.then(
    () => null,
    (cause: ProblemError) => cause,
  )

describe('Job queue: limits by what the database counts', () => {
  let clock: FakedClock | undefined

  afterEach(() => {
    clock?.remove()
    clock = undefined
  })

  /** Asks for one more job where the database counts so many, once before the lock and once under it. */
  async function tryWith(counts: readonly number[], oldest: number | null = 7.2) {
    const left = [...counts]
    const database = new FakeDatabase(({ sql }) =>
      sql.includes('advisory') ? [] : left.slice(0, 1).map(() => ({ count: left.shift(), oldest })),
    )
    database.isSerial = true
    const problem = await problemOf(new RefusalMemory().assertBelowLimit(database.knex, 'org', 'mint'))
    return { problem, statements: database.statements, openCount: database.openCount }
  }

  it('are checked without a lock while they are far', async () => {
    const { problem, statements } = await tryWith([139])
    expect([problem, statements.map(({ bindings }) => bindings)]).to.deep.equal([null, [['org', 'mint']]])
  })

  it('are checked once more under a lock of their own name when they are near', async () => {
    for (const counts of [
      [140, 199],
      [199, 140],
    ]) {
      const { problem, statements, openCount } = await tryWith(counts)
      expect([problem, openCount]).to.deep.equal([null, 0])
      expect(statements.map(({ bindings }) => bindings)).to.deep.equal([
        ['org', 'mint'],
        ['waiting jobs org mint'],
        ['org', 'mint'],
      ])
    }
    const late = await tryWith([199, 200])
    expect(late.problem).to.include({ code: 'RATE_LIMITED' })
    const full = await tryWith([200])
    expect([full.problem?.code, full.statements.length], 'without a lock').to.deep.equal(['RATE_LIMITED', 1])
    expect((await tryWith([])).problem, 'without a row').to.equal(null)
  })

  it('ask a caller to wait as long as the oldest job has waited, a second at least and a minute at most', async () => {
    for (const [oldest, seconds] of [
      [7.2, '8'],
      [0, '1'],
      [null, '1'],
      [59.5, '60'],
      [61, '60'],
    ] as const) {
      const { problem } = await tryWith([200], oldest)
      expect(problem?.headers).to.deep.equal({ 'Retry-After': seconds })
      expect(problem?.detail).to.include(`200 jobs of type mint`).and.to.include(`in ${seconds} s`)
    }
  })

  it('are remembered for a second, each by itself', async () => {
    clock = new FakedClock(5_000)
    const memory = new RefusalMemory()
    const { knex } = new FakeDatabase(() => [{ count: 200, oldest: 1 }])
    memory.assertNotRefused('a', 'mint')
    const problem = await problemOf(memory.assertBelowLimit(knex, 'a', 'mint'))
    clock.nowMs += 500
    await problemOf(memory.assertBelowLimit(knex, 'b', 'mint'))
    clock.nowMs += 499
    expect(() => memory.assertNotRefused('a', 'mint')).to.throw(problem?.message ?? 'no problem')
    memory.assertNotRefused('a', 'claim')
    clock.nowMs += 1
    memory.assertNotRefused('a', 'mint')
    expect(() => memory.assertNotRefused('b', 'mint')).to.throw('RATE_LIMITED')
  })

  it('remember no error of the database', async () => {
    const memory = new RefusalMemory()
    const { knex } = new FakeDatabase(() => Promise.reject(new Error('the database is away')))
    expect((await problemOf(memory.assertBelowLimit(knex, 'a', 'mint')))?.message).to.equal('the database is away')
    memory.assertNotRefused('a', 'mint')
  })

  it('let a buyer have twenty claims that wait, counted under a lock', async () => {
    const tryClaim = async (rows: readonly object[]) => {
      const database = new FakeDatabase(({ sql }) => (sql.includes('advisory') ? [] : rows))
      database.isSerial = true
      const problem = await problemOf(assertClaimsBelowLimit(database.knex, 'app', 'anna'))
      expect(database.statements.map(({ bindings }) => bindings)).to.deep.equal([
        ['waiting claims app anna'],
        ['app', 'anna'],
      ])
      return problem
    }
    expect(await tryClaim([{ count: 19, oldest: 3 }])).to.equal(null)
    expect(await tryClaim([])).to.equal(null)
    const problem = await tryClaim([{ count: 20, oldest: 3 }])
    expect([problem?.code, problem?.headers]).to.deep.equal(['RATE_LIMITED', { 'Retry-After': '3' }])
  })
})
