import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { signInMember } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { buildMember, type Shop } from '../../support/world.ts'
import { buildConsole, buildCustomer, consoleAddress, goTo, openWindow, follow } from './scenes.ts'
import { formatLook, inspectPages, looks, tabTo } from './walk.ts'

describeInBrowser('Console: tiers', function () {
  this.timeout(120_000)
  let browser: Browser
  let window: BrowserContext
  let page: Page
  let shop: Shop
  let cookie: string
  before(async () => {
    const built = await buildConsole()
    shop = built.shop
    cookie = built.cookie
    browser = await openBrowser()
    window = await openWindow(browser, { cookie })
    page = await window.newPage()
  })
  after(() => browser.close())

  async function createTier(name: string, visits: string, ratio: string): Promise<void> {
    await goTo(page, `${consoleAddress}/tiers/new`)
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByLabel('Visits needed').fill(visits)
    await page.getByLabel('Points a unit of currency').fill(ratio)
    await follow(page.getByRole('button', { name: 'Save' }))
  }

  it('says what fills an empty list, and creates a tier with the keyboard alone', async () => {
    await goTo(page, `${consoleAddress}/tiers`)
    expect(await page.getByRole('heading', { name: 'No tiers yet' }).count()).to.equal(1)
    await tabTo(page, 'a[href^="/console/tiers/new"]')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'New tier' }).waitFor()
    await tabTo(page, '#name')
    await page.keyboard.type('Bronze')
    await tabTo(page, '#requiredVisits')
    await page.keyboard.type('0')
    await tabTo(page, 'main button')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Tiers' }).waitFor()
    expect(await page.locator('tbody tr').allInnerTexts()).to.have.length(1)
  })

  it('draws who is where, with the same as a table and as a file', async () => {
    await buildCustomer(shop, 'Ada Byron')
    await createTier('Gold', '12', '2.5')
    await page.reload()
    const chart = page.getByRole('img')
    expect(await chart.getAttribute('aria-label')).to.equal('Bars: Bronze 1, Gold 0')
    const rows = await page.locator('tbody tr').allInnerTexts()
    expect(rows.map((text) => text.split(/\s+/).join(' '))).to.deep.equal(['Bronze 0 1 1 100%', 'Gold 12 2.5 0 0%'])
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download as CSV' }).click()
    const lines = readFileSync(await (await downloading).path(), 'utf8').split('\r\n')
    expect(lines[0]).to.equal(
      'id,application,name,required_visits,currency_to_point_ratio,bg_image_url,accounts,created_at',
    )
    expect(lines.slice(1, 3).map((line) => line.split(',').slice(2, 7).join())).to.deep.equal([
      'Bronze,0,1,,1',
      'Gold,12,2.5,,0',
    ])
  })

  it('is told what is wrong with a tier, and the form keeps what was written', async () => {
    await createTier('Second gold', '12', '3')
    expect(await page.getByRole('alert').innerText()).to.contain('needs as many visits')
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Second gold')
    await page.getByLabel('Picture behind its name').fill('https://pictures.example/<b>.png')
    await page.getByLabel('Visits needed').fill('20')
    await follow(page.getByRole('button', { name: 'Save' }))
    expect(await page.locator('tbody tr').count()).to.equal(3)
  })

  it('changes a tier, and deletes one after a page that says what will happen', async () => {
    await goTo(page, `${consoleAddress}/tiers`)
    await follow(page.getByRole('link', { name: 'Second gold' }))
    await page.getByLabel('Name', { exact: true }).fill('Platinum')
    await follow(page.getByRole('button', { name: 'Save' }))
    await follow(page.getByRole('link', { name: 'Platinum' }))
    await follow(page.getByRole('link', { name: 'Delete the tier' }))
    expect(await page.getByRole('heading', { level: 1 }).innerText()).to.equal('Delete the tier Platinum?')
    expect(await page.getByRole('region', { name: 'What will happen' }).innerText()).to.contain(
      'No account has it now.',
    )
    await follow(page.getByRole('link', { name: 'Cancel' }))
    await follow(page.getByRole('link', { name: 'Delete the tier' }))
    await follow(page.getByRole('button', { name: 'Delete the tier' }))
    expect(await page.locator('tbody tr').count()).to.equal(2)
  })

  it('keeps a tier that an account was given, and says why', async () => {
    const eve = await buildCustomer(shop, 'Eve Moss')
    await goTo(page, `${consoleAddress}/accounts/${eve.id}`)
    await page.getByText('Change tier, visits or customer').click()
    await page.getByLabel('Tier', { exact: true }).selectOption({ label: 'Gold' })
    await page.getByLabel('Visits', { exact: true }).fill('3')
    await page.getByLabel('Customer at the point of sale').fill('till-7')
    await follow(page.getByRole('button', { name: 'Save' }))
    const figures = await page.getByRole('region', { name: 'Points' }).innerText()
    expect(figures).to.contain('Gold').and.to.contain('whatever the visits')
    expect(await page.getByText('till-7').count()).to.equal(1)
    expect(await page.getByRole('region', { name: 'How the tier changed' }).locator('tbody tr').count()).to.be.above(0)
    await goTo(page, `${consoleAddress}/tiers`)
    await follow(page.getByRole('link', { name: 'Gold' }))
    await follow(page.getByRole('link', { name: 'Delete the tier' }))
    await follow(page.getByRole('button', { name: 'Delete the tier' }))
    expect(await page.getByRole('alert').innerText()).to.contain('has this tier fixed')
  })

  it('speaks the language that the member chooses, and shows a viewer no action', async () => {
    await goTo(page, `${consoleAddress}/tiers`)
    await follow(page.getByRole('button', { name: 'Français' }))
    expect(await page.getByRole('heading', { level: 1 }).innerText()).to.equal('Niveaux')
    await follow(page.getByRole('button', { name: 'English' }))
    expect(await page.getByRole('heading', { level: 1 }).innerText()).to.equal('Tiers')
    const viewer = await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization)
    const reading = await (await openWindow(browser, { cookie: viewer })).newPage()
    await goTo(reading, `${consoleAddress}/tiers`)
    expect(await reading.getByRole('link', { name: 'New tier' }).count()).to.equal(0)
    expect(await reading.locator('tbody a').count()).to.equal(0)
    expect((await reading.goto(`${consoleAddress}/tiers/new`))?.status()).to.equal(403)
  })

  for (const look of looks)
    it(`fits ${formatLook(look)}, and axe finds nothing`, async () => {
      const [tier] = (await shop.api.get('/v1/loyalty/reward-tiers')).body['data'] as unknown as { id: string }[]
      const [account] = (await shop.api.get('/v1/accounts')).body['data'] as unknown as { id: string }[]
      await inspectPages(browser, { cookie, look }, [
        '/console/tiers',
        '/console/tiers/new',
        `/console/tiers/${tier?.id}`,
        `/console/tiers/${tier?.id}/delete`,
        `/console/accounts/${account?.id}`,
        `/console/accounts/${account?.id}/delete`,
      ])
    })
})
