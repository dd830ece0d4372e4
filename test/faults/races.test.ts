import { expect } from 'chai'
import { expectWhole, keepLines } from './kills.ts'
import { openField, raceNames, racers, type Field } from './races.ts'

const rounds = 3

describe('Of fifty requests of one moment to two APIs', () => {
  let field: Field | undefined

  before(async () => { field = await openField() })
  after(() => field?.stop())
  afterEach(function () { keepLines(this, field?.platform) })

  for (const what of raceNames) {
    it(`exactly one wins: ${what}`, async () => {
      for (let round = 1; round <= rounds; round++) {
        const outcome = await field?.races[what](round)
        expect(Object.values(outcome?.others ?? {}).reduce((sum, one) => sum + one, 0)).to.equal(racers - 1)
      }
    })
  }

  it('each token that was won is on the chain once, and no other', async () => {
    const verdict = await field?.sum()
    if (verdict) expectWhole(verdict, 'the whole chain')
    expect(verdict?.found).to.equal(2 * rounds)
    expect(await field?.runs(), 'runs of jobs by worker').to.have.length(2)
  })
}).timeout(120_000)
