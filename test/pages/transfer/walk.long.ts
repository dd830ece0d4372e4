import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { languages } from '../../../core/languages/index.ts'
import { createEmail, listMessagesTo, signInBuyer, signInMember } from '../../core/identity/people.ts'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'
import { createApiClient } from '../../support/client.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { platform } from '../../support/platform.ts'
import { buildBuyer, buildPublishedPassport, buildSheet, buildShop, type Shop } from '../../support/world.ts'
import { listAccessibilityFaults, loadAxe } from '../axe.ts'
import { inspectPages, looks, tabTo } from '../loyalty/walk.ts'
import { measureOverhang, readCodeOnPage, takePicture } from '../scenes.ts'

describeInBrowser('Passing a passport on, by keyboard', function () {
  this.timeout(240_000)
  let browser: Browser
  let shop: Shop
  let sheet: string
  before(async () => {
    browser = await openBrowser()
    shop = await buildShop()
    sheet = await buildSheet(shop)
  })
  after(() => browser.close())

  async function openPhone(token?: string, locale = 'en-US'): Promise<Page> {
    const context = await browser.newContext({
      bypassCSP: true,
      locale,
      viewport: { width: 360, height: 740 },
    })
    if (token !== undefined) await context.addCookies([{ name: 'tessera.user', value: token, url: platform.api }])
    return context.newPage()
  }
  const signIn = async (email: string) => String((await signInBuyer(shop.application, email)).body['token'])
  async function claim(email: string, token: string): Promise<string> {
    const { id } = await buildPublishedPassport(shop, sheet, { allowedClaimEmail: email })
    const api = createApiClient({ bearer: token })
    const { body } = await api.post('/v1/dpp/claim', { passport: id })
    await waitForJob(api, `/v1/dpp/claim/${body.jobId}/status`)
    return id
  }
  async function assertGood(page: Page, name: string): Promise<void> {
    await loadAxe(page)
    expect(await listAccessibilityFaults(page), page.url()).to.deep.equal([])
    expect(await measureOverhang(page), page.url()).to.equal(0)
    await takePicture(page, name, true)
  }
  const press = async (page: Page, selector: string) => {
    await tabTo(page, selector)
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
  }
  const readLink = async (address: string): Promise<string> => {
    const message = (await listMessagesTo(address)).find(({ text }) => text.includes('/transfer?token='))
    return /\/transfer\?token=[\w-]+/.exec(message?.text ?? '')?.[0] ?? ''
  }

  it('goes from the passport over the form and the mail to the new owner', async () => {
    const [from, to] = [createEmail('giver'), createEmail('getter')]
    const token = await signIn(from)
    const passport = await claim(from, token)
    const page = await openPhone(token)
    await page.goto(`${platform.api}/p/${passport}`)
    await press(page, `a[href="/p/${passport}/transfer"]`)
    await assertGood(page, 'transfer-form')
    await tabTo(page, '#email')
    await page.keyboard.type(to)
    await press(page, 'button')
    await page.getByText('The message is on its way').waitFor()
    await assertGood(page, 'transfer-me')

    const taker = await openPhone()
    await taker.goto(`${platform.api}${await readLink(to)}`)
    await assertGood(taker, 'transfer-link')
    await tabTo(taker, '#email')
    await taker.keyboard.type(to)
    await press(taker, 'button')
    await assertGood(taker, 'transfer-code')
    await tabTo(taker, '#otp')
    await taker.keyboard.type(await readCodeOnPage(browser, to))
    await press(taker, 'button')
    await assertGood(taker, 'transfer-answers')
    await press(taker, 'form[action="/transfer"] button')
    await taker.getByText('The item was passed on to you').waitFor({ timeout: 30_000 })
    await assertGood(taker, 'transfer-done')
    await page.reload()
    await page.getByText('passed on', { exact: false }).first().waitFor()
  })

  for (const language of languages)
    it(`has pages that everybody can use in ${language}`, async () => {
      const [from, to] = [createEmail('giver'), createEmail('getter')]
      const [token, other] = [await signIn(from), await signIn(createEmail('stranger'))]
      const passport = await claim(from, token)
      const page = await openPhone(token, language)
      await page.goto(`${platform.api}/p/${passport}/transfer`)
      expect(await page.locator('html').getAttribute('lang')).to.equal(language)
      await assertGood(page, `transfer-form-${language}`)
      await page.locator('#email').fill(to)
      await page.locator('form button').first().click()
      await page.waitForURL(/\/me/)
      await assertGood(page, `transfer-me-${language}`)
      await page.goto(`${platform.api}/p/${passport}/transfer`)
      await assertGood(page, `transfer-closed-${language}`)
      const stranger = await openPhone(other, language)
      const link = await readLink(to)
      for (const path of [`/p/${passport}/transfer`, link, '/transfer?token=nothing']) {
        await stranger.goto(`${platform.api}${path}`)
        await assertGood(stranger, `transfer-stranger-${language}`)
      }
      const anybody = await openPhone(undefined, language)
      await anybody.goto(`${platform.api}/p/${passport}/transfer`)
      await assertGood(anybody, `transfer-proof-${language}`)
      const free = (await buildPublishedPassport(shop, sheet)).id
      await stranger.goto(`${platform.api}/claim?passport=${free}`)
      await stranger.locator('form[action="/claim"] button').click()
      await assertGood(stranger, `claim-ask-${language}`)
      await stranger.locator('form[action="/claim/ask"] button').click()
      await assertGood(stranger, `claim-asked-${language}`)
    })

  it('lets members decide about requests with the keyboard, in each look', async () => {
    const passport = (await buildPublishedPassport(shop, sheet)).id
    const [email, cookie] = [createEmail('asking'), await signInMember(shop.owner, shop.organization)]
    const buyer = await buildBuyer(shop, email)
    expect((await buyer.post('/v1/dpp/claim/requests', { passport, text: 'A gift.' })).status).to.equal(204)
    const list = '/console/claim-requests'
    for (const look of looks) await inspectPages(browser, { cookie, look }, [list, `${list}?state=declined`])
    const [name = '', value = ''] = cookie.split('=')
    const context = await browser.newContext()
    await context.addCookies([{ name, value, url: platform.api }])
    const page = await context.newPage()
    await page.goto(`${platform.api}${list}`)
    await press(page, 'button[value="approve"]')
    expect((await listMessagesTo(email))[0]?.text).to.contain('/claim?token=')
  })
})
