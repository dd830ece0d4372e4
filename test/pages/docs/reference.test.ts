import { expect } from 'chai'
import type { Browser, BrowserContextOptions, ConsoleMessage, Page } from 'playwright-core'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { platform } from '../../support/platform.ts'
import { createUniqueName } from '../../core/identity/people.ts'
import { loadAxe, listAccessibilityFaults } from '../axe.ts'
import { measureOverhang, takePicture } from '../scenes.ts'

/** How long the library may take to draw, on a machine that does other work at the same time. */
const drawingMs = 90_000

describeInBrowser('GET /docs in a browser', function () {
  this.timeout(240_000)
  let browser: Browser
  const requested: string[] = []
  const logged: string[] = []
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())
  afterEach('nothing went elsewhere, and no policy was broken', () => {
    expect(
      requested.filter((address) => new URL(address).origin !== platform.api && !/^(data|blob):/.test(address)),
    ).to.deep.equal([])
    expect(logged).to.deep.equal([])
    requested.length = 0
  })

  /** Notes what a browser complains about; answers of the API that are not 2xx are not its complaint. */
  const noteMessage = (message: ConsoleMessage) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) logged.push(message.text())
  }

  async function openReference(hash = '', options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    page.on('request', (request) => requested.push(request.url()))
    page.on('console', noteMessage)
    page.on('pageerror', (error) => logged.push(error.message))
    await page.goto(`${platform.api}/docs${hash}`)
    await page.locator('html.is-mounted').waitFor({ timeout: drawingMs })
    return page
  }

  const getHeading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).first()

  it('shows the quick starts and all areas, and fetches nothing from elsewhere', async () => {
    const page = await openReference()
    await getHeading(page, 'Quick start: AI assistants').waitFor()
    for (const name of ['Quick start: REST', 'Quick start: a demo environment from a prompt'])
      await getHeading(page, name).waitFor()
    await page.getByRole('link', { name: 'Passports', exact: true }).first().waitFor()
    expect(await page.locator('#content').count()).to.equal(0)
    expect(await page.locator('a[href*="scalar.com"]:visible').count(), 'links to the maker').to.equal(0)
    expect(requested.length).to.be.greaterThan(4)
    await takePicture(page, 'docs')
    await page.context().close()
  })

  it('opens an operation by its address, with its samples', async () => {
    const page = await openReference('#tag/passports/create_dpp_passport_v1')
    await getHeading(page, 'Create a passport').waitFor()
    await page.waitForFunction(
      `(() => { const { top } = [...document.querySelectorAll('h3')].find((each) => each.textContent.trim() === 'Create a passport').getBoundingClientRect(); return top >= 0 && top < innerHeight })()`,
    )
    await page.getByText('create_dpp_passport', { exact: true }).first().waitFor()
    await takePicture(page, 'docs-operation')
    await page.locator('pre', { hasText: '--request POST' }).first().waitFor()
    await page.context().close()
  })

  it('shows samples in the language that the reader chooses', async () => {
    const page = await openReference()
    for (const [language, mark] of [
      ['Python', /import http\.client/],
      ['Node.js', /fetch\(|undici/],
    ] as const) {
      await page.getByRole('tab', { name: language, exact: true }).click()
      await page.getByRole('link', { name: 'Passports', exact: true }).first().click()
      await page
        .getByRole('link', { name: /^Create a passport/ })
        .first()
        .click()
      await page.locator('pre', { hasText: mark }).first().waitFor()
      await page.getByRole('link', { name: 'Introduction', exact: true }).first().click()
    }
    await page.context().close()
  })

  it('finds an operation with the keyboard alone', async () => {
    const page = await openReference()
    await page.keyboard.press('Control+k')
    await page.getByLabel('Enter search query').waitFor()
    await page.keyboard.type('suggest mapping')
    await page.getByText('/v1/import/mappers/suggest-mapping').first().waitFor()
    await takePicture(page, 'docs-search')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL((address) => address.hash === '#tag/imports/suggest_import_mapping_v1')
    await getHeading(page, 'Suggest a mapping of columns').waitFor()
    await page.context().close()
  })

  it('sends a request with the key of the reader, to this installation', async () => {
    const page = await openReference('#tag/passports/list_dpp_passports_v1')
    await page.getByRole('button', { name: /Test Request\s*\(get \/v1\/dpp\/passports\)/ }).click()
    const form = page.getByRole('dialog').filter({ hasText: 'Query Parameters' })
    await takePicture(page, 'docs-form')
    await form.locator('input[placeholder]').first().fill(platform.apiKey)
    const [answer] = await Promise.all([
      page.waitForResponse((response) => new URL(response.url()).pathname === '/v1/dpp/passports'),
      page.getByRole('button', { name: /^Send/ }).first().click(),
    ])
    expect(answer.status(), await answer.text()).to.equal(200)
    expect(answer.request().headers()['x-api-key']).to.equal(platform.apiKey)
    await page.getByText('200 OK').first().waitFor()
    await takePicture(page, 'docs-answer')
    expect(String(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })'))).not.to.contain(
      platform.apiKey,
    )
    await page.context().close()
  })

  it('is readable on a phone, in the dark', async () => {
    const page = await openReference('', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' })
    await getHeading(page, 'Quick start: REST').waitFor()
    expect(await measureOverhang(page)).to.equal(0)
    expect(await page.evaluate(`getComputedStyle(document.body).colorScheme`)).to.contain('dark')
    await takePicture(page, 'docs-phone-dark')
    await page.context().close()
  })

  it('has a head that a screen reader can use', async () => {
    const page = await openReference('', { bypassCSP: true })
    await loadAxe(page)
    const faults = await listAccessibilityFaults(page)
    expect(faults.filter((fault) => /reference-head|class="skip"|<html|<body/.test(fault))).to.deep.equal([])
    await page.context().close()
  })

  it('has every operation without scripts, with an address for each', async () => {
    for (const width of [360, 1280]) {
      const context = await browser.newContext({
        viewport: { width, height: 800 },
        javaScriptEnabled: false,
        bypassCSP: true,
      })
      const page = await context.newPage()
      await page.goto(`${platform.api}/docs#tag/passports/create_dpp_passport_v1`)
      const entry = page.locator('[id="tag/passports/create_dpp_passport_v1"]')
      expect(await entry.innerText())
        .to.contain('POST')
        .and.to.contain('/v1/dpp/passports')
        .and.to.contain('Create')
      expect(await page.locator('.operations li:target').count()).to.equal(1)
      await getHeading(page, 'Quick start: REST').waitFor()
      await takePicture(page, `docs-list-${width}`)
      await context.close()
    }
    const context = await browser.newContext({ viewport: { width: 360, height: 740 }, bypassCSP: true })
    const page = await context.newPage()
    await page.route(/\/assets\/(scalar|reference\.js)/, (route) => route.abort())
    await page.goto(`${platform.api}/docs`)
    expect(await measureOverhang(page)).to.equal(0)
    await loadAxe(page)
    expect(await listAccessibilityFaults(page)).to.deep.equal([])
    expect(await listAccessibilityFaults(page, true)).to.deep.equal([])
    await context.close()
  })

  it('keeps the list, and says so, where the library does not load', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.route(/\/assets\/scalar/, (route) => route.abort())
    await page.goto(`${platform.api}/docs#${createUniqueName('nowhere')}`)
    await page.getByText('The interactive reference did not load').waitFor()
    expect(await page.locator('.operations li').count()).to.be.greaterThan(100)
    await context.close()
  })
})
