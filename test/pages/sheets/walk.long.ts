import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { createUniqueName } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { buildSheet, type Shop } from '../../support/world.ts'
import { createVisitor } from '../certification/forms.ts'
import { buildConsole, consoleAddress, goTo, openWindow } from '../loyalty/scenes.ts'
import { formatLook, inspectPages, looks, tabTo } from '../loyalty/walk.ts'

const path = '/console/sheets'
const at = (id: string, step = '') => `${path}/${id}${step}`

describeInBrowser('Console: sheets in a browser', function () {
  this.timeout(400_000)
  let browser: Browser
  let shop: Shop
  let cookie: string
  let pages: string[]
  before(async () => {
    const built = await buildConsole()
    shop = built.shop
    cookie = built.cookie
    browser = await openBrowser()
  })
  after(() => browser.close())

  it('are made, activated and minted with the keyboard alone', async () => {
    const page = await (await openWindow(browser, { cookie })).newPage()
    const press = async (selector: string) => {
      await tabTo(page, selector)
      await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
    }
    const name = createUniqueName('Bag')
    await goTo(page, `${consoleAddress}/sheets`)
    await press('a[href$="/sheets/new"]')
    await tabTo(page, '#name')
    await page.keyboard.type(name)
    await press('button[value="add:p"]')
    await tabTo(page, 'input[name="p.1.name"]')
    await page.keyboard.type('colour')
    await press('button[value="add:s"]')
    await tabTo(page, 'input[name="s.0.name"]')
    await page.keyboard.type('material')
    // Enter in a field saves, although buttons that change rows come before the one that saves.
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
    await page.getByRole('heading', { level: 1, name }).waitFor()
    const sheet = page.url()
    await press('a[href$="to=ACTIVE"]')
    await press('main button')
    await press('a[href$="/mint"]')
    await tabTo(page, '#table')
    await page.keyboard.type('serialNumber,colour')
    await page.keyboard.press('Enter')
    await page.keyboard.type('K-1,sand')
    await press('button[value=check]')
    await press('button[value=mint]')
    await page.getByText('1 of 1').waitFor()
    const job = new URL(page.url()).pathname
    const id = String(sheet.split('/').at(-1))
    const bad = createVisitor(cookie)
    expect((await bad.submit(at(id, '/mint'), { table: 'colour\nx', act: 'check' })).status).to.equal(422)
    await buildSheet(shop, { productFields: [{ name: 'vegan', type: 'boolean' }], name: 'Second' })
    pages = [
      path,
      `${path}/new`,
      `${path}/statistics`,
      at(id),
      at(id, '/edit'),
      at(id, '/edit?as=text'),
      at(id, '/values'),
      at(id, '/mint'),
      at(id, '/status?to=ARCHIVED'),
      job,
    ]
  })

  for (const look of looks)
    it(`have no fault that axe finds, and nothing is cut off, ${formatLook(look)}`, async () => {
      await inspectPages(browser, { cookie, look }, pages)
    })
})
