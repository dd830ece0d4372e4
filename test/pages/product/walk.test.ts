import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { platform } from '../../support/platform.ts'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'
import { buildShop, type Shop } from '../../support/world.ts'

/** Where pictures of the pages go when somebody wants them: `PICTURES=<folder> npm test -- test/pages`. */
const pictures = process.env['PICTURES']

describeInBrowser('GET /p/{id}: an item without a sheet', function () {
  this.timeout(30_000)
  let browser: Browser
  let shop: Shop
  const ids: string[] = []

  before(async () => {
    browser = await openBrowser()
    shop = await buildShop()
    const products = [
      { idGranularity: 'model', name: 'Field jacket', modelNumber: 'FJ-7', description: 'A jacket for all weathers.' },
      { idGranularity: 'batch', name: 'Field jacket', modelNumber: 'FJ-7', batchNumber: 'B1' },
      { idGranularity: 'item', name: 'Field jacket', modelNumber: 'FJ-7', batchNumber: 'B1', itemNumber: '0001' },
    ]
    for (const product of products) {
      const made = await shop.api.post('/v1/dpp/passports', {
        application: shop.application,
        network: 'EthereumAnvil',
        product,
        certifiedPaths: ['origin'],
        data: {
          origin: { town: 'Porto', country: 'PT' },
          care: ['Wash cold', 'Dry flat'],
          weight: 0.82,
          repairable: true,
        },
      })
      expect(made.status, made.text).to.equal(201)
      ids.push(String(made.body.id))
    }
    const started = await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${ids[0]}`)
    expect((await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)).completed).to.equal(3)
  })
  after(() => browser.close())

  for (const [name, width] of [
    ['phone', 390],
    ['desk', 1200],
  ] as const) {
    it(`shows the product, its values and its parents without a script, ${name}`, async () => {
      const context = await browser.newContext({ viewport: { width, height: 844 }, javaScriptEnabled: false })
      const page = await context.newPage()
      await page.goto(`${platform.api}/p/${ids[2]}`)
      await page.getByRole('heading', { name: 'Field jacket' }).first().waitFor()
      const text = await page.locator('main').innerText()
      for (const shown of ['Porto', 'Wash cold', '0.82', '0001', 'B1']) expect(text).to.contain(shown)
      expect(await page.locator(`a[href$="/p/${ids[0]}"]`).count()).to.equal(1)
      expect(await page.locator(`a[href$="/p/${ids[1]}"]`).count()).to.equal(1)
      // What proves it opens by two clicks: in words for everybody, and for experts.
      await page.locator('.proof > details > summary').click()
      await page.getByText('For experts').click()
      const receipt = await page.getByRole('link', { name: 'its receipt on chain' }).getAttribute('href')
      expect((await shop.api.get(String(receipt))).body).to.include({ network: 'EthereumAnvil' })
      const wide = await page.evaluate('document.documentElement.scrollWidth')
      expect(wide).to.be.at.most(width)
      if (pictures !== undefined) await page.screenshot({ path: `${pictures}/product-${name}.png`, fullPage: true })
      await context.close()
    })
  }
})
