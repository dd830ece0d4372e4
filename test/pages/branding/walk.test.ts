import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Browser, Frame, Page } from 'playwright-core'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { buildApplication, type Shop } from '../../support/world.ts'
import { takePicture } from '../scenes.ts'
import { buildConsole, consoleAddress, goTo, openWindow } from '../loyalty/scenes.ts'
import { formatLook, inspectPages, looks, tabTo } from '../loyalty/walk.ts'

describeInBrowser('Console: branding', function () {
  this.timeout(120_000)
  let browser: Browser
  let shop: Shop
  let cookie: string
  let address: string
  before(async () => {
    const built = await buildConsole()
    shop = built.shop
    cookie = built.cookie
    address = `${consoleAddress}/branding/${shop.application}`
    browser = await openBrowser()
  })
  after(() => browser.close())

  const press = async (page: Page, selector: string): Promise<void> => {
    await tabTo(page, selector)
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
  }
  const readHeading = (page: Page): Promise<string> =>
    page.frameLocator('iframe[title="What a customer has"]').getByRole('heading', { level: 1 }).innerText()
  const readTheme = async () => (await shop.api.get(`/v1/applications/${shop.application}`)).body['theme']

  it('is previewed, saved and given a form with the keyboard alone, without a script', async () => {
    const page = await (await openWindow(browser, { cookie, width: 360 })).newPage()
    await goTo(page, `${consoleAddress}/branding`)
    expect(page.url()).to.equal(address)
    await tabTo(page, '#title')
    await page.keyboard.type('Maison Alba')
    await tabTo(page, '#primaryColor')
    await page.keyboard.type('#ffd400')
    await press(page, 'button[value="preview"]')
    expect(await page.getByRole('status').innerText()).to.contain('Nothing is kept')
    await takePicture(page, 'branding-draft', true)
    expect(await readHeading(page)).to.equal('Yours at Maison Alba')
    expect(await readTheme()).to.deep.equal({})
    await press(page, 'button[value="save"]')
    expect(await page.getByRole('status').innerText()).to.equal('Your changes are kept.')
    expect(await readTheme()).to.deep.equal({ title: 'Maison Alba', primaryColor: '#ffd400' })
    const file = join(tmpdir(), `opt-in-${process.pid}.pdf`)
    writeFileSync(file, '%PDF-1.7\n')
    await page.getByLabel('The form').setInputFiles(file)
    await page.getByLabel('The form').focus()
    await press(page, 'form[enctype] button')
    expect(await page.locator('#address').innerText()).to.match(/^ipfs:\/\/b/)
    await takePicture(page, 'branding-opt-in', true)
    await page.context().close()
  })

  it('follows what is typed where scripts run', async () => {
    const page = await (await openWindow(browser, { cookie, script: true })).newPage()
    const violations: string[] = []
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) violations.push(message.text())
    })
    await goTo(page, address)
    await page.getByLabel('Heading', { exact: true }).fill('Typed')
    const frame = page.frameLocator('iframe[title="What a customer has"]')
    await frame.getByRole('heading', { level: 1, name: 'Yours at Typed' }).waitFor()
    const isPicked = (one: Frame) => one.url().includes('/preview/me?') && one.url().includes('%238a1c4a')
    await Promise.all([
      page.waitForEvent('framenavigated', isPicked),
      page.getByLabel('Pick: Colour of buttons and links').fill('#8a1c4a'),
    ])
    expect(await page.locator('#primaryColor').inputValue()).to.equal('#8a1c4a')
    expect(await readTheme()).to.deep.equal({ title: 'Maison Alba', primaryColor: '#ffd400' })
    expect(violations).to.deep.equal([])
    await page.context().close()
  })

  for (const look of looks)
    it(`fits ${formatLook(look)}, and axe finds nothing`, async () => {
      const theme = { title: 'Maison Alba', primaryColor: '#8a1c4a', secondaryColor: '#e8b400' }
      await shop.api.patch(`/v1/applications/${shop.application}`, { theme })
      const query = new URLSearchParams(theme).toString()
      const path = `/console/branding/${shop.application}`
      if (look === looks[1]) await buildApplication(shop.organization)
      const alone = look === looks[0] ? [`${path}/preview/passport?${query}`] : ['/console/branding']
      await inspectPages(browser, { cookie, look }, [path, ...alone])
    })
})
