import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { languages, words } from '../../core/languages/index.ts'
import { createEmail, signInBuyer } from '../core/identity/people.ts'
import { getAccountId } from '../core/loyalty/accounts/accounts.maker.ts'
import { createApiClient } from '../support/client.ts'
import { describeInBrowser, openBrowser } from '../support/network/chromium.ts'
import { platform } from '../support/platform.ts'
import { buildPublishedPassport, buildSheet, buildShop, type Shop } from '../support/world.ts'
import { listAccessibilityFaults, loadAxe } from './axe.ts'
import { creditPoints } from './loyalty/scenes.ts'
import { measureOverhang, readCodeOnPage, takePicture } from './scenes.ts'

const absent = '00000000-0000-4000-8000-000000000000'

describeInBrowser('Public pages in German, on the smallest phones', function () {
  this.timeout(120_000)
  let browser: Browser
  let shop: Shop
  let page: Page
  before(async () => {
    shop = await buildShop()
    browser = await openBrowser()
  })
  after(() => browser.close())
  beforeEach(async () => {
    const context = await browser.newContext({
      bypassCSP: true,
      locale: 'de-AT',
      viewport: { width: 320, height: 640 },
    })
    page = await context.newPage()
  })
  afterEach(() => page.context().close())

  /** Asserts that the page is German, fits and has no fault. @param text what stands on it */
  async function assertGood(name: string, text: string): Promise<void> {
    expect(await page.locator('html').getAttribute('lang'), name).to.equal('de')
    expect(await page.locator('main').innerText(), name).to.contain(text)
    expect(await page.locator('main [lang="en"]').count(), name).to.equal(0)
    for (const width of [360, 320]) {
      await page.setViewportSize({ width, height: 640 })
      expect(await measureOverhang(page), `${name}, ${width}`).to.equal(0)
    }
    await loadAxe(page)
    expect(await listAccessibilityFaults(page), name).to.deep.equal([])
    await takePicture(page, `german-${name}`, true)
  }

  const open = (path: string) => page.goto(`${platform.api}${path}`)
  const press = async (name: string) =>
    Promise.all([page.waitForEvent('load'), page.getByRole('button', { name, exact: true }).click()])

  it('lead from the passport through the claim to what the buyer has, and fit without a fault', async () => {
    const email = createEmail('kundin')
    await creditPoints(shop, getAccountId(await signInBuyer(shop.application, email)), 1_250, 'Anfang')
    const { id } = await buildPublishedPassport(shop, await buildSheet(shop))
    const { body } = await shop.api.get(`/v1/dpp/passports/${id}/magic-token`)
    await open(`/p/${id}`)
    await assertGood('passport', 'Nicht zertifiziert')
    await page.goto(String(body['url']))
    await assertGood('claim', 'kann auf Sie eingetragen werden')
    await page.getByLabel('Ihre E-Mail-Adresse').fill(email)
    await press('Code senden')
    await page.getByLabel('Ihr Code').fill('000000')
    await press('Anmelden')
    await assertGood('code', 'Dieser Code ist falsch')
    await page.getByLabel('Ihr Code').fill(await readCodeOnPage(browser, email))
    await press('Anmelden')
    await assertGood('confirm', `Sie sind angemeldet als ${email}.`)
    await press('Übernehmen')
    await page.getByRole('heading', { name: 'Es gehört Ihnen' }).waitFor({ timeout: 30_000 })
    await assertGood('claimed', 'Zu Ihrem Produktpass')
    await page.getByRole('link', { name: 'Alle Ihre Produktpässe und Punkte' }).click()
    await page.getByText('1.250 Punkte').waitFor()
    await assertGood('me', 'übernommen am')
  })

  it('say what is wrong, and fit without a fault', async () => {
    const { slug } = (await shop.api.get(`/v1/applications/${shop.application}`)).body
    for (const [name, path, text] of [
      ['front', '/', 'Haben Sie etwas gekauft?'],
      ['sign-in', `/me?application=${String(slug)}`, 'Ihre E-Mail-Adresse'],
      ['unnamed', '/me', 'Um welchen Händler geht es?'],
      ['callback', '/sign-in/callback/google?state=none', 'Sie sind nicht angemeldet'],
      ['broken', '/claim?token=none', 'Dieser Link funktioniert nicht'],
      ['absent', `/p/${absent}`, 'Dieses Produkt kennen wir nicht'],
      ['refused', '/p/none', 'Dieses Produkt kennen wir nicht'],
      ['resolver', '/01/123', 'Die GTIN stimmt nicht'],
    ] as const) {
      await open(path)
      await assertGood(name, text)
    }
  })

  it('have links to all languages in one line, and keep the one that was chosen', async () => {
    await open('/')
    for (const width of [360, 320]) {
      await page.setViewportSize({ width, height: 640 })
      const tops = await page.evaluate("[...document.querySelectorAll('.languages > *')].map((link) => link.offsetTop)")
      expect([width, new Set(tops as number[]).size]).to.deep.equal([width, 1])
    }
    for (const language of languages) {
      const { name, front } = words[language]
      if ((await page.locator('html').getAttribute('lang')) !== language)
        await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { name: front.head }).waitFor()
      expect(await page.locator('.languages [aria-current]').innerText()).to.equal(name)
      await takePicture(page, `front-${language}`)
    }
  })
})

describe('Public pages in every language', () => {
  it('are told by ?lang, by the browser, and by the page itself', async () => {
    for (const language of languages) {
      const { front, region, skip } = words[language]
      const named = await createApiClient().get(`/?lang=${language.toUpperCase()}`)
      const preferred = await createApiClient().get('/', { headers: { 'accept-language': `${region}, en;q=0.1` } })
      for (const { headers, text } of [named, preferred]) {
        expect(headers['content-language']).to.equal(language)
        expect(text).to.contain(`<html lang="${language}">`).and.to.contain(front.head).and.to.contain(`>${skip}</a>`)
      }
      for (const other of languages.filter((each) => each !== language))
        expect(named.text).to.contain(
          `<a href="/?lang=${other}" lang="${other}" hreflang="${other}" rel="alternate">${words[other].name}</a>`,
        )
    }
  })

  it('are the pages of buyers alone: the console of who prefers German is in French or English', async () => {
    for (const [wish, language] of [
      ['de, fr;q=0.5, en;q=0.4', 'fr'],
      ['de, it;q=0.9', 'en'],
      ['es', 'en'],
    ] as const) {
      const { text } = await createApiClient().get('/console/sign-in', { headers: { 'accept-language': wish } })
      expect(text, wish).to.contain(`<html lang="${language}">`)
    }
  })
})
