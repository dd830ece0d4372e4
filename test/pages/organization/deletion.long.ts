import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { createUniqueName, getOperator, getOwnClient, signInMember } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { dateSessionsBack } from '../../support/rows/identity/organizations/deleted-organizations.ts'
import { buildMember, buildOrganization, type Tenant } from '../../support/world.ts'
import { consoleAddress, follow, goTo, openWindow } from '../loyalty/scenes.ts'
import { inspectPages, looks, tabTo } from '../loyalty/walk.ts'
import { readCodeOnPage } from '../scenes.ts'

const settings = `${consoleAddress}/organization`
const deletion = `${settings}/delete`

describeInBrowser('Console: an organization is deleted and restored', function () {
  this.timeout(120_000)
  let browser: Browser
  let window: BrowserContext
  let page: Page
  let tenant: Tenant
  let cookie: string
  const name = createUniqueName('Aster')
  before(async () => {
    tenant = await buildOrganization()
    cookie = await signInMember(tenant.owner, tenant.organization)
    await getOwnClient(cookie).patch(`/v1/organizations/${tenant.organization}`, { name })
    browser = await openBrowser()
    window = await openWindow(browser, { cookie })
    page = await window.newPage()
  })
  after(() => browser.close())

  /** Sends the form of the deletion with the right name. */
  const postName = (by: string) =>
    fetch(deletion, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        cookie: by,
        origin: new URL(consoleAddress).origin,
      },
      body: new URLSearchParams({ name }).toString(),
    })

  it('is for owners: for others the link and the page are absent', async () => {
    const byAdmin = await signInMember(await buildMember(tenant.organization, 'admin'), tenant.organization)
    const admin = getOwnClient(byAdmin)
    expect((await admin.get('/console/organization')).text).not.to.contain('/console/organization/delete')
    expect((await admin.get('/console/organization/delete')).status).to.equal(403)
    expect((await postName(byAdmin)).status).to.equal(403)
  })

  it('is easy to use in light and dark, on a desk and on a phone, in both languages', async () => {
    await inspectPages(browser, { cookie, look: looks[0] }, ['/console/organization/delete'])
    const paths = ['/console/organization/delete', '/console/organizations', '/console/sessions/end-others']
    await inspectPages(browser, { cookie, look: looks[1] }, paths)
  })

  it('asks for a fresh code, for the name, and brings it back, with the keyboard and without scripts', async () => {
    const { db } = await getOperator()
    await dateSessionsBack(db, tenant.owner, 13)
    await goTo(page, settings)
    await follow(page.getByRole('link', { name: 'Delete the organization' }))
    await page.getByRole('heading', { name: 'Is it you?' }).waitFor()
    await inspectPages(browser, { cookie, look: looks[1] }, ['/console/sign-in/again'])
    const refused = await postName(cookie)
    expect(refused.status).to.equal(403)
    expect(await refused.text()).to.contain('Is it you?')
    await follow(page.getByRole('button', { name: 'Send me a code' }))
    const code = await readCodeOnPage(browser, tenant.owner)
    await page.getByLabel('Your code').fill(code === '000000' ? '000001' : '000000')
    await follow(page.getByRole('button', { name: 'Sign in' }))
    expect(await page.getByRole('alert').innerText()).to.contain('wrong or no longer good')
    await page.getByLabel('Your code').fill(code)
    await follow(page.getByRole('button', { name: 'Sign in' }))
    expect(page.url()).to.equal(deletion)
    expect((await getOwnClient(cookie).get('/v1/auth/session')).status, 'the old session').to.equal(401)

    await page.getByRole('heading', { name: `Delete ${name}?` }).waitFor()
    await page.getByLabel('Name of the organization').fill('Something else')
    await follow(page.getByRole('button', { name: 'Delete the organization' }))
    expect(await page.getByRole('alert').innerText()).to.contain('is not the name of this organization')
    await tabTo(page, '#name')
    await page.keyboard.press('Control+A')
    await page.keyboard.type(name)
    await tabTo(page, 'button.danger')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'No organization yet' }).waitFor()
    const deleted = page.getByRole('region', { name: 'Deleted organizations' })
    expect(await deleted.innerText()).to.contain(name)
    const day = await deleted.locator('time').getAttribute('datetime')
    expect(Date.parse(day ?? '') - Date.now()).to.be.within(29 * 86_400_000, 30 * 86_400_000)
    await tabTo(page, 'main section button')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: `Work for ${name}` }).waitFor()
    expect(await deleted.count()).to.equal(0)
  })
})

describeInBrowser('Console: the sign-in speaks French', () => {
  it('from the address to the sessions', async () => {
    const browser = await openBrowser()
    const window = await browser.newContext({ locale: 'fr-FR', javaScriptEnabled: false })
    const page = await window.newPage()
    const { owner } = await buildOrganization()
    await page.goto(consoleAddress)
    expect(await page.locator('html').getAttribute('lang')).to.equal('fr')
    await page.getByLabel('Votre adresse e-mail').fill('ada@example')
    await follow(page.getByRole('button', { name: 'M’envoyer un code' }))
    expect(await page.getByRole('alert').innerText()).to.contain('l’adresse e-mail')
    await page.getByLabel('Votre adresse e-mail').fill(owner)
    await follow(page.getByRole('button', { name: 'M’envoyer un code' }))
    await page.getByLabel('Votre code').fill(await readCodeOnPage(browser, owner))
    await follow(page.getByRole('button', { name: 'Se connecter' }))
    await goTo(page, `${consoleAddress}/sessions`)
    await page.getByRole('heading', { name: 'Où vous êtes connecté' }).waitFor()
    await goTo(page, `${consoleAddress}/organizations`)
    await page.getByRole('heading', { name: 'Pour qui travaillez-vous' }).waitFor()
    await follow(page.getByRole('button', { name: 'English' }))
    await page.getByRole('heading', { name: 'For whom do you work?' }).waitFor()
    await browser.close()
  })
})
