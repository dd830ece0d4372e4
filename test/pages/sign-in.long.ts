import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { addMember } from '../../core/features/identity/index.ts'
import { createEmail, getOperator, signInMember } from '../core/identity/people.ts'
import { buildMember, buildOrganization, type Tenant } from '../support/world.ts'
import { describeInBrowser, openBrowser } from '../support/network/chromium.ts'
import { createApiClient } from '../support/client.ts'
import { platform } from '../support/platform.ts'
import { loadAxe, listAccessibilityFaults } from './axe.ts'
import { readCodeOnPage, measureOverhang, takePicture, signInByPages } from './scenes.ts'

const console = `${platform.api}/console`
const form = (path: string, fields: Record<string, string>, headers: Record<string, string>) =>
  createApiClient().post(path, undefined, {
    raw: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })

describeInBrowser('Console: sign-in on a phone without scripts', () => {
  let browser: Browser
  let tenant: Tenant
  let context: BrowserContext
  before(async () => {
    tenant = await buildOrganization()
    browser = await openBrowser()
  })
  after(() => browser.close())
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 360, height: 740 }, javaScriptEnabled: false })
  })
  afterEach(() => context.close())

  const opened = async (path = ''): Promise<Page> => {
    const page = await context.newPage()
    await page.goto(`${console}${path}`)
    return page
  }

  it('is led to the sign-in, and with the code to the page that was wanted; one organization is chosen at once', async () => {
    const page = await opened('/imports/new')
    expect(new URL(page.url()).pathname).to.equal('/console/sign-in')
    await takePicture(page, 'sign-in')
    expect(await measureOverhang(page)).to.equal(0)
    await signInByPages(browser, page, tenant.owner)
    expect(new URL(page.url()).pathname).to.equal('/console/imports/new')
    expect(await page.locator('header').innerText()).to.contain('Owner')
    await page.getByRole('button', { name: 'Menu' }).click()
    expect(await page.locator('#menu').innerText()).to.contain(tenant.owner)
    const cookie = (await context.cookies()).find(({ name }) => name === 'tessera.session')
    expect(cookie).to.include({ httpOnly: true, sameSite: 'Lax', path: '/' })
    await page.getByRole('button', { name: 'Sign out' }).click()
    expect(new URL(page.url()).pathname).to.equal('/console/sign-in')
    expect((await context.cookies()).map(({ name }) => name)).not.to.include('tessera.session')
  })

  it('chooses among several organizations, and changes over', async () => {
    const other = await buildOrganization()
    const address = await buildMember(tenant.organization, 'viewer')
    await addMember(await getOperator(), other.organization, address, 'editor')
    const page = await opened()
    await signInByPages(browser, page, address)
    await page.getByRole('heading', { name: 'For whom do you work?' }).waitFor()
    await takePicture(page, 'organizations')
    await page
      .getByRole('button', { name: /^Work for/ })
      .nth(1)
      .click()
    const first = await page.locator('header').innerText()
    await page.getByRole('link', { name: 'change' }).click()
    await page
      .getByRole('button', { name: /^Work for/ })
      .first()
      .click()
    const second = await page.locator('header').innerText()
    expect([first, second].map((text) => /Viewer|Editor/.exec(text)?.[0]).sort()).to.deep.equal(['Editor', 'Viewer'])
  })

  it('is told when no organization knows the address, when the code is wrong, and when the address is none', async () => {
    const address = createEmail('nobody')
    const page = await opened()
    await page.getByLabel('Your e-mail address').fill('ada@example')
    await page.getByRole('button', { name: 'Send me a code' }).click()
    expect(await page.getByRole('alert').innerText()).to.contain('Please check: email')
    expect(await page.getByLabel('Your e-mail address').inputValue()).to.equal('ada@example')
    await page.getByLabel('Your e-mail address').fill(address)
    await page.getByRole('button', { name: 'Send me a code' }).click()
    const code = await readCodeOnPage(browser, address)
    await page.getByLabel('Your code').fill(code === '000000' ? '000001' : '000000')
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await page.getByRole('alert').innerText()).to.contain('wrong or no longer good')
    await page.getByLabel('Your code').fill(code)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'No organization yet' }).waitFor()
    await page.goto(`${console}/imports`)
    await page.getByRole('heading', { name: 'No organization yet' }).waitFor()
  })

  it('sees where they are signed in and ends it, without scripts', async () => {
    const lost = createApiClient({ cookie: await signInMember(tenant.owner) })
    const page = await opened('/imports')
    await signInByPages(browser, page, tenant.owner)
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'Where you are signed in' }).click()
    await page.getByRole('heading', { name: 'Where you are signed in' }).waitFor()
    await takePicture(page, 'sessions')
    expect(await measureOverhang(page)).to.equal(0)
    expect(await page.getByText('This one').count()).to.equal(1)
    const shown = await page.locator('article').count()
    await page
      .getByRole('link', { name: /^End the session since/ })
      .first()
      .click()
    await page.getByText('Whoever uses it is signed out at once').waitFor()
    await page.getByRole('button', { name: 'End the session' }).click()
    await page.getByRole('heading', { name: 'Where you are signed in' }).waitFor()
    expect(await page.locator('article').count()).to.equal(shown - 1)
    expect((await lost.get('/v1/auth/session')).status).to.equal(401)
    if (shown > 2) {
      await page.getByRole('link', { name: 'End all others' }).click()
      await page.getByRole('heading', { name: 'End all other sessions?' }).waitFor()
      await page.getByRole('button', { name: 'End all others' }).click()
    }
    expect(await page.locator('article').count()).to.equal(1)
    const storageState = await context.storageState()
    for (const colorScheme of ['light', 'dark'] as const) {
      const bare = await browser.newContext({
        colorScheme,
        storageState,
        viewport: { width: 360, height: 740 },
        bypassCSP: true,
      })
      const watched = await bare.newPage()
      await watched.goto(`${console}/sessions`)
      await loadAxe(watched)
      expect(await listAccessibilityFaults(watched), colorScheme).to.deep.equal([])
      await bare.close()
    }
  })

  it('gets in with the keyboard alone', async () => {
    const page = await opened()
    for (const key of ['Tab', 'Tab']) await page.keyboard.press(key)
    await page.keyboard.type(tenant.owner)
    await page.keyboard.press('Enter')
    await page.getByLabel('Your code').waitFor()
    const code = await readCodeOnPage(browser, tenant.owner)
    for (const key of ['Tab', 'Tab']) await page.keyboard.press(key)
    await page.keyboard.type(code)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor()
  })

  it('keeps a member apart from a buyer signed in to the same browser', async () => {
    const page = await opened()
    await context.addCookies([{ name: 'tessera.user', value: 'stale-token', url: platform.api }])
    await signInByPages(browser, page, tenant.owner)
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor()
  })
})

describe('Console: the sign-in page', () => {
  it('takes no form of another site, so that nobody is signed in as somebody else', async () => {
    for (const headers of [{}, { origin: 'https://evil.example' }, { origin: 'null' }] as Record<string, string>[]) {
      for (const [path, fields] of [
        ['/console/sign-in', { email: 'ada@example.com' }],
        ['/console/sign-in/code', { email: 'ada@example.com', otp: '123456' }],
      ] as const) {
        expect((await form(path, fields, headers)).status, JSON.stringify(headers)).to.equal(403)
      }
    }
  })

  it('goes on to pages of its own only', async () => {
    for (const next of [
      'https://evil.example/',
      '//evil.example',
      '/console/../dev/outbox',
      '/console/imports"><script>',
    ]) {
      const { text } = await createApiClient().get(`/console/sign-in?next=${encodeURIComponent(next)}`)
      expect(text).to.contain('name="next" value="/console"')
    }
  })

  it('takes no frame, no script and no cache', async () => {
    const { headers } = await createApiClient().get('/console/sign-in')
    expect(headers['content-security-policy']).to.contain("frame-ancestors 'none'").and.to.contain("default-src 'none'")
    expect(headers['content-security-policy']).not.to.contain('script-src')
    expect(headers['cache-control']).to.equal('no-store')
  })
})
