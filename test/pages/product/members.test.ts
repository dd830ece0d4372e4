import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { languages, words } from '../../../core/languages/index.ts'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'
import { getOperator } from '../../core/identity/people.ts'
import { createApiClient } from '../../support/client.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { platform } from '../../support/platform.ts'
import { insertHeldPictures } from '../../support/rows/pictures/pictures.ts'
import {
  buildDescribedPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../support/world.ts'
import { loadAxe, listAccessibilityFaults } from '../axe.ts'
import { brandPictures } from '../brand/pictures.ts'
import { measureOverhang, takePicture } from '../scenes.ts'
import { createFullProduct, type FullProduct } from './full-product.ts'
import { createBagPassport, publishPassport } from './showcase.ts'

describeInBrowser('GET /p/{id}: a product with every member of UNTP', function () {
  this.timeout(60_000)
  let browser: Browser
  let shop: Shop
  let full: FullProduct
  let id: string

  before(async () => {
    browser = await openBrowser()
    shop = await buildShop()
    full = createFullProduct()
    const own = {
      network: 'EthereumAnvil',
      data: { madeByHand: true, spareParts: ['Zip'], nested: { innerKey: 'inside' } },
    }
    id = (await buildDescribedPassport(shop, { ...full.product, ownMember: { innerMember: 'kept' } }, own)).id
    const started = await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${id}`)
    expect((await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)).failed).to.equal(0)
  })
  after(() => browser.close())

  it('has a place for each, also for those that UNTP does not know, and for all data', async () => {
    const { text } = await createApiClient().get(`/p/${id}`)
    const missing = [...full.texts, 'kept', 'inside', 'Zip'].filter(
      (one) => !text.replaceAll(/(\d),(\d{3})/g, '$1$2').includes(one),
    )
    expect(missing).to.deep.equal([])
  })

  it('folds what its figures do not say once each, and has no row for a list without elements', async () => {
    const page = await browser.newPage()
    await page.goto(`${platform.api}/p/${id}`)
    const figures = await page.locator('.figures > div').all()
    const folded = await Promise.all(figures.map((figure) => figure.locator('> dd > details').count()))
    expect(folded).to.include(1)
    expect(Math.max(...folded)).to.equal(1)
    await page.close()
    const bag = await createBagPassport(shop)
    await publishPassport(shop, bag)
    expect((await createApiClient().get(`/p/${bag}`)).text)
      .to.contain('Carbon footprint')
      .and.not.contain('<dd>–</dd>')
  })

  it('names every member in words of each language, and none as programs do', async () => {
    for (const language of languages) {
      const { members } = words[language].product
      expect(
        [...full.names].filter((name) => !Object.hasOwn(members, name)),
        language,
      ).to.deep.equal([])
      const { text } = await createApiClient().get(`/p/${id}?lang=${language}`)
      const labels = [...text.matchAll(/<dt>([^<]+)/g)].map(([, label = '']) => label.trim())
      expect(labels.length).to.be.greaterThan(50)
      expect(
        labels.filter((label) => /\p{Ll}\p{Lu}|_/u.test(label)),
        language,
      ).to.deep.equal([])
    }
  })

  it('takes words that every object of a program has for what they are: units, links and names', async () => {
    const odd = {
      idGranularity: 'item',
      name: 'Odd bag',
      itemNumber: '2',
      dimensions: { weight: { value: 2, unit: 'constructor' } },
      relatedDocument: [{ linkURL: 'https://example.com/odd', linkName: 'Odd paper', linkType: 'toString' }],
      toString: 'own text',
    }
    const { id: oddId } = await buildDescribedPassport(shop, odd, { network: 'EthereumAnvil' })
    const started = await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${oddId}`)
    expect((await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)).failed).to.equal(0)
    const { status, text } = await createApiClient().get(`/p/${oddId}`)
    expect(status).to.equal(200)
    for (const shown of ['2 constructor', 'Odd paper', 'own text', '<dt>To string']) expect(text).to.contain(shown)
    expect(text).not.to.contain('native code')
  })

  it('shows every picture of a sheet: twelve in the gallery, further ones as links', async () => {
    const names = Array.from({ length: 14 }, (_, at) => `photo${at}`)
    const sheet = await buildSheet(shop, { passportsFields: names.map((name) => ({ name, type: 'image' })) })
    const addresses = names.map((name) => `https://example.com/${name}.png`)
    const { id: album } = await buildPublishedPassport(shop, sheet, {
      fields: Object.fromEntries(names.map((name, at) => [name, addresses[at]])),
    })
    await insertHeldPictures((await getOperator()).db, shop.organization, addresses, Buffer.from('a picture'))
    const { text } = await createApiClient().get(`/p/${album}`)
    const pictured = [...text.matchAll(/<img src="[^"]+\.webp" [^>]*alt="([^"]+)"/g)].map(([, label]) => label)
    const linked = [...text.matchAll(/<dd><a href="(https:[^"]+)"/g)].map(([, address]) => address)
    expect(pictured).to.deep.equal(names.slice(0, 12))
    expect(linked).to.deep.equal(addresses.slice(12))
  })

  it('shows a picture of a document once: in the gallery when it is there, else as a link', async () => {
    const bag = await createBagPassport(shop)
    await publishPassport(shop, bag)
    const read = async () => {
      const { text } = await createApiClient().get(`/p/${bag}`)
      const [, beforeExperts = ''] = /<div class="parts">([\s\S]*)/.exec(text) ?? []
      return ['The bag from the front', 'Its lock'].map((name) => [
        text.includes(`alt="${name}"`),
        beforeExperts.includes(`>${name}</a>`),
      ])
    }
    expect(await read()).to.deep.equal([
      [false, true],
      [false, true],
    ])
    const addresses = [brandPictures.bag, brandPictures.lock]
    await insertHeldPictures((await getOperator()).db, shop.organization, addresses, Buffer.from('a picture'))
    expect(await read()).to.deep.equal([
      [true, false],
      [true, false],
    ])
  })

  it('shows the pictures that stand in the product, and only pictures', async () => {
    const { text } = await createApiClient().get(`/p/${id}`)
    const addresses = [...text.matchAll(/src="(\/p\/[^"]+\/picture\?of=[^"]+)"/g)].map(([, address = '']) => address)
    expect(addresses).to.have.length(4)
    for (const address of addresses) {
      const picture = await createApiClient().get(address)
      expect([picture.status, picture.headers['content-type']]).to.deep.equal([200, 'image/png'])
    }
    for (const path of ['name', 'productLabel', 'productLabel.7', '__proto__.imageData', 'relatedDocument.0'])
      expect((await createApiClient().get(`/p/${id}/picture?of=${path}`)).status, path).to.equal(404)
  })

  it('fits a narrow phone with all of it open, and axe finds nothing', async () => {
    const context = await browser.newContext({ bypassCSP: true, viewport: { width: 320, height: 740 } })
    const page = await context.newPage()
    await page.goto(`${platform.api}/p/${id}`)
    await takePicture(page, 'product-members', true)
    await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    await loadAxe(page)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 740 })
        expect(await measureOverhang(page), `${width}`).to.equal(0)
        expect(await listAccessibilityFaults(page), `${colorScheme} ${width}`).to.deep.equal([])
        await takePicture(page, `product-members-${colorScheme}-${width}`, true)
      }
    }
    await context.close()
  })
})
