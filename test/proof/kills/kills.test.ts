import { expect } from 'chai'
import {
  expectWhole,
  keepPlatformLines,
  openKillPlatform,
  type KillPlatform,
  type KillFlow,
  type KillStep,
} from './kills.ts'

/** A claim of two tokens, or a batch of thirty. */
const unitsOf = (flow: KillFlow) => (flow === 'claim' ? 2 : 30)

/** Steps of both flows with a row stored, a transaction sent, a transaction stored; the long run has all steps. */
const places: readonly { flow: KillFlow; step: KillStep }[] = [
  { flow: 'mint', step: 'row-stored' },
  { flow: 'mint', step: 'tx.broadcast' },
  { flow: 'claim', step: 'tx.stored' },
]

describe('Mint and claim: a process killed on the way', () => {
  let arena: KillPlatform | undefined

  before(async () => {
    arena = await openKillPlatform()
  })
  after(() => arena?.stop())
  afterEach(function () {
    keepPlatformLines(this, arena?.platform)
  })

  for (const { flow, step } of places) {
    it(`mints every accepted token once after a kill at ${step} of a ${flow}`, async () => {
      const kill = await arena?.strike({ flow, step, nth: 1, units: unitsOf(flow) })
      if (!kill) throw new Error('nothing was struck')
      expectWhole(kill.verdict, kill.point)
    })
  }

  it('leaves every event once', async () => {
    const { verdict, events } = (await arena?.sum()) ?? {}
    expect(events).to.deep.equal([])
    if (verdict) expectWhole(verdict, 'the whole chain')
  })

  it('leaves the meters as the rows of what was made say', async () => {
    const { checked, differences } = (await arena?.verifyMeters()) ?? {}
    expect(checked).to.be.greaterThan(0)
    expect(differences).to.deep.equal([])
  })
}).timeout(120_000)
