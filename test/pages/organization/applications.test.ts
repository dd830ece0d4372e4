import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { createUniqueName, getOwnClient, signInMember } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { buildMember, buildOrganization, type Shop } from '../../support/world.ts'
import { buildConsole, consoleAddress, follow, goTo, openWindow } from '../loyalty/scenes.ts'
import { formatLook, inspectPages, looks, tabTo } from '../loyalty/walk.ts'

const applications = `${consoleAddress}/applications`

describeInBrowser('Console: applications', function () {
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

  const readPath = () => new URL(page.url()).pathname
  const domain = `shop-${process.pid}.example`

  it('are created with the keyboard alone, with the domains that are named', async () => {
    await goTo(page, applications)
    await tabTo(page, 'a.button')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'A new application' }).waitFor()
    const name = createUniqueName('Flagship')
    await tabTo(page, '#name')
    await page.keyboard.type(name)
    await tabTo(page, '#domains')
    await page.keyboard.type(domain)
    await tabTo(page, 'form.card button')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name }).waitFor()
    const id = readPath().split('/').at(-1) ?? ''
    const { body } = await shop.api.get(`/v1/applications/${id}`)
    expect([body['name'], body['domains']]).to.deep.equal([name, [domain]])
    const proof = (await shop.api.get(`/v1/applications/${id}/domains`)).body['data']?.[0]
    const row = page.getByRole('row').filter({ hasText: domain })
    expect(await row.innerText()).to.contain('waits for its proof')
    expect(await row.locator('code').allInnerTexts()).to.deep.equal([
      proof?.['record']?.['name'],
      proof?.['record']?.['value'],
    ])
  })

  it('have the proof of a domain looked for, and say what was found', async () => {
    await follow(page.getByRole('button', { name: `Look for the proof of ${domain}` }))
    expect(await page.getByRole('row').filter({ hasText: domain }).innerText()).to.contain('not proven')
  })

  it('are refused without a name, and the form keeps what was written', async () => {
    await goTo(page, `${applications}/new`)
    await page.getByLabel('Name', { exact: true }).fill(' ')
    await page.getByLabel('Domains').fill('a.example')
    await follow(page.getByRole('button', { name: 'Create an application' }))
    expect(await page.getByRole('alert').innerText()).to.contain('Name')
    expect(await page.getByLabel('Domains').inputValue()).to.equal('a.example')
  })

  it('are listed with their domains, and as CSV', async () => {
    await goTo(page, applications)
    expect(await page.getByRole('row').filter({ hasText: domain }).count()).to.equal(1)
    const { text, headers } = await getOwnClient(cookie).get('/console/applications.csv')
    expect(headers['content-type']).to.contain('text/csv')
    expect(text.split('\r\n')[0]).to.equal('id,name,slug,domains,website,network,created_at')
    expect(text).to.contain(`,${domain},`)
  })

  it('are those of the own organization, and a viewer sees no action', async () => {
    const foreign = await buildOrganization()
    expect((await page.goto(`${applications}/${foreign.application}`))?.status()).to.equal(404)
    const viewer = getOwnClient(await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization))
    expect((await viewer.get('/console/applications')).text).to.not.contain('/console/applications/new')
    expect((await viewer.get(`/console/applications/${shop.application}`)).text).to.not.contain('/check"')
    expect((await viewer.get('/console/applications/new')).status).to.equal(403)
  })

  for (const look of looks)
    it(`fit ${formatLook(look)}, and axe finds nothing`, async () => {
      await inspectPages(browser, { cookie, look }, [
        '/console/applications',
        '/console/applications/new',
        `/console/applications/${shop.application}`,
      ])
    })
})
