import { expect } from 'chai'
import { expectWhole, keepLines } from './kills.ts'
import { openFront, type Aim, type Front } from './more-kills.ts'

const aims: Aim[] = [
  { role: 'API', flow: 'claim', point: 'claim.row-stored', nth: 1, units: 2 },
  { role: 'worker', flow: 'claim', point: 'unit.between', nth: 1, units: 12 },
  { role: 'sender', flow: 'mint', point: 'tx.broadcast', nth: 1, units: 600 },
  { role: 'signer', flow: 'claim', point: 'signature.stored', nth: 1, units: 2 },
]

describe('Of two APIs and two workers, when one is killed', () => {
  let front: Front | undefined

  before(async () => { front = await openFront() })
  after(() => front?.stop())
  afterEach(function () { keepLines(this, front?.platform) })

  for (const aim of aims) {
    it(`the other does what was under way, once: ${aim.role}, ${aim.flow}`, async () => {
      const blow = await front?.strike(aim) ?? await front?.strike(aim)
      if (!blow) throw new Error('nothing was struck')
      expectWhole(blow.verdict, blow.point)
    })
  }

  it('every event is there once', async () => {
    const { verdict, events } = await front?.sum() ?? {}
    expect(events).to.deep.equal([])
    if (verdict) expectWhole(verdict, 'the whole chain')
  })
}).timeout(120_000)
