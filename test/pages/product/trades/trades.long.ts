import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { languages, type Language } from '../../../../core/languages/index.ts'
import { waitForJob } from '../../../core/dpp/passports/fixtures.ts'
import { describeInBrowser, openBrowser } from '../../../support/network/chromium.ts'
import { platform } from '../../../support/platform.ts'
import { buildShop, type Shop } from '../../../support/world.ts'
import { listAccessibilityFaults, loadAxe } from '../../axe.ts'
import { measureOverhang, takePicture } from '../../scenes.ts'
import { createRandomProducts, type RandomProduct } from './random-product.ts'
import { trades } from './trades.ts'
import { listMissingValues, listStickingOut, listProgramLabels, readShownPage, type ShownPage } from './shown-values.ts'

const count = Number(process.env['PRODUCTS'] ?? 200)
const seed = Number(process.env['SEED'] ?? 7_000)

/** How many passports are created at once. */
const creators = 4

describeInBrowser(`GET /p/{id}: ${count} products of five trades, seed ${seed}`, function () {
  // On two idle cores all of it takes under four minutes; others may use them as well.
  this.timeout(900_000)
  const products = createRandomProducts(count, seed)
  const ids: string[] = []
  let browser: Browser
  let page: Page

  before(async () => {
    browser = await openBrowser()
    const shop = await buildShop()
    ids.push(...(await createPassports(shop, products)))
    const started = await shop.api.post(
      `/v1/dpp/passports/publish?filters[application.id][eq]=${shop.application}&skipCertification=true`,
    )
    expect(started.status, started.text).to.equal(202)
    expect(await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)).to.include({ completed: count, failed: 0 })
    const context = await browser.newContext({ bypassCSP: true, viewport: { width: 320, height: 740 } })
    page = await context.newPage()
  })
  after(() => browser.close())

  for (const { name: trade } of trades) {
    it(`show every value in words or figures, no name of a program, on a narrow phone and without a fault: ${trade}`, async () => {
      const faults: string[] = []
      for (const [at, one] of products.entries()) if (one.trade === trade) faults.push(...(await look(at, one)))
      expect(faults, `${faults.length} faults:\n${faults.slice(0, 60).join('\n')}`).to.have.length(0)
    })
  }

  /** Opens the page of a product with everything unfolded. @returns what is wrong with it */
  async function look(at: number, { seed: own, trade, product, data }: RandomProduct): Promise<string[]> {
    const language = languages[at % languages.length] as Language
    await page.goto(`${platform.api}/p/${ids[at]}?lang=${language}`)
    const shown = (await page.evaluate(readShownPage)) as ShownPage
    await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    await loadAxe(page)
    const found = [
      ...listMissingValues(product, shown, language).map((value) => `shows nowhere product${value}`),
      ...listMissingValues(data, shown, language).map((value) => `shows nowhere data${value}`),
      ...listProgramLabels(shown).map((label) => `has the label ${label}`),
      ...((await measureOverhang(page)) > 0
        ? [`is wider than its window: ${await page.evaluate(listStickingOut)}`]
        : []),
      ...(await listAccessibilityFaults(page)),
    ]
    if (found.length > 0) await takePicture(page, `trade-${own}`, true)
    return found.map((fault) => `seed ${own} (${trade}, ${language}): ${fault}`)
  }
})

/** Creates a passport of each product over the API. @returns their ids, in the order of the products */
async function createPassports({ api, application }: Shop, products: readonly RandomProduct[]): Promise<string[]> {
  const ids: string[] = []
  const waiting = [...products.entries()]
  const create = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [at, { product, data, seed: own }] = next
      const body = { application, network: 'EthereumAnvil', product, data }
      const made = await api.post('/v1/dpp/passports', body)
      expect(made.status, `seed ${own}: ${made.text}`).to.equal(201)
      ids[at] = String(made.body.id)
    }
  }
  await Promise.all(Array.from({ length: creators }, create))
  return ids
}
