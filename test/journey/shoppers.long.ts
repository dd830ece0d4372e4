import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { createEmail, listMessagesTo } from '../core/identity/people.ts'
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
  /** What happened before; it counts for nothing. */
  prepare?(shopper: Walker, bag: Bag): Promise<void>
  walk(shopper: Walker, bag: Bag): Promise<void>
}

/** A published and certified bag, and its brand. */
interface Bag {
  shop: Shop
  passport: string
  /** Where somebody else looks at it too. */
  browser: Browser
}

/** Opens what the QR code on the bag leads to. */
const scan = (shopper: Walker, { passport }: Bag) => shopper.open(`${platform.api}/p/${passport}`)

/** Claims the bag by the link that lies in the parcel, as a code on a card. */
async function claim(shopper: Walker, { passport, shop }: Bag): Promise<void> {
  await shopper.open(await createMagicLink(passport, shop.api))
  await shopper.signIn(createEmail('shopper'))
  await shopper.press('Claim it')
  await shopper.page.getByRole('heading', { name: 'It is yours' }).waitFor({ timeout: 60_000 })
}

/** Accepts what was offered by mail, on a phone of one's own. */
async function acceptOffer({ browser }: Bag, email: string): Promise<void> {
  const buyer = await Walker.start(browser, 'phone', 'buyer')
  const message = (await listMessagesTo(email)).find(({ text }) => text.includes('/transfer?token='))
  await buyer.open(/https?:\S+\/transfer\?token=[\w-]+/.exec(message?.text ?? '')?.[0] ?? '')
  await buyer.signIn(email)
  await buyer.press('Accept it')
  await buyer.page.getByText('The item was passed on to you').waitFor({ timeout: 60_000 })
  await buyer.page.context().close()
}

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
    walk: claim,
  },
  {
    task: 'Sell it on',
    prepare: claim,
    async walk(shopper, bag) {
      const buyer = createEmail('second-hand')
      await scan(shopper, bag)
      await shopper.follow('Pass it on')
      await shopper.fill('Their e-mail address', buyer)
      await shopper.press('Offer it by e-mail')
      expect(await shopper.page.getByRole('status').innerText()).to.contain('The message is on its way')
      await acceptOffer(bag, buyer)
      await shopper.page.reload()
      await shopper.page.getByText('passed on', { exact: true }).waitFor()
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
    keepFigures('speed/shoppers', { command, rows })
  })

  for (const { task, prepare, walk } of tasks) {
    it(`${task}: by what the pages show, at the first visit`, async () => {
      const shop = await buildShop()
      const passport = await createBagPassport(shop)
      await publishPassport(shop, passport)
      const bag = { shop, passport, browser }
      const shopper = await Walker.start(browser, 'phone', 'shopper')
      await prepare?.(shopper, bag)
      const before = { ...shopper.counts }
      const begin = performance.now()
      await walk(shopper, bag)
      const seconds = roundToHundredths((performance.now() - begin) / 1000)
      const [clicks, fields, pages] = (['clicks', 'fields', 'pages'] as const).map(
        (name) => shopper.counts[name] - before[name],
      ) as [number, number, number]
      rows.push({ task, clicks, fields, pages, seconds })
      await shopper.look(String(rows.length))
      await shopper.page.context().close()
    })
  }
})
