import { expect } from 'chai'
import { keepLines } from './kills.ts'
import { startPlatform, type OwnPlatform } from '../support/platform.ts'
import { endure, outages } from './outages.ts'
import { openShop, type Shop } from './shop.ts'

describe('Tokens are minted and claimed once', function () {
  this.bail(true)
  let platform: OwnPlatform | undefined
  let shop: Shop

  before(async () => {
    platform = await startPlatform()
    shop = await openShop(platform)
  })
  after(() => platform?.stop())
  afterEach(function () { keepLines(this, platform) })

  for (const [what, outage] of Object.entries(outages)) {
    it(`when ${what}`, async () => {
      if (!platform) throw new Error('no platform runs')
      const { verdict } = await endure(platform, shop, outage, { rows: 600, claims: 2, seconds: 2, delay: 0 })
      expect(verdict.found).to.equal(verdict.expected).and.above(600)
    })
  }

  it('and every event is there once', async () => {
    expect(await shop.wrongEvents()).to.deep.equal([])
  })
}).timeout(120_000)
