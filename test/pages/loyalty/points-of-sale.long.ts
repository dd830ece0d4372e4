import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { signInMember } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { bindRestaurant, settingsPath, startPosStage, type BoundRestaurant } from '../../support/pos/restaurants.ts'
import { buildMember, type Shop } from '../../support/world.ts'
import { buildConsole, consoleAddress, goTo, openWindow, follow } from './scenes.ts'
import { formatLook, inspectPages, looks, tabTo } from './walk.ts'

describeInBrowser('Console: points of sale', function () {
  this.timeout(120_000)
  let browser: Browser
  let window: BrowserContext
  let page: Page
  let shop: Shop
  let cookie: string
  let restaurant: BoundRestaurant
  before(async () => {
    const built = await buildConsole()
    shop = built.shop
    cookie = built.cookie
    browser = await openBrowser()
    window = await openWindow(browser, { cookie })
    page = await window.newPage()
  })
  after(() => browser.close())

  const readRows = async () =>
    (await page.locator('tbody tr').allInnerTexts()).map((text) => text.split(/\t/).join(' ').trim())

  it('says what fills an empty list, and creates a point of sale with the keyboard alone', async () => {
    await goTo(page, `${consoleAddress}/points-of-sale`)
    expect(await page.getByRole('heading', { name: 'No points of sale yet' }).count()).to.equal(1)
    await tabTo(page, 'a[href="/console/points-of-sale/new"]')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'New point of sale' }).waitFor()
    await tabTo(page, '#name')
    await page.keyboard.type('Centre')
    await tabTo(page, '#timeZone')
    await page.keyboard.type('Europe/Rome')
    await tabTo(page, 'main button')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Points of sale' }).waitFor()
    const [row, ...others] = await readRows()
    expect(others).to.deep.equal([])
    expect(row).to.match(/^Centre .* Europe\/Rome open$/)
  })

  it('is told what is wrong, and the form keeps what was written', async () => {
    await goTo(page, `${consoleAddress}/points-of-sale/new`)
    await page.getByLabel('Name', { exact: true }).fill('Harbour')
    await page.getByLabel('Time zone').fill('Europe/Atlantis')
    await follow(page.getByRole('button', { name: 'Save' }))
    expect(await page.getByRole('alert').innerText()).to.contain('Time zone is no time zone')
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Harbour')
    await page.getByLabel('Time zone').fill('Europe/Paris')
    await page.getByLabel('Identifier in your own system').fill('H-1')
    await follow(page.getByRole('button', { name: 'Save' }))
    expect(await readRows()).to.have.length(2)
  })

  it('changes a point of sale, and deletes one after a page that says what will happen', async () => {
    await follow(page.getByRole('link', { name: 'Harbour' }))
    await page.getByLabel('Status').selectOption({ label: 'closed' })
    await page.getByLabel('Identifier in your own system').fill('')
    await follow(page.getByRole('button', { name: 'Save' }))
    expect((await readRows()).find((row) => row.startsWith('Harbour'))).to.match(/Europe\/Paris closed$/)
    await follow(page.getByRole('link', { name: 'Harbour' }))
    await follow(page.getByRole('link', { name: 'Delete the point of sale' }))
    expect(await page.getByRole('region', { name: 'What will happen' }).innerText()).to.contain('stay')
    await follow(page.getByRole('button', { name: 'Delete the point of sale' }))
    expect(await readRows()).to.have.length(1)
  })

  it('shows the settings of the till without its secrets, and changes them', async () => {
    await goTo(page, `${consoleAddress}/points-of-sale/settings`)
    expect(await page.getByText('They are here once the settings are saved.').count()).to.equal(1)
    const stage = await startPosStage()
    restaurant = await bindRestaurant(stage.pos, stage.api, shop)
    await stage.stop()
    await page.reload()
    expect(await page.getByLabel('Orders that were paid').inputValue()).to.equal(restaurant.urls.orderEnded)
    expect(await page.getByLabel('Key of the till').inputValue()).to.equal('')
    expect(await page.content()).not.to.contain(stage.pos.apiKey)
    const lines = page.getByRole('textbox', { name: 'Restaurants' })
    const kept = await lines.inputValue()
    expect(kept).to.match(new RegExp(`^${restaurant.restaurantId}; .+; `))
    await lines.fill(`${kept}\nR-2; no such application`)
    await follow(page.getByRole('button', { name: 'Save' }))
    expect(await page.getByRole('alert').innerText()).to.contain('Line 2: is not known')
    await lines.fill(kept)
    await page.getByLabel('Secret of the webhooks').fill('another-secret-of-tests')
    await follow(page.getByRole('button', { name: 'Save' }))
    expect(await page.getByText('The settings are saved.').count()).to.equal(1)
    const { body } = await shop.api.get(settingsPath)
    expect(body).to.include({ hasApiKey: true, hasWebhookSecret: true })
    expect(body['restaurants']).to.have.length(1)
  })

  it('keeps what was written while the till does not answer, and says that nothing was saved', async () => {
    await goTo(page, `${consoleAddress}/points-of-sale/settings`)
    const lines = page.getByRole('textbox', { name: 'Restaurants' })
    const wanted = `R-77; ${(await lines.inputValue()).split('; ')[1]}`
    await lines.fill(wanted)
    await follow(page.getByRole('button', { name: 'Save' }))
    expect(await page.getByRole('alert').innerText()).to.contain('Nothing was saved')
    expect(await lines.inputValue()).to.equal(wanted)
    const { body } = await shop.api.get(settingsPath)
    expect(
      (body['restaurants'] as unknown as { restaurantId: string }[]).map(({ restaurantId }) => restaurantId),
    ).to.deep.equal([restaurant.restaurantId])
  })

  it('keeps a point of sale to which a restaurant is bound, and says why', async () => {
    await goTo(page, `${consoleAddress}/points-of-sale/${restaurant.pointOfSale}/delete`)
    await follow(page.getByRole('button', { name: 'Delete the point of sale' }))
    expect(await page.getByRole('alert').innerText()).to.contain('A restaurant is bound to it')
  })

  it('speaks the language that the member chooses, and shows a viewer no action', async () => {
    await goTo(page, `${consoleAddress}/points-of-sale`)
    await follow(page.getByRole('button', { name: 'Français' }))
    expect(await page.getByRole('heading', { level: 1 }).innerText()).to.equal('Points de vente')
    await follow(page.getByRole('button', { name: 'English' }))
    const viewer = await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization)
    const reading = await (await openWindow(browser, { cookie: viewer })).newPage()
    await goTo(reading, `${consoleAddress}/points-of-sale`)
    expect(await reading.getByRole('link', { name: 'New point of sale' }).count()).to.equal(0)
    expect(await reading.locator('tbody a').count()).to.equal(0)
    expect((await reading.goto(`${consoleAddress}/points-of-sale/settings`))?.status()).to.equal(403)
  })

  for (const look of looks)
    it(`fits ${formatLook(look)}, and axe finds nothing`, async () => {
      await inspectPages(browser, { cookie, look }, [
        '/console/points-of-sale',
        '/console/points-of-sale/new',
        '/console/points-of-sale/settings',
        `/console/points-of-sale/${restaurant.pointOfSale}`,
        `/console/points-of-sale/${restaurant.pointOfSale}/delete`,
      ])
    })
})
