import { expect } from 'chai'
import { expectWhole, keepLines, openArena, type Arena, type Flow, type Step } from './kills.ts'

/** How much is on its way: what lies between two batches needs two full ones. */
const unitsOf = (flow: Flow, step: Step) => (flow === 'claim' ? 2 : step === 'unit.between' ? 1000 : 30)

/** Each step in one of the two flows, in both what differs between them; the long run has them all. */
const places: readonly { flow: Flow; step: Step }[] = [
  { flow: 'mint', step: 'row-stored' }, { flow: 'mint', step: 'tx.broadcast' }, { flow: 'mint', step: 'unit.between' },
  { flow: 'claim', step: 'row-stored' }, { flow: 'claim', step: 'tx.stored' }, { flow: 'claim', step: 'tx.receipt' },
]

describe('A kill', () => {
  let arena: Arena | undefined

  before(async () => { arena = await openArena() })
  after(() => arena?.stop())
  afterEach(function () { keepLines(this, arena?.platform) })

  for (const { flow, step } of places) {
    it(`at ${step} of a ${flow} leaves every accepted token minted once`, async () => {
      const kill = await arena?.strike({ flow, step, nth: 1, units: unitsOf(flow, step) })
      if (!kill) throw new Error('nothing was struck')
      expectWhole(kill.verdict, kill.point)
    })
  }

  it('leaves every event once', async () => {
    const { verdict, events } = await arena?.sum() ?? {}
    expect(events).to.deep.equal([])
    if (verdict) expectWhole(verdict, 'the whole chain')
  })
}).timeout(120_000)
