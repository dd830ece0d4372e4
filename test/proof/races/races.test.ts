import { expect } from 'chai'
import { expectWhole, keepPlatformLines } from '../kills/kills.ts'
import { openRaceField, raceNames, racerCount, type RaceField } from './races.ts'

const rounds = 1

describe('Fifty simultaneous requests to two APIs', () => {
  let field: RaceField | undefined

  before(async () => {
    field = await openRaceField()
  })
  after(() => field?.stop())
  afterEach(function () {
    keepPlatformLines(this, field?.platform)
  })

  for (const what of raceNames) {
    it(`lets exactly one win: ${what}`, async () => {
      for (let round = 1; round <= rounds; round++) {
        const outcome = await field?.races[what](round)
        expect(Object.values(outcome?.others ?? {}).reduce((sum, one) => sum + one, 0)).to.equal(racerCount - 1)
      }
    })
  }

  it('mints each won token once on the chain, and no other', async () => {
    const verdict = await field?.sum()
    if (verdict) expectWhole(verdict, 'the whole chain')
    expect(verdict?.found).to.equal(2 * rounds)
    expect(await field?.runs(), 'runs of jobs by worker').to.have.length(2)
  })
}).timeout(120_000)
