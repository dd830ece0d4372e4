import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { operator } from '../core/identity/people.ts'
import { ended, newShop, type Shop } from '../core/passports/fixtures.ts'
import { newDescribed } from '../core/passports/products.ts'
import { newGtin, opened } from '../core/resolver/gtins.ts'
import { describeInBrowser, openBrowser } from '../support/chromium.ts'
import { client } from '../support/client.ts'
import { proveDomain } from '../support/domains.ts'
import { platform } from '../support/platform.ts'
import { bringAxe, faultsOf } from './axe.ts'
import { overhang, picture } from './scenes.ts'

interface Family { gtin: string; model: string; batch: string; item: string }

/** A certified model with a GTIN, its batch B and item S. */
async function newCertifiedFamily(shop: Shop): Promise<Family> {
  const [gtin, modelNumber, own] = [newGtin(), randomUUID(), { network: 'EthereumAnvil', certifiedPaths: ['town'], data: { town: 'Porto' } }]
  const of = (product: object) => newDescribed(shop, { name: 'Field jacket', modelNumber, ...product }, own)
  const model = await of({ idGranularity: 'model', gtin })
  const batch = await of({ idGranularity: 'batch', batchNumber: 'B' })
  const item = await of({ idGranularity: 'item', batchNumber: 'B', itemNumber: 'S' })
  const started = await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${model.id}`)
  expect((await ended(shop.api, `/v1/jobs/${started.body.jobId}`)).failed).to.equal(0)
  return { gtin, model: model.id, batch: batch.id, item: item.id }
}

/** Takes back that the roots of a passport's credentials are final, as where a chain does not answer for its block. */
async function forgetAnchor(passport: string): Promise<void> {
  const { db } = await operator()
  await db.raw(
    `update anchors set status = 'failed' from passport_credentials c where c.anchor = anchors.id and c.passport = ?`, [passport])
}

describe('The page of a passport whose certificate cannot be judged now', () => {
  it('says so as a third verdict, in English and French, and never that the certificate fails', async () => {
    const { item } = await newCertifiedFamily(await newShop())
    await forgetAnchor(item)
    for (const [lang, head, open] of [
      ['en', 'Certified, but it cannot be judged now', 'Cannot be judged now: Its hash stands on chain.'],
      ['fr', 'Certifié, mais impossible à juger en ce moment', 'Impossible à juger en ce moment'],
    ] as const) {
      const { text } = await client().get(`/p/${item}?lang=${lang}`)
      expect(text).to.include(head).and.include(open)
      expect(text).not.to.include('check failed').and.not.include('does not stand').and.not.include('class="mark"')
    }
  })
})

describeInBrowser('Pages of what is unknown, withdrawn or undecided', function () {
  this.timeout(40_000)
  let browser: Browser
  let context: BrowserContext
  let shop: Shop
  before(async () => { [browser, shop] = [await openBrowser(), await newShop()] })
  after(() => browser.close())
  beforeEach(async () => { context = await browser.newContext({ bypassCSP: true, viewport: { width: 360, height: 740 } }) })
  afterEach(() => context.close())

  async function show(path: string): Promise<Page> {
    const page = await context.newPage()
    await page.goto(`${platform.api}${path}`)
    return page
  }

  async function expectSound(page: Page, name: string): Promise<void> {
    await picture(page, name)
    await bringAxe(page)
    expect(await faultsOf(page), name).to.deep.equal([])
    expect(await overhang(page), name).to.equal(0)
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await faultsOf(page, true), `${name}, dark`).to.deep.equal([])
    await picture(page, `${name}-dark`)
  }

  it('warn of a number that is not registered before anything else, in the first window of a phone', async () => {
    const { gtin, model } = await newCertifiedFamily(shop)
    const page = await show(`/01/${gtin}/21/${'X'.repeat(20)}`)
    expect(new URL(page.url()).pathname).to.equal(`/p/${model}`)
    const alert = page.getByRole('alert')
    expect(await alert.innerText()).to.include('This serial number is not registered by the maker').and.include('X'.repeat(20))
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
    await expectSound(page, 'batch-suspended')
    await page.getByRole('link', { name: 'See the batch' }).click()
    await page.getByRole('heading', { name: 'Certificate suspended' }).waitFor()
    const claim = await show(`/claim?passport=${item}`)
    await claim.getByRole('heading', { name: 'This cannot be claimed' }).waitFor()
    await expectSound(claim, 'claim-suspended')
  })

  it('tell of a certificate that cannot be judged now, neither as good nor as bad', async () => {
    const { item } = await newCertifiedFamily(shop)
    await forgetAnchor(item)
    const page = await show(`/p/${item}`)
    await page.getByRole('heading', { name: 'Certified, but it cannot be judged now' }).waitFor()
    expect(await page.locator('.proof.bad, .proof.good').count()).to.equal(0)
    await expectSound(page, 'not-judged')
  })

  it('name who publishes one GTIN, each with what is proven, where nobody has decided', async () => {
    const [gtin, brand, host] = [newGtin(), await newShop(), `${newGtin(8)}.brand.example`]
    const model = { idGranularity: 'model', modelNumber: randomUUID(), gtin, name: 'Field jacket' }
    await opened(await newShop(), model)
    const theirs = await opened(brand, model)
    await proveDomain(brand.api, brand.application, host)
    const page = await show(`/01/${gtin}`)
    await page.getByRole('heading', { name: 'Whose product is it?' }).waitFor()
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).to.satisfy(([first, second]: string[]) =>
      /^Signed by .*, not confirmed$/.test(String(first)) && String(second).includes(`Published by ${host}`))
    await expectSound(page, 'contested')
    await page.locator('section', { hasText: host }).getByRole('link').click()
    expect(new URL(page.url()).pathname).to.equal(`/p/${theirs}`)
    expect(await page.getByText(`Published by ${host}`).count()).to.equal(1)
    await expectSound(page, 'published-by-domain')
  })
})
