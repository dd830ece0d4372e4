import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { signInMember } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { buildShop, type Shop } from '../../support/world.ts'
import { consoleAddress, goTo, openWindow } from '../loyalty/scenes.ts'
import { formatLook, inspectPages, looks, tabTo } from '../loyalty/walk.ts'

describeInBrowser('Console: demo environment in a browser', function () {
  this.timeout(240_000)
  let browser: Browser
  let shop: Shop
  let cookie: string
  let path: string
  before(async () => {
    shop = await buildShop()
    cookie = await signInMember(shop.owner, shop.organization)
    browser = await openBrowser()
  })
  after(() => browser.close())

  it('is begun with the keyboard alone, and watched call by call without reloading', async () => {
    const window = await openWindow(browser, { cookie, script: true })
    const page = await window.newPage()
    await goTo(page, `${consoleAddress}/assistant`)
    await tabTo(page, 'main a[href="/console/demo"]')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Demo environment' }).waitFor()
    await tabTo(page, '#scenario')
    await page.keyboard.type('Loy')
    await tabTo(page, 'main button')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/console\/demo\/[0-9a-f-]{36}$/)
    path = new URL(page.url()).pathname
    await page.getByText('ready', { exact: true }).waitFor({ timeout: 120_000 })
    expect(await page.locator('.cards tbody tr').count()).to.be.above(24)
    await window.close()
  })

  it('is taken away without a script, after a page that says what will happen', async () => {
    const window = await openWindow(browser, { cookie, width: 360 })
    const page = await window.newPage()
    await goTo(page, new URL(path, consoleAddress).href)
    await page.getByRole('link', { name: 'Take it away' }).click()
    await page.getByRole('region', { name: 'What will happen' }).waitFor()
    await page.getByRole('button', { name: 'Take it away' }).click()
    await page.getByText('taken away', { exact: true }).waitFor({ timeout: 120_000 })
    await page.getByText('Nothing of it stays').waitFor()
    await window.close()
  })

  for (const look of looks) {
    it(`has no fault that axe finds, in ${formatLook(look)}`, async () => {
      await inspectPages(browser, { cookie, look }, ['/console/demo', path, '/console/assistant'])
    })
  }
})
