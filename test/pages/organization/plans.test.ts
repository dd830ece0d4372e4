import { expect } from 'chai'
import { signInMember } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { buildMember, buildShop, type Shop } from '../../support/world.ts'
import { inspectPages, looks } from '../loyalty/walk.ts'
import { createVisitor, listLinks, readText, type Visitor } from '../passports/visitor.ts'

const path = '/console/plans'

describe('Console: plans', function () {
  this.timeout(120_000)
  let shop: Shop
  let owner: Visitor
  before(async () => {
    shop = await buildShop()
    owner = createVisitor(await signInMember(shop.owner, shop.organization))
  })

  it('stand side by side with prices and limits in the way of the language, and the own one is marked', async () => {
    expect(listLinks(await owner.get('/console/organization'))).to.include(path)
    const english = readText(await owner.get(path))
    expect(english).to.contain('Unlimited your plan')
    expect(english).to.contain('€0.00 1,000 then no more 500 then no more')
    expect(english).to.contain('€490.00 250,000 then €0.01 each').and.to.contain('10,000,000 then at no charge')
    expect(readText(await owner.get(path, 'fr')).replaceAll(/\s/g, ' ')).to.contain(
      '490,00 € 250 000 puis 0,01 € l’unité',
    )
  })

  it('are for those who may read bills, and only those who may change the plan are led on', async () => {
    expect((await owner.get(path)).text).to.contain('action="/console/billing/portal"')
    const viewer = createVisitor(await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization))
    expect((await viewer.get(path)).status).to.equal(403)
  })

  describeInBrowser('in Chromium', () => {
    it('have no fault that axe finds, and nothing is cut off', async () => {
      const browser = await openBrowser()
      for (const look of looks) await inspectPages(browser, { cookie: owner.cookie, look }, [path])
      await browser.close()
    })
  })
})
