import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { createEmail } from '../core/identity/people.ts'
import { keepFigures, roundToHundredths } from '../figures/keep-figures.ts'
import { createMagicLink } from '../pages/scenes.ts'
import { createBagPassport, publishPassport } from '../pages/product/showcase.ts'
import { describeInBrowser, openBrowser } from '../support/network/chromium.ts'
import { platform } from '../support/platform.ts'
import { buildShop, type Shop } from '../support/world.ts'
import { Walker, type WalkCounts } from './browser-walk.ts'

/** What somebody with the bag in hand wants, and how they get it from the page that its QR code opens. */
interface ShopperTask {
  task: string
  walk(shopper: Walker, bag: Bag): Promise<void>
}

/** A published and certified bag, and its brand. */
interface Bag {
  shop: Shop
  passport: string
}

/** Opens what the QR code on the bag leads to. */
const scan = (shopper: Walker, { passport }: Bag) => shopper.open(`${platform.api}/p/${passport}`)

/** The tasks; a further one, such as selling it on, is a further value. */
const tasks: readonly ShopperTask[] = [
  {
    task: 'Find out whether the bag is real',
    async walk(shopper, bag) {
      await scan(shopper, bag)
      expect(await shopper.readPart('Certified and verified')).to.contain('Certified and verified')
      await shopper.unfold('Certified and verified')
      expect(await shopper.readPart('Certified and verified')).to.contain('nobody has changed it since')
    },
  },
  {
    task: 'Claim it',
    async walk(shopper, bag) {
      // The link lies in the parcel, as a code on a card.
      await shopper.open(await createMagicLink(bag.passport, bag.shop.api))
      await shopper.signIn(createEmail('shopper'))
      await shopper.press('Claim it')
      await shopper.page.getByRole('heading', { name: 'It is yours' }).waitFor({ timeout: 60_000 })
    },
  },
  {
    task: 'Find the care sheet',
    async walk(shopper, bag) {
      await shopper.page.route('https://brand.example/**', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<h1>Wash it cold</h1>' }),
      )
      await scan(shopper, bag)
      await shopper.follow('Care sheet')
      expect(await shopper.readHeading()).to.equal('Wash it cold')
    },
  },
  {
    task: 'Report a fake',
    async walk(shopper, bag) {
      await scan(shopper, bag)
      await shopper.follow(/^Report/)
      await shopper.tick(shopper.page.getByRole('radio', { name: 'The product may be fake' }))
      await shopper.fill('What did you see?', 'The stitching is crooked, and the shop has no address.')
      await shopper.press('Send the report')
      expect(await shopper.page.getByRole('status').innerText()).to.contain('Your report has reached')
    },
  },
]

/** What shoppers want and no page does yet. */
const missing = ['Sell it on']

describeInBrowser('Journey by browser: shoppers with a bag in hand', function () {
  this.timeout(120_000)
  let browser: Browser
  const rows: ({ task: string; seconds: number } & WalkCounts)[] = []

  before(async () => {
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    const command = 'npm run test:long -- test/journey/shoppers.long.ts'
    keepFigures('speed/shoppers', { command, rows, missing })
  })

  for (const { task, walk } of tasks) {
    it(`${task}: by what the pages show, at the first visit`, async () => {
      const shop = await buildShop()
      const passport = await createBagPassport(shop)
      await publishPassport(shop, passport)
      const shopper = await Walker.start(browser, 'phone', 'shopper')
      const begin = performance.now()
      await walk(shopper, { shop, passport })
      rows.push({ task, ...shopper.counts, seconds: roundToHundredths((performance.now() - begin) / 1000) })
      await shopper.look(String(rows.length))
      await shopper.page.context().close()
    })
  }
})
