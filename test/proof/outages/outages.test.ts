import { expect } from 'chai'
import { keepPlatformLines } from '../kills/kills.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { endureOutage, outages } from './outages.ts'
import { openShop, type Shop } from '../stage/shop.ts'

describe('Mint and claim during outages', function () {
  this.bail(true)
  let platform: OwnPlatform | undefined
  let shop: Shop

  before(async () => {
    platform = await startPlatform()
    shop = await openShop(platform)
  })
  after(() => platform?.stop())
  afterEach(function () {
    keepPlatformLines(this, platform)
  })

  for (const [what, outage] of Object.entries(outages)) {
    it(`mints and claims each token once when ${what}`, async () => {
      if (!platform) throw new Error('no platform runs')
      const { verdict } = await endureOutage(platform, shop, outage, { rows: 600, claims: 2, seconds: 2, delay: 0 })
      expect(verdict.found).to.equal(verdict.expected).and.above(600)
    })
  }

  it('writes every event once', async () => {
    expect(await shop.wrongEvents()).to.deep.equal([])
  })
}).timeout(120_000)
