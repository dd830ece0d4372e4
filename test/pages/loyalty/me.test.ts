import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { createEmail, getOperator, signInBuyer } from '../../core/identity/people.ts'
import { getAccountId } from '../../core/loyalty/accounts/accounts.maker.ts'
import { createApiClient } from '../../support/client.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { platform } from '../../support/platform.ts'
import { insertHeldPictures } from '../../support/rows/pictures/pictures.ts'
import { buildBuyer, buildPublishedPassport, buildSheet, buildShop, type Shop } from '../../support/world.ts'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'
import { listAccessibilityFaults, loadAxe } from '../axe.ts'
import { measureOverhang, readCodeOnPage, takePicture } from '../scenes.ts'
import { creditPoints, goTo, openWindow, follow } from './scenes.ts'

const me = `${platform.api}/me`

/** Signs a person in. @returns the token of the session */
const readToken = async (application: string, email: string): Promise<string> =>
  String((await signInBuyer(application, email)).body['token'])

/** The slug of an application, with its looks changed first. */
async function dressUp({ api, application }: Shop, theme: object): Promise<string> {
  const changed = await api.patch(`/v1/applications/${application}`, { theme })
  expect(changed.status, changed.text).to.equal(200)
  return String(changed.body['slug'])
}

describeInBrowser('The page of a buyer', function () {
  this.timeout(60_000)
  let browser: Browser
  let shop: Shop
  let slug: string
  before(async () => {
    shop = await buildShop()
    slug = await dressUp(shop, { title: 'Alba Bags', primaryColor: '#e8b400', mode: 'light' })
    browser = await openBrowser()
  })
  after(() => browser.close())

  const openPage = async (address: string, options: { cookie?: string; width?: number } = {}): Promise<Page> => {
    const page = await (await openWindow(browser, { width: 360, ...options })).newPage()
    await goTo(page, address)
    return page
  }

  it('signs in with a code, shows points and their entries in the colours of the application, and signs out', async () => {
    const email = createEmail('buyer')
    await creditPoints(shop, getAccountId(await signInBuyer(shop.application, email)), 1_250, 'Opening')
    const page = await openPage(`${me}?application=${slug}`)
    await takePicture(page, 'me-sign-in', true)
    expect(await page.getByRole('heading', { level: 1 }).innerText()).to.equal('Yours at Alba Bags')
    await page.getByLabel('Your e-mail address').fill(email)
    await follow(page.getByRole('button', { name: 'Send me a code' }))
    const code = await readCodeOnPage(browser, email)
    await page.getByLabel('Your code').fill(code === '000000' ? '000001' : '000000')
    await follow(page.getByRole('button', { name: 'Sign in' }))
    expect(await page.getByRole('alert').innerText()).to.contain('wrong or no longer good')
    await page.getByLabel('Your code').fill(code)
    await follow(page.getByRole('button', { name: 'Sign in' }))
    expect(await page.getByRole('region', { name: 'Points' }).innerText()).to.contain('1,250 points')
    const [entry] = await page.locator('tbody tr').allInnerTexts()
    expect(entry?.replace(/\s+/g, ' ')).to.match(/^Points for you: Opening \d+ \w+ \d+ \+1,250 1,250$/)
    expect(await page.getByText('No passport yet').count()).to.equal(1)
    expect(await measureOverhang(page)).to.equal(0)
    await takePicture(page, 'me', true)
    await follow(page.getByRole('button', { name: 'Sign out' }))
    expect(await page.getByLabel('Your e-mail address').count()).to.equal(1)
  })

  it('shows passports to whoever claimed them, in French, and asks for a sign-in at another application', async () => {
    const email = createEmail('buyer')
    const buyer = await buildBuyer(shop, email)
    const sheet = await buildSheet(shop, { passportsFields: [{ name: 'front', type: 'image' }] })
    const pictures = ['sand', 'ink'].map((colour) => `https://example.com/${colour}.png`)
    const owned: string[] = []
    for (const front of pictures) {
      const { id } = await buildPublishedPassport(shop, sheet, { allowedClaimEmail: email, fields: { front } })
      const { body } = await buyer.post('/v1/dpp/claim', { passport: id })
      expect((await waitForJob(buyer, `/v1/dpp/claim/${body['jobId']}/status`)).status).to.equal('completed')
      owned.unshift(id)
    }
    await insertHeldPictures((await getOperator()).db, shop.organization, pictures, Buffer.from('a picture'))
    const cookie = `tessera.user=${await readToken(shop.application, email)}`
    const page = await openPage(`${me}?lang=fr`, { cookie })
    expect(await page.getByRole('heading', { level: 1 }).innerText()).to.equal('À vous chez Alba Bags')
    expect(await page.locator('.owned li').allInnerTexts()).to.have.length(2)
    // The pictures come from us, so that their host does not learn who looks at what they own.
    const sources = await page
      .locator('.owned img')
      .evaluateAll((all) => all.map((one) => one.getAttribute('src') ?? ''))
    expect(sources.map((source) => source.replace(/[0-9a-f]{64}/, '…'))).to.deep.equal(
      owned.map((id) => `/p/${id}/pictures/….webp`),
    )
    for (const source of sources) expect((await createApiClient().get(source)).status).to.equal(200)
    await takePicture(page, 'me-fr', true)
    await follow(page.getByRole('link', { name: 'Bag', exact: true }).first())
    expect(page.url()).to.equal(`${platform.api}/p/${owned[0]}?lang=fr`)
    const other = await dressUp(await buildShop(), {})
    await goTo(page, `${me}?application=${other}`)
    expect(await page.getByLabel('Your e-mail address').count()).to.equal(1)
    expect(await page.getByText(email).count()).to.equal(0)
  })

  it('keeps text readable whatever colour the application has', async () => {
    const page = await (await browser.newContext({ bypassCSP: true })).newPage()
    for (const [primaryColor, mode] of [
      ['#fff700', 'light'],
      ['#000', 'dark'],
      ['#777777', 'auto'],
      ['#777777', 'system'],
    ]) {
      await dressUp(shop, { primaryColor, mode, secondaryColor: '#c0ffee' })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await goTo(page, `${me}?application=${slug}`)
        await loadAxe(page)
        expect(await listAccessibilityFaults(page), `${primaryColor} ${mode} ${colorScheme}`).to.deep.equal([])
      }
    }
  })
})

describe('GET /me', () => {
  it('asks whose customer the reader is when neither a session nor the address says it', async () => {
    const answer = await createApiClient().get('/me?lang=fr')
    expect(answer.status).to.equal(400)
    expect(answer.text).to.contain('<html lang="fr">').and.to.contain('De quelle boutique êtes-vous client')
  })

  it('knows no application of a slug that none has', async () => {
    expect((await createApiClient().get('/me?application=no-such-shop')).status).to.equal(404)
    expect((await createApiClient().get('/me/looks.css?application=no-such-shop')).status).to.equal(404)
  })
})
