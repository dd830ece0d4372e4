import { expect } from 'chai'
import { expectWhole, keepPlatformLines } from './kills.ts'
import { openFleetUnderKills, type KillAim, type FleetUnderKills } from './more-kills.ts'

const aims: KillAim[] = [
  { role: 'API', flow: 'claim', point: 'claim.row-stored', nth: 1, units: 2 },
  { role: 'worker', flow: 'claim', point: 'unit.between', nth: 1, units: 12 },
  { role: 'sender', flow: 'mint', point: 'tx.broadcast', nth: 1, units: 600 },
  { role: 'signer', flow: 'claim', point: 'signature.stored', nth: 1, units: 2 },
]

describe('Kill of one process in a fleet of two APIs and two workers', () => {
  let front: FleetUnderKills | undefined

  before(async () => {
    front = await openFleetUnderKills()
  })
  after(() => front?.stop())
  afterEach(function () {
    keepPlatformLines(this, front?.platform)
  })

  for (const aim of aims) {
    it(`continues work under way in the other process, once: ${aim.role}, ${aim.flow}`, async () => {
      const blow = (await front?.strike(aim)) ?? (await front?.strike(aim))
      if (!blow) throw new Error('nothing was struck')
      expectWhole(blow.verdict, blow.point)
    })
  }

  it('writes every event once', async () => {
    const { verdict, events } = (await front?.sum()) ?? {}
    expect(events).to.deep.equal([])
    if (verdict) expectWhole(verdict, 'the whole chain')
  })
}).timeout(120_000)
