import { cpus } from 'node:os'
import { expect } from 'chai'
import { keepFigures, computeSpread } from '../../figures/keep-figures.ts'
import { expectWhole, keepPlatformLines } from '../kills/kills.ts'
import { openRaceField, raceNames, racerCount, type RaceField, type RaceOutcome } from './races.ts'

const rounds = Number(process.env['TEST_ROUNDS'] ?? 100)
const say = (line: string) => process.stdout.write(`      ${line}\n`)

describe(`${rounds} rounds of ${racerCount} requests of one moment to two APIs, with two workers`, function () {
  this.bail(true)
  const outcomes = new Map<string, RaceOutcome[]>()
  let field: RaceField

  before(async () => {
    field = await openRaceField()
  })
  after(() => field?.stop())
  afterEach(function () {
    keepPlatformLines(this, field?.platform)
  })

  for (const what of raceNames) {
    it(`lets one win each time: ${what}`, async () => {
      const all: RaceOutcome[] = []
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
    keepFigures('proof/races', {
      command: 'npm run test:long -- test/proof/races/races.long.ts',
      processors: cpus().length,
      apis: 2,
      workers: runs.length,
      runsOfJobsByWorker: runs,
      racers: racerCount,
      tokensExpected: verdict.expected,
      tokensFound: verdict.found,
      duplicates: verdict.duplicates.length,
      notAccepted: verdict.foreign.length,
      races: [...outcomes].map(([race, all]) => figuresOf(race, all)),
    })
  })
}).timeout(3_600_000)

function figuresOf(race: string, all: readonly RaceOutcome[]) {
  const others: Record<string, number> = {}
  for (const one of all)
    for (const [word, times] of Object.entries(one.others)) others[word] = (others[word] ?? 0) + times
  return {
    race,
    rounds: all.length,
    won: all.length,
    wonAtEachApi: [0, 1].map((api) => all.filter(({ winner }) => winner === api).length),
    others,
    seconds: computeSpread(all.map(({ seconds }) => seconds)),
  }
}
