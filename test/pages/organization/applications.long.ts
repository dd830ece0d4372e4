import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { createUniqueName, getOwnClient, signInMember } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { buildMember, buildOrganization, type Shop } from '../../support/world.ts'
import { buildConsole, buildCustomer, consoleAddress, follow, goTo, openWindow } from '../loyalty/scenes.ts'
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

  describe('have a form', () => {
    let id: string
    let path: string
    before(async () => {
      const made = await shop.api.post('/v1/applications', {
        name: createUniqueName('Atelier'),
        domains: [`atelier-${process.pid}.example`],
        theme: { primaryColor: '#0a7d54' },
        loyaltySettings: { welcomeBonus: '5' },
      })
      id = String(made.body['id'])
      path = `${applications}/${id}`
    })
    const readIt = async () => (await shop.api.get(`/v1/applications/${id}`)).body

    it('that changes what it says and nothing else', async () => {
      const before = await readIt()
      await goTo(page, path)
      await page.getByLabel('Home page').fill('https://atelier.example/')
      await page.getByLabel('Points and tiers').check()
      await page.getByText('Points, campaigns and cards').click()
      await page.getByLabel('Points a unit of currency').fill('1,5')
      await page.getByLabel('Welcome bonus, in points').fill('')
      await follow(page.getByRole('button', { name: 'Save' }))
      expect(await page.getByRole('status').innerText()).to.equal('Your changes are kept.')
      const { welcomeBonus: _, ...loyaltySettings } = Object(before['loyaltySettings']) as { welcomeBonus?: string }
      const { updatedAt, ...after } = await readIt()
      expect(after).to.deep.equal({
        ...Object.fromEntries(Object.entries(before).filter(([name]) => name !== 'updatedAt')),
        websiteUrl: 'https://atelier.example/',
        features: ['loyalty'],
        loyaltySettings: { ...loyaltySettings, currencyToPointRatio: 1.5 },
      })
      expect(updatedAt).to.not.equal(before['updatedAt'])
    })

    it('that says what is wrong, and keeps what was written', async () => {
      await goTo(page, path)
      await page.getByLabel('Domains of its pages').fill('good.example http://bad.example')
      await page.getByLabel('Points a unit of currency').fill('many')
      await follow(page.getByRole('button', { name: 'Save' }))
      expect(await page.getByRole('alert').innerText())
        .to.contain('Points a unit of currency is no number')
        .and.to.contain('http://bad.example is not written')
      expect(await page.getByLabel('Points a unit of currency').inputValue()).to.equal('many')
    })

    it('that shows what somebody else changed meanwhile, before it overwrites it', async () => {
      await goTo(page, path)
      const theirs = createUniqueName('Theirs')
      await shop.api.patch(`/v1/applications/${id}`, { name: theirs })
      const mine = createUniqueName('Mine')
      await page.getByLabel('Name', { exact: true }).fill(mine)
      await follow(page.getByRole('button', { name: 'Save' }))
      expect(await page.getByRole('alert').innerText()).to.contain('Somebody has changed the application')
      expect(await page.getByRole('region', { name: 'What is stored now' }).innerText()).to.contain(theirs)
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal(mine)
      expect((await readIt())['name']).to.equal(theirs)
      await follow(page.getByRole('button', { name: 'Save' }))
      expect((await readIt())['name']).to.equal(mine)
    })

    it('and are deleted after a page that says what goes with them, unless they are in use', async () => {
      await shop.api.post('/v1/dpp/products', { application: id, name: 'Bag' })
      await goTo(page, path)
      await follow(page.getByRole('link', { name: 'Delete the application' }))
      expect(await page.getByRole('region', { name: 'What will happen' }).innerText())
        .to.contain('1 domain')
        .and.to.contain('1 sheet')
      await follow(page.getByRole('button', { name: 'Delete the application' }))
      expect(readPath()).to.equal('/console/applications')
      expect((await shop.api.get(`/v1/applications/${id}`)).status).to.equal(404)
      await buildCustomer(shop, 'Ada Byron')
      await goTo(page, `${applications}/${shop.application}/delete`)
      expect(await page.getByRole('status').innerText()).to.contain('cannot be deleted')
      expect(await page.getByRole('button', { name: 'Delete the application' }).count()).to.equal(0)
    })
  })

  it('are those of the own organization, and a viewer sees no action', async () => {
    const foreign = await buildOrganization()
    expect((await page.goto(`${applications}/${foreign.application}`))?.status()).to.equal(404)
    const viewer = getOwnClient(await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization))
    expect((await viewer.get('/console/applications')).text).to.not.contain('/console/applications/new')
    expect((await viewer.get(`/console/applications/${shop.application}`)).text).to.not.contain('/check"')
    expect((await viewer.get('/console/applications/new')).status).to.equal(403)
    const seen = (await viewer.get(`/console/applications/${shop.application}`)).text
    expect(seen).to.not.contain('method="post" action="/console/applications').and.to.not.contain('/delete"')
    expect((await viewer.get(`/console/applications/${shop.application}/delete`)).status).to.equal(403)
    const editor = getOwnClient(await signInMember(await buildMember(shop.organization, 'editor'), shop.organization))
    const changed = (await editor.get(`/console/applications/${shop.application}`)).text
    expect(changed).to.contain(`action="/console/applications/${shop.application}"`).and.to.not.contain('/delete"')
  })

  for (const look of looks)
    it(`fit ${formatLook(look)}, and axe finds nothing`, async () => {
      // Opens what the form says about points.
      await shop.api.patch(`/v1/applications/${shop.application}`, { features: ['loyalty'] })
      await inspectPages(browser, { cookie, look }, [
        '/console/applications',
        '/console/applications/new',
        `/console/applications/${shop.application}`,
        `/console/applications/${shop.application}/delete`,
      ])
    })
})
