import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { signInMember } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import {
  buildCertifiedPassport,
  buildPassport,
  buildProductPassport,
  buildSheet,
  buildShop,
} from '../../support/world.ts'
import { consoleAddress, goTo, openWindow } from '../loyalty/scenes.ts'
import { inspectPages, looks, tabTo } from '../loyalty/walk.ts'

const list = '/console/passports'

describeInBrowser('Console: passports', function () {
  this.timeout(400_000)
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  const press = async (page: Page, selector: string): Promise<void> => {
    await tabTo(page, selector)
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
  }

  it('are created, changed and archived with the keyboard alone; axe finds nothing, and nothing is cut off', async () => {
    const shop = await buildShop()
    const cookie = await signInMember(shop.owner, shop.organization)
    const itemsType = { name: '[]', type: 'string' }
    const sheet = await buildSheet(shop, {
      name: 'Weekend bag',
      passportsFields: [
        { name: 'serialNumber', label: 'Serial number', type: 'string', required: true },
        { name: 'care', label: 'Care', type: 'array', itemsType },
        { name: 'origin', type: 'object', label: 'Origin', fields: [{ name: 'year', label: 'Year', type: 'number' }] },
      ],
    })
    const page = await (await openWindow(browser, { cookie })).newPage()
    await goTo(page, `${consoleAddress}/passports/new?sheet=${sheet}`)
    await tabTo(page, 'input[name="fields.serialNumber"]')
    await page.keyboard.type('WB-1')
    await press(page, 'button[name="add"]')
    await page.locator('main form :focus').waitFor()
    await page.keyboard.type('By hand')
    await press(page, 'main form > button:last-child')
    expect(await page.getByRole('heading', { level: 1 }).innerText()).to.equal('Weekend bag')
    expect(await page.getByRole('region', { name: 'Values' }).innerText()).to.contain('By hand')
    await press(page, 'nav.buttons a[href$="/edit"]')
    await tabTo(page, 'input[name="fields.origin.year"]')
    await page.keyboard.type('1890')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Values' }).getByText('1890').waitFor()
    await press(page, 'nav.buttons a[href*="act=archive"]')
    expect(await page.getByRole('region', { name: 'What will happen' }).innerText()).to.contain('1 of 1 will change')
    await press(page, 'button.danger')
    await page.getByRole('region', { name: 'Result' }).getByText('Archived').waitFor()

    const certified = await buildCertifiedPassport(shop)
    const described = await buildProductPassport(shop)
    await buildPassport(shop, sheet, { fields: { serialNumber: 'WB-2' }, reference: 'REF-2' })
    const paths = [
      `${list}?status=draft`,
      `${list}/bulk?act=publish&of=all`,
      `${list}/${certified}`,
      `${list}/${certified}/status/revoke`,
      `${list}/new`,
      `${list}/${described.id}/edit?field=product.countryOfProduction.countryCode`,
      `${list}/${certified}/link`,
    ]
    for (const look of looks.slice(0, 2)) await inspectPages(browser, { cookie, look }, paths)
  })
})
