import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { getOperator } from '../core/identity/people.ts'
import { waitForJob } from '../core/dpp/passports/fixtures.ts'
import { buildDescribedPassport, buildShop, type Shop } from '../support/world.ts'
import { createGtin } from '../core/dpp/gs1/gtin-values.ts'
import { createPublishedProduct } from '../core/dpp/gs1/gtins.ts'
import { describeInBrowser, openBrowser } from '../support/network/chromium.ts'
import { createApiClient } from '../support/client.ts'
import { proveDomain } from '../support/network/domains.ts'
import { platform } from '../support/platform.ts'
import { loseAnchor } from '../support/rows/dpp/anchors.ts'
import { loadAxe, listAccessibilityFaults } from './axe.ts'
import { measureOverhang, takePicture } from './scenes.ts'

interface Family {
  gtin: string
  model: string
  batch: string
  item: string
}

/** A certified model with a GTIN, its batch B and item S. */
async function newCertifiedFamily(shop: Shop): Promise<Family> {
  const [gtin, modelNumber, own] = [
    createGtin(),
    randomUUID(),
    { network: 'EthereumAnvil', certifiedPaths: ['town'], data: { town: 'Porto' } },
  ]
  const of = (product: object) => buildDescribedPassport(shop, { name: 'Field jacket', modelNumber, ...product }, own)
  const model = await of({ idGranularity: 'model', gtin })
  const batch = await of({ idGranularity: 'batch', batchNumber: 'B' })
  const item = await of({ idGranularity: 'item', batchNumber: 'B', itemNumber: 'S' })
  const started = await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${model.id}`)
  expect((await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)).failed).to.equal(0)
  return { gtin, model: model.id, batch: batch.id, item: item.id }
}

describe('GET /p/{id}: a certificate that cannot be checked now', () => {
  it('says so as a third verdict, in English and French, and never that the certificate fails', async () => {
    const { item } = await newCertifiedFamily(await buildShop())
    await loseAnchor((await getOperator()).db, item)
    for (const [lang, head, open] of [
      ['en', 'Certified, but it cannot be judged now', 'Cannot be judged now: Its hash stands on chain.'],
      ['fr', 'Certifié, mais impossible à juger en ce moment', 'Impossible à juger en ce moment'],
    ] as const) {
      const { text } = await createApiClient().get(`/p/${item}?lang=${lang}`)
      expect(text).to.include(head).and.include(open)
      expect(text).not.to.include('check failed').and.not.include('does not stand').and.not.include('class="mark"')
    }
  })
})

describeInBrowser('Notices on pages of unknown, withdrawn or unverifiable passports', function () {
  this.timeout(40_000)
  let browser: Browser
  let context: BrowserContext
  let shop: Shop
  before(async () => {
    ;[browser, shop] = [await openBrowser(), await buildShop()]
  })
  after(() => browser.close())
  beforeEach(async () => {
    context = await browser.newContext({ bypassCSP: true, viewport: { width: 360, height: 740 } })
  })
  afterEach(() => context.close())

  async function show(path: string): Promise<Page> {
    const page = await context.newPage()
    await page.goto(`${platform.api}${path}`)
    return page
  }

  async function expectSound(page: Page, name: string): Promise<void> {
    await takePicture(page, name)
    await loadAxe(page)
    expect(await listAccessibilityFaults(page), name).to.deep.equal([])
    expect(await measureOverhang(page), name).to.equal(0)
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await listAccessibilityFaults(page, true), `${name}, dark`).to.deep.equal([])
    await takePicture(page, `${name}-dark`)
  }

  it('warn of a number that is not registered before anything else, in the first window of a phone', async () => {
    const { gtin, model } = await newCertifiedFamily(shop)
    const page = await show(`/01/${gtin}/21/${'X'.repeat(20)}`)
    expect(new URL(page.url()).pathname).to.equal(`/p/${model}`)
    const alert = page.getByRole('alert')
    expect(await alert.innerText())
      .to.include('This serial number is not registered by the maker')
      .and.include('X'.repeat(20))
    const [box, title] = [await alert.boundingBox(), await page.getByRole('heading', { level: 1 }).boundingBox()]
    expect(Number(box?.y) + Number(box?.height)).to.be.below(Math.min(740, Number(title?.y)))
    await expectSound(page, 'unregistered')
    await page.getByRole('link', { name: 'Français' }).click()
    await page.getByText('Ce numéro de série n’est pas enregistré par le fabricant').waitFor()
  })

  it('warn of an item whose batch is suspended, lead to the batch, and offer no claim', async () => {
    const { item, batch } = await newCertifiedFamily(shop)
    await shop.api.post(`/v1/dpp/passports/${batch}/status`, { purpose: 'suspension', value: true, reason: 'A test' })
    const page = await show(`/p/${item}`)
    expect(await page.getByRole('alert').innerText()).to.include('Its batch is suspended')
    expect(await page.getByText('Is it yours?').count()).to.equal(0)
    await page.getByRole('heading', { name: 'Certified and verified' }).waitFor()
    expect(await page.locator('.proof.good').count()).to.equal(0)
    await expectSound(page, 'batch-suspended')
    await page.getByRole('link', { name: 'See the batch' }).click()
    await page.getByRole('heading', { name: 'Certificate suspended' }).waitFor()
    const claim = await show(`/claim?passport=${item}`)
    await claim.getByRole('heading', { name: 'This cannot be claimed' }).waitFor()
    await expectSound(claim, 'claim-suspended')
  })

  it('tell of a certificate that cannot be judged now, neither as good nor as bad', async () => {
    const { item } = await newCertifiedFamily(shop)
    await loseAnchor((await getOperator()).db, item)
    const page = await show(`/p/${item}`)
    await page.getByRole('heading', { name: 'Certified, but it cannot be judged now' }).waitFor()
    expect(await page.locator('.proof.bad, .proof.good').count()).to.equal(0)
    await expectSound(page, 'not-judged')
  })

  it('name who publishes one GTIN, each with what is proven, where nobody has decided', async () => {
    const [gtin, brand, host] = [createGtin(), await buildShop(), `${createGtin(8)}.brand.example`]
    const model = { idGranularity: 'model', modelNumber: randomUUID(), gtin, name: 'Field jacket' }
    await createPublishedProduct(await buildShop(), model)
    const theirs = await createPublishedProduct(brand, model)
    await proveDomain(brand.api, brand.application, host)
    const page = await show(`/01/${gtin}`)
    await page.getByRole('heading', { name: 'Whose product is it?' }).waitFor()
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).to.satisfy(
      ([first, second]: string[]) =>
        /^Signed by .*, not confirmed$/.test(String(first)) && String(second).includes(`Published by ${host}`),
    )
    await expectSound(page, 'contested')
    await page.locator('section', { hasText: host }).getByRole('link').click()
    expect(new URL(page.url()).pathname).to.equal(`/p/${theirs}`)
    expect(await page.getByText(`Published by ${host}`).count()).to.equal(1)
    await expectSound(page, 'published-by-domain')
  })
})
