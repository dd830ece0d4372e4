import { cpus } from 'node:os'
import { expect } from 'chai'
import { keepFigures, spread } from './figures.ts'
import { expectWhole, keepLines } from './kills.ts'
import { openField, raceNames, racers, type Field, type Outcome } from './races.ts'

const rounds = Number(process.env['TEST_ROUNDS'] ?? 100)
const say = (line: string) => process.stdout.write(`      ${line}\n`)

describe(`${rounds} rounds of ${racers} requests of one moment to two APIs, with two workers`, function () {
  this.bail(true)
  const outcomes = new Map<string, Outcome[]>()
  let field: Field

  before(async () => { field = await openField() })
  after(() => field?.stop())
  afterEach(function () { keepLines(this, field?.platform) })

  for (const what of raceNames) {
    it(`let one win each time: ${what}`, async () => {
      const all: Outcome[] = []
      outcomes.set(what, all)
      for (let round = 1; round <= rounds; round++) {
        const outcome = await field.races[what](round)
        all.push(outcome)
        say(`${what} ${round}/${rounds}: one won, at API ${outcome.winner + 1}; ${JSON.stringify(outcome.others)}`)
      }
    })
  }

  it('leave on the chain every token that was won, once, and no other', async () => {
    const verdict = await field.sum()
    expectWhole(verdict, 'the whole chain')
    expect(verdict.found).to.equal(2 * rounds)
    const runs = await field.runs()
    expect(runs, 'runs of jobs by worker').to.have.length(2)
    keepFigures('races', {
      command: 'npm run test:long -- test/faults/races.long.ts',
      processors: cpus().length, apis: 2, workers: runs.length, runsOfJobsByWorker: runs, racers,
      tokensExpected: verdict.expected, tokensFound: verdict.found, duplicates: verdict.duplicates.length,
      notAccepted: verdict.foreign.length,
      races: [...outcomes].map(([race, all]) => figuresOf(race, all)),
    })
  })
}).timeout(3_600_000)

function figuresOf(race: string, all: readonly Outcome[]) {
  const others: Record<string, number> = {}
  for (const one of all) for (const [word, times] of Object.entries(one.others)) others[word] = (others[word] ?? 0) + times
  return {
    race, rounds: all.length, won: all.length,
    wonAtEachApi: [0, 1].map((api) => all.filter(({ winner }) => winner === api).length),
    others, seconds: spread(all.map(({ seconds }) => seconds)),
  }
}
