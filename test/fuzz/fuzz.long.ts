import { expect } from 'chai'
import { keepFigures, roundToHundredths } from '../figures/keep-figures.ts'
import { getOperator } from '../core/identity/people.ts'
import { listSlowStatements } from '../support/database/backends.ts'
import { steadyCalls, validCalls } from './calls.ts'
import { targets, type FuzzTarget } from './document.ts'
import { bombs } from './generators/filters.ts'
import { attackOperation, openRunner, createPlainRow, fuzzRun, type Runner } from './runner.ts'
import { collectStatements, type Statements } from './statements.ts'

const calls = Number(process.env['TEST_CALLS'] ?? 10_000)
const each = Math.ceil(calls / targets.length)

const lists = targets.filter(({ list }) => list !== null)
const milliseconds = (value: number) => Math.round(value * 10) / 10

describe(`${calls} hostile calls, seed ${fuzzRun.seed}`, function () {
  this.timeout(3 * 3_600_000)
  let runner: Runner
  let plain: unknown
  let statements: Statements[] = []
  const answered: { operation: string; bomb: string; status: number; milliseconds: number }[] = []
  before(async () => {
    runner = await openRunner()
    plain = await createPlainRow(runner.stage)
  })
  after(() => runner.stage.close())

  for (const target of targets) {
    it(`answers hostile calls as declared: ${target.id}`, async () => {
      for (const call of [...validCalls(target), ...steadyCalls(target)]) await runner.send(call)
      await attackOperation(runner, target, each)
    })
  }

  it('have left nobody with members that are not theirs', async () => {
    expect(await createPlainRow(runner.stage)).to.deep.equal(plain)
  })

  it('refuses filters that are too expensive, and keeps the pool free for others', async () => {
    for (const target of lists) for (const bomb of bombs) answered.push(await explode(target, bomb))
    const { answers } = runner.tally
    const alone = answers.length
    await Promise.all(lists.flatMap((target) => bombs.map((bomb) => explode(target, bomb))))
    // Of calls that all came at once none took as long as it says.
    answers.length = alone
    const { api } = runner.stage.shop
    const after = await Promise.all(Array.from({ length: 60 }, () => api.get('/v1/dpp/passports')))
    expect(after.map(({ status }) => status).filter((status) => status !== 200)).to.deep.equal([])
    const { db } = await getOperator()
    expect(await listSlowStatements(db)).to.deep.equal([])
  })

  async function explode(target: FuzzTarget, bomb: (typeof bombs)[number]) {
    const [call] = validCalls(target)
    if (!call) throw new Error(`${target.id} has no call`)
    await runner.send({
      ...call,
      as: 'key',
      what: bomb.what,
      path: `${call.path}?${bomb.text}`,
      ...(bomb.wanted && { wanted: bomb.wanted }),
    })
    const { status, milliseconds: took } = runner.tally.answers.at(-1) ?? { status: 0, milliseconds: 0 }
    return { operation: target.id, bomb: bomb.what, status, milliseconds: milliseconds(took) }
  }

  it('never become part of a statement: whatever the values are, its text is the same', async () => {
    statements = await collectStatements(runner, lists)
    for (const { operation, harmless, added, marked } of statements) {
      expect(harmless, operation).to.be.greaterThan(0)
      expect([added, marked], operation).to.deep.equal([[], []])
    }
  })

  it('have come of every operation and every caller, and leave their figures', () => {
    const { tally } = runner
    expect(tally.operations.size).to.equal(targets.length)
    expect([tally.storedRefused, tally.withoutCode]).to.deep.equal([0, 0])
    keepFigures('proof/fuzz', figures())
  })

  function figures() {
    const { tally } = runner
    const byClass = [2, 3, 4, 5].map((first) => [
      `${first}xx`,
      [...tally.statuses]
        .filter(([status]) => Math.floor(status / 100) === first)
        .reduce((sum, [, count]) => sum + count, 0),
    ])
    const slowest = [...tally.answers].sort((a, b) => b.milliseconds - a.milliseconds).slice(0, 10)
    const took = tally.answers.map((one) => one.milliseconds).sort((a, b) => a - b)
    return {
      command: 'npm run test:long -- test/fuzz',
      seed: fuzzRun.seed,
      calls: tally.calls,
      operations: tally.operations.size,
      byClass: Object.fromEntries(byClass) as Record<string, number>,
      byStatus: Object.fromEntries([...tally.statuses].sort(([a], [b]) => a - b)),
      byCaller: Object.fromEntries(tally.callers),
      problemsWithoutCode: tally.withoutCode,
      storedAlthoughRefused: tally.storedRefused,
      milliseconds: {
        p50: roundToHundredths(took[Math.floor(took.length / 2)] ?? 0),
        p99: roundToHundredths(took[Math.floor(took.length * 0.99)] ?? 0),
        max: roundToHundredths(took.at(-1) ?? 0),
      },
      slowest: slowest.map((one) => ({
        ...one,
        what: one.what.slice(0, 80),
        milliseconds: milliseconds(one.milliseconds),
      })),
      bombs: answered,
      statements: statements.map(({ operation, harmless, calls: sent, added, marked }) => ({
        operation,
        calls: sent,
        texts: harmless,
        textsAddedByPayloads: added.length,
        textsWithPayload: marked.length,
      })),
    }
  }
})
