import { expect } from 'chai'
import { expectWhole, flows, keepLines, openArena, steps, type Arena, type Flow, type Step } from './kills.ts'

/** How much is on its way: what lies between two batches needs two full ones. */
const unitsOf = (flow: Flow, step: Step) => (flow === 'claim' ? 2 : step === 'unit.between' ? 1000 : 30)

describe('A kill', () => {
  let arena: Arena | undefined

  before(async () => { arena = await openArena() })
  after(() => arena?.stop())
  afterEach(function () { keepLines(this, arena?.platform) })

  for (const flow of flows) {
    for (const step of steps) {
      it(`at ${step} of a ${flow} leaves every accepted token minted once`, async () => {
        const kill = await arena?.strike({ flow, step, nth: 1, units: unitsOf(flow, step) })
        if (!kill) throw new Error('nothing was struck')
        expectWhole(kill.verdict, kill.point)
      })
    }
  }

  it('leaves every event once', async () => {
    const { verdict, events } = await arena?.sum() ?? {}
    expect(events).to.deep.equal([])
    if (verdict) expectWhole(verdict, 'the whole chain')
  })
}).timeout(120_000)
