import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { createUniqueName, getOwnClient, signInMember } from '../../core/identity/people.ts'
import { createApiClient } from '../../support/client.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { buildMember, buildOrganization, type Tenant } from '../../support/world.ts'
import { consoleAddress, follow, goTo, openWindow } from '../loyalty/scenes.ts'
import { formatLook, inspectPages, looks, tabTo } from '../loyalty/walk.ts'

const settings = `${consoleAddress}/organization`

describeInBrowser('Console: the organization itself', function () {
  this.timeout(120_000)
  let browser: Browser
  let window: BrowserContext
  let page: Page
  let tenant: Tenant
  let cookie: string
  before(async () => {
    tenant = await buildOrganization()
    cookie = await signInMember(tenant.owner, tenant.organization)
    browser = await openBrowser()
    window = await openWindow(browser, { cookie })
    page = await window.newPage()
  })
  after(() => browser.close())

  const read = async () => (await createApiClient(tenant.key).get(`/v1/organizations/${tenant.organization}`)).body

  it('is changed with the keyboard alone, and keeps what the form says', async () => {
    await goTo(page, settings)
    const name = createUniqueName('Aster')
    await tabTo(page, '#name')
    await page.keyboard.press('Control+A')
    await page.keyboard.type(name)
    await page.getByLabel('Time zone').selectOption('Europe/Paris')
    await tabTo(page, '#locale')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('fr-FR')
    await tabTo(page, 'input[name=phoneCodes]')
    await page.keyboard.press('Space')
    await tabTo(page, 'form.card button')
    await page.keyboard.press('Enter')
    await page.getByText('Your changes are kept.').waitFor()
    expect(await read()).to.deep.include({ name, timeZone: 'Europe/Paris', locale: 'fr-FR', preferredCurrency: null })
    const shown = await createApiClient().get(`/v1/applications/${tenant.application}`)
    expect(shown.body['signInMethods']).to.deep.equal(['email-otp', 'phone-otp'])
  })

  it('says what happens to buyers before a way to sign in ends', async () => {
    const listMethods = async () =>
      (await createApiClient().get(`/v1/applications/${tenant.application}`)).body['signInMethods']
    await goTo(page, settings)
    await page.getByLabel('With a code by text message').uncheck()
    await follow(page.getByRole('button', { name: 'Save' }))
    await page.getByRole('heading', { name: 'End these ways to sign in?' }).waitFor()
    await page.getByText('No buyer can sign in like this any more: With a code by text message.').waitFor()
    expect(await listMethods(), 'nothing was done yet').to.deep.equal(['email-otp', 'phone-otp'])
    await follow(page.getByRole('button', { name: 'Save and end them' }))
    await page.getByText('Your changes are kept.').waitFor()
    expect(await listMethods()).to.deep.equal(['email-otp'])
    expect((await read())['timeZone']).to.equal('Europe/Paris')
  })

  it('takes its currency once, and shows it from then on', async () => {
    await goTo(page, settings)
    await page.getByLabel('Currency of your bills').selectOption('EUR')
    await follow(page.getByRole('button', { name: 'Save' }))
    expect((await read())['preferredCurrency']).to.equal('EUR')
    expect(await page.getByLabel('Currency of your bills').count()).to.equal(0)
    expect(await page.getByText('Currency of your bills: EUR').count()).to.equal(1)
  })

  it('says what is refused, and the form keeps what was written', async () => {
    const other = await createApiClient((await buildOrganization()).key).get('/v1/organizations')
    const [{ slug: taken } = { slug: '' }] = other.body['data'] as unknown as { slug: string }[]
    await goTo(page, settings)
    for (const [field, text, alert] of [
      ['Name in addresses', taken, /Another organization has this name/],
      ['Name in addresses', 'Not A Slug', /Name in addresses is not written/],
      ['Language of mails', 'klingon!', /Language of mails/],
    ] as const) {
      await goTo(page, settings)
      await page.getByLabel(field, { exact: true }).fill(text)
      await follow(page.getByRole('button', { name: 'Save' }))
      expect(await page.getByRole('alert').innerText()).to.match(alert)
      expect(await page.getByLabel(field, { exact: true }).inputValue()).to.equal(text)
    }
  })

  it('is only read by an editor, and a role that was just taken away changes nothing more', async () => {
    const email = await buildMember(tenant.organization, 'admin')
    const theirs = await (
      await openWindow(browser, { cookie: await signInMember(email, tenant.organization) })
    ).newPage()
    await goTo(theirs, settings)
    await theirs.getByLabel('Name', { exact: true }).fill('Taken over')
    const owner = getOwnClient(cookie)
    const listed = await owner.get(`/v1/organizations/${tenant.organization}/members?filters[user.email][eq]=${email}`)
    const [member] = listed.body['data'] as unknown as { id: string }[]
    await owner.patch(`/v1/organizations/${tenant.organization}/members/${member?.id}`, { role: 'editor' })
    await follow(theirs.getByRole('button', { name: 'Save' }))
    expect(await theirs.getByRole('heading', { level: 1 }).innerText()).to.not.equal('Organization')
    expect((await read())['name']).to.not.equal('Taken over')
    await goTo(theirs, settings)
    expect(await theirs.getByRole('button', { name: 'Save' }).count()).to.equal(0)
    expect(await theirs.locator('dl').innerText()).to.contain('Europe/Paris')
    await theirs.context().close()
  })

  for (const look of looks)
    it(`has no fault that axe finds, and nothing is cut off, ${formatLook(look)}`, async () => {
      await inspectPages(browser, { cookie, look }, ['/console/organization'])
    })
})
