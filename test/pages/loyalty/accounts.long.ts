import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { signInMember } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { buildMember, buildShop, type Shop } from '../../support/world.ts'
import { measureOverhang, takePicture } from '../scenes.ts'
import {
  buildConsole,
  buildCustomer,
  consoleAddress,
  creditPoints,
  goTo,
  openWindow,
  type Customer,
  follow,
} from './scenes.ts'

describeInBrowser('Console: accounts and their points', function () {
  this.timeout(60_000)
  let browser: Browser
  let window: BrowserContext
  let page: Page
  let shop: Shop
  let ada: Customer
  let boris: Customer
  const today = new Date().toISOString().slice(0, 10)

  before(async () => {
    const built = await buildConsole()
    shop = built.shop
    ada = await buildCustomer(shop, 'Ada Byron')
    boris = await buildCustomer(shop, '=Boris')
    await creditPoints(shop, ada.id, 1_200, 'Opening of the shop')
    browser = await openBrowser()
    window = await openWindow(browser, { cookie: built.cookie })
    page = await window.newPage()
  })
  after(() => browser.close())

  const listNames = async () => page.locator('tbody tr td:first-child a').allInnerTexts()

  it('lists them by an order, finds them by name, address and filter, and says when nobody fits', async () => {
    await goTo(page, `${consoleAddress}/accounts`)
    expect(await listNames()).to.deep.equal(['=Boris', 'Ada Byron'])
    await takePicture(page, 'accounts', true)
    await page.getByText('Filters and order').click()
    await page.getByLabel('Order').selectOption('points')
    await follow(page.getByRole('button', { name: 'Search' }))
    expect(await listNames()).to.deep.equal(['Ada Byron', '=Boris'])
    for (const [search, found] of [
      ['byr', ['Ada Byron']],
      [boris.email.toUpperCase(), ['=Boris']],
      ['nobody@people.example', []],
    ] as const) {
      await page.getByLabel('Name, e-mail, phone or wallet').fill(search)
      await follow(page.getByRole('button', { name: 'Search' }))
      expect(await listNames(), search).to.deep.equal(found)
    }
    expect(await page.getByRole('status').innerText()).to.contain('Nobody fits')
  })

  it('downloads what the filters find as CSV, without formulas', async () => {
    await goTo(page, `${consoleAddress}/accounts?order=points`)
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download as CSV' }).click()
    const lines = readFileSync(await (await downloading).path(), 'utf8').split('\r\n')
    expect(lines[0]).to.match(/^id,application,name,email,phone_number,network,address,points,points_on_chain,/)
    expect(lines[1]).to.contain(`,Ada Byron,${ada.email},,EthereumAnvil,`).and.to.contain(',1200,1200,0,0,')
    expect(lines[2]).to.contain(",'=Boris,")
    expect(lines.slice(3)).to.deep.equal([''])
  })

  it('credits and takes points with a reason, once however often the form is sent', async () => {
    await goTo(page, `${consoleAddress}/accounts/${ada.id}`)
    const book = async (change: string, amount: string, reason: string) => {
      await page.getByText('Credit or take points').click()
      await page.getByLabel(change).check()
      await page.getByLabel('How many points').fill(amount)
      await page.getByLabel('Reason').fill(reason)
      await follow(page.getByRole('button', { name: 'Book' }))
      await follow(page.getByRole('button', { name: `${change.split(' ')[0]} the points` }))
    }
    await book('Credit points', '300', 'A broken strap')
    expect(await page.getByRole('region', { name: 'Points' }).innerText()).to.contain('1,500')
    await book('Take points', '500', 'A gift <b>at</b> the counter')
    expect(await page.getByRole('region', { name: 'Points' }).innerText()).to.contain('1,000')
    const entries = await page.locator('tbody tr').allInnerTexts()
    expect(entries.map((text) => text.replace(/\s+/g, ' ').replace(', on its way to the chain', ''))).to.deep.equal([
      `Taken: A gift <b>at</b> the counter ${today} −500 1,000`,
      `Credited: A broken strap ${today} +300 1,500`,
      `Credited: Opening of the shop ${today} +1,200 1,200`,
    ])
    await takePicture(page, 'account', true)
  })

  it('counts a form once that is sent twice', async () => {
    await goTo(page, `${consoleAddress}/accounts/${boris.id}`)
    const reference = await page.locator('input[name=reference]').inputValue()
    const form = { change: 'mint', amount: '7', reason: 'Twice', reference, act: 'book' }
    const headers = { origin: new URL(consoleAddress).origin }
    for (const _ of [1, 2]) {
      const address = `${consoleAddress}/accounts/${boris.id}/points`
      const answer = await page.request.post(address, { form, headers, maxRedirects: 0 })
      expect(answer.status(), await answer.text()).to.equal(303)
    }
    await page.reload()
    expect(await page.locator('tbody tr').count()).to.equal(1)
  })

  it('shows a statement from a day on, and downloads it', async () => {
    const address = `${consoleAddress}/accounts/${ada.id}`
    await goTo(page, `${address}?since=2099-01-01`)
    expect(await page.getByText('Nothing was booked since then.').count()).to.equal(1)
    expect((await page.goto(`${address}?since=2026-02-31`))?.status()).to.equal(422)
    await goTo(page, address)
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download as CSV' }).click()
    const lines = readFileSync(await (await downloading).path(), 'utf8').split('\r\n')
    expect(lines[0]).to.equal('id,recorded_at,occurred_at,kind,points,balance,status,reason,reference')
    expect(lines.slice(1).map((line) => line.split(',').slice(3, 6).join())).to.deep.equal([
      'burn,-500,1000',
      'mint,300,1500',
      'mint,1200,1200',
      '',
    ])
  })

  it('is told why points cannot be taken, and the form keeps what was written', async () => {
    await goTo(page, `${consoleAddress}/accounts/${ada.id}`)
    await page.getByText('Credit or take points').click()
    await page.getByLabel('Take points').check()
    await page.getByLabel('How many points').fill('1001')
    await page.getByLabel('Reason').fill('Too much')
    await follow(page.getByRole('button', { name: 'Book' }))
    await page.getByText('The account has only 1,000 points, so this will be refused.').waitFor()
    await follow(page.getByRole('button', { name: 'Take the points' }))
    expect(await page.getByRole('alert').innerText()).to.contain('has 1000 points, fewer than 1001')
    expect(await page.getByLabel('Reason').inputValue()).to.equal('Too much')
    expect(await page.getByLabel('Take points').isChecked()).to.equal(true)
  })

  it('shows a viewer no form, and nobody the account of another organization', async () => {
    const viewer = await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization)
    const reading = await openWindow(browser, { cookie: viewer, width: 360 })
    const narrow = await reading.newPage()
    await goTo(narrow, `${consoleAddress}/accounts/${ada.id}`)
    expect(await narrow.getByText('Credit or take points').count()).to.equal(0)
    await takePicture(narrow, 'account-viewer-360', true)
    expect(await measureOverhang(narrow)).to.equal(0)
    await goTo(narrow, `${consoleAddress}/accounts`)
    await takePicture(narrow, 'accounts-360', true)
    expect(await measureOverhang(narrow)).to.equal(0)
    const other = await buildShop()
    const foreign = await openWindow(browser, { cookie: await signInMember(other.owner, other.organization) })
    const strange = await foreign.newPage()
    expect((await strange.goto(`${consoleAddress}/accounts/${ada.id}`))?.status()).to.equal(404)
    await goTo(strange, `${consoleAddress}/accounts`)
    expect(await strange.getByRole('heading', { name: 'Nobody has come yet' }).count()).to.equal(1)
  })
})
