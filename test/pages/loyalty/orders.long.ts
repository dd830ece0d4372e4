import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { getOwnClient, signInMember } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { buildShop, type Shop } from '../../support/world.ts'
import { buildConsole, buildCustomer, consoleAddress, creditPoints, follow, goTo, openWindow } from './scenes.ts'
import { formatLook, inspectPages, looks } from './walk.ts'

const orders = `${consoleAddress}/orders`

describeInBrowser('Console: orders', function () {
  this.timeout(120_000)
  let browser: Browser
  let page: Page
  let shop: Shop
  let cookie: string
  before(async () => {
    const built = await buildConsole()
    shop = built.shop
    cookie = built.cookie
    browser = await openBrowser()
    page = await (await openWindow(browser, { cookie })).newPage()
  })
  after(() => browser.close())

  it('says what fills an empty list', async () => {
    await goTo(page, orders)
    expect(await page.getByRole('heading', { name: 'No orders yet' }).count()).to.equal(1)
  })

  it('lists what changed points with its account, by kind, and as CSV', async () => {
    const customer = await buildCustomer(shop, 'Ada')
    await creditPoints(shop, customer.id, 1250, 'Thanks')
    await goTo(page, orders)
    const row = page.locator('tbody tr')
    expect(await row.innerText()).to.match(/Credited\s+\+1,250/)
    expect(await row.getByRole('link').getAttribute('href')).to.equal(`/console/accounts/${customer.id}`)
    await page.getByLabel('Kind').selectOption('burn')
    await follow(page.getByRole('button', { name: 'Show' }))
    expect(await page.locator('tbody tr').count()).to.equal(0)
    expect(await page.getByText('Nothing fits.').count()).to.equal(1)
    const readLines = async (query: string) =>
      (await getOwnClient(cookie).get(`/console/orders.csv${query}`)).text.trim().split('\r\n')
    expect((await readLines('?kind=mint'))[1]).to.contain(`,${customer.id},mint,1250,`)
    expect(await readLines('?kind=burn')).to.have.length(1)
  })

  it('shows nothing of another organization', async () => {
    const other = await buildShop()
    const text = (await getOwnClient(await signInMember(other.owner, other.organization)).get('/console/orders')).text
    expect(text).to.contain('No orders yet')
  })

  for (const look of looks)
    it(`fits ${formatLook(look)}, and axe finds nothing`, async () => {
      await inspectPages(browser, { cookie, look }, ['/console/orders'])
    })
})
