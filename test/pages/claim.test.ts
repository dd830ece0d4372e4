import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { languages } from '../../core/languages/index.ts'
import { describeInBrowser, openBrowser } from '../support/network/chromium.ts'
import { createApiClient } from '../support/client.ts'
import { platform } from '../support/platform.ts'
import { loadAxe, listAccessibilityFaults } from './axe.ts'
import { createBatchMinted, readCodeOnPage, createMagicLink, takePicture } from './scenes.ts'

describeInBrowser('Claim page on a phone', () => {
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  const phone = async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false })
    return context.newPage()
  }

  it('opens the link, signs in with the code of the outbox page, claims, watches, and sees the passport as claimed', async () => {
    const passport = await createBatchMinted('Weekend bag')
    const page = await phone()
    await page.goto(await createMagicLink(passport))
    expect(await page.title()).to.equal('Claim Weekend bag')
    await takePicture(page, 'claim')
    await page.getByLabel('Your e-mail address').fill('grace@example.com')
    await page.getByRole('button', { name: 'Send me a code' }).click()
    await takePicture(page, 'code')
    await page.getByLabel('Your code').fill(await readCodeOnPage(browser, 'grace@example.com'))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('grace@example.com').waitFor()
    await page.getByRole('button', { name: 'Claim it' }).click()
    await page.getByRole('heading', { name: 'It is yours' }).waitFor({ timeout: 30_000 })
    await takePicture(page, 'claimed')
    await page.getByRole('link', { name: 'See your passport' }).click()
    await page.getByText('This one is yours.').waitFor()
    await takePicture(page, 'passport')
    expect(
      await page.evaluate('document.documentElement.scrollWidth'),
      'nothing is wider than the phone',
    ).to.be.at.most(390)
    expect((await createApiClient(platform.apiKey).get(`/v1/dpp/passports/${passport}`)).body['status']).to.equal(
      'claimed',
    )
  })

  it('is told when the code is wrong, and can go on with the right one', async () => {
    const page = await phone()
    await page.goto(await createMagicLink(await createBatchMinted('Lamp')))
    await page.getByLabel('Your e-mail address').fill('alan@example.com')
    await page.getByRole('button', { name: 'Send me a code' }).click()
    const code = await readCodeOnPage(browser, 'alan@example.com')
    await page.getByLabel('Your code').fill(code === '000000' ? '000001' : '000000')
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await page.getByRole('alert').innerText()).to.contain('wrong or no longer good')
    await page.getByLabel('Your code').fill(code)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Claim it' }).waitFor()
  })

  it('goes the same way in French, from the link to the passport', async () => {
    const context = await browser.newContext({
      bypassCSP: true,
      locale: 'fr-FR',
      viewport: { width: 360, height: 740 },
    })
    const page = await context.newPage()
    const assertAccessible = async () => {
      await loadAxe(page)
      expect(await listAccessibilityFaults(page), page.url()).to.deep.equal([])
    }
    await page.goto(await createMagicLink(await createBatchMinted('Sac')))
    await assertAccessible()
    await page.getByLabel('Votre adresse e-mail').fill('marie@example.com')
    await page.getByRole('button', { name: 'Envoyez-moi un code' }).click()
    await page.getByLabel('Votre code').fill(await readCodeOnPage(browser, 'marie@example.com'))
    await assertAccessible()
    await takePicture(page, 'claim-code-fr')
    await page.getByRole('button', { name: 'Se connecter' }).click()
    await page.getByRole('button', { name: 'Le revendiquer' }).click()
    await page.getByRole('heading', { name: 'Il est à vous' }).waitFor({ timeout: 30_000 })
    await page.getByRole('link', { name: 'Voir votre passeport' }).click()
    await page.getByText('Cet article est à vous.').waitFor()
    await page.goto(`${platform.api}/p/00000000-0000-4000-8000-000000000000`)
    await takePicture(page, 'error-fr')
    expect(await page.getByRole('heading').innerText()).to.equal('Nous ne connaissons pas ce produit')
    await context.close()
  })

  it('learns from a used or broken link what to do, and never sees a stack', async () => {
    const page = await phone()
    for (const link of [`${platform.api}/claim`, `${platform.api}/claim?token=nonsense`]) {
      const answer = await page.goto(link)
      expect(answer?.status()).to.equal(400)
      expect(await page.getByRole('heading').first().innerText()).to.equal('This link does not work')
    }
  })

  it('gets through with the keyboard alone', async () => {
    const page = await phone()
    /** Goes on to what comes first in the content: past the link to it, and past the four other languages. */
    const passLanguages = async () => {
      for (let press = 0; press < 1 + languages.length; press++) await page.keyboard.press('Tab')
    }
    await page.goto(await createMagicLink(await createBatchMinted('Chair')))
    await passLanguages()
    await page.keyboard.type('keys@example.com')
    await page.keyboard.press('Enter')
    await page.getByLabel('Your code').waitFor()
    const code = await readCodeOnPage(browser, 'keys@example.com')
    await passLanguages()
    await page.keyboard.type(code)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Claim it' }).waitFor()
    await passLanguages()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'It is yours' }).waitFor({ timeout: 30_000 })
  })

  it('meets no missing page behind a link of ours', async () => {
    const page = await phone()
    const answer = await page.goto(`${platform.api}/p/00000000-0000-4000-8000-000000000000`)
    expect(answer?.status()).to.equal(404)
    expect(await page.getByRole('heading').innerText()).to.equal('We do not know this product')
  })
})
