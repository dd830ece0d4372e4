import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import {
  buildIssuingShop,
  publicAddress,
  startGoogleStage,
  type GoogleStage,
} from '../../core/loyalty/cards/google/stage.ts'
import { signInBuyer } from '../../core/identity/people.ts'
import { languages } from '../../../core/languages/index.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import type { Shop } from '../../support/world.ts'
import { listAccessibilityFaults, loadAxe } from '../axe.ts'
import { createVisitor, listLinks, readForm, type Visitor } from '../passports/visitor.ts'
import { measureOverhang, takePicture } from '../scenes.ts'

const messagesPath = '/me/wallets/google-wallet/messages'

describeInBrowser('/me and the cards of a buyer: accessibility in every state, color scheme and width', function () {
  this.timeout(240_000)
  let browser: Browser
  let stage: GoogleStage
  let shop: Shop
  before(async () => {
    stage = await startGoogleStage()
    shop = await buildIssuingShop(stage, { title: 'Nuova Casa', primaryColor: '#0a7d54' })
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await stage.stop()
  })

  async function signIn(): Promise<{ token: string; visitor: Visitor; cardPath: string }> {
    const token = String((await signInBuyer(shop.application)).body['token'])
    const visitor = createVisitor(`tessera.user=${token}`, stage.api, publicAddress)
    const cardPath = listLinks(await visitor.get('/me')).find((each) => each.includes('/google-wallet')) ?? ''
    return { token, visitor, cardPath }
  }

  async function look(name: string, token: string, path: string): Promise<void> {
    const context = await browser.newContext({ bypassCSP: true })
    await context.addCookies([{ name: 'tessera.user', value: token, url: stage.api }])
    const page = await context.newPage()
    await page.goto(`${stage.api}${path}`)
    await loadAxe(page)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 740 })
        const seen = `wallets-${name}-${colorScheme}-${width}`
        expect(await listAccessibilityFaults(page), seen).to.deep.equal([])
        expect(await measureOverhang(page), seen).to.equal(0)
        await takePicture(page, seen, true)
      }
    }
    await context.close()
  }

  it('has no fault that axe knows before the card is saved, with it, without its messages, and where there is none', async () => {
    const { token, visitor, cardPath } = await signIn()
    for (const language of languages) await look(`none-${language}`, token, `/me?lang=${language}`)
    const object = await stage.phone.save(String((await visitor.get(cardPath)).headers['location']))
    for (const language of languages) await look(`held-${language}`, token, `/me?lang=${language}`)
    await visitor.post(messagesPath, readForm(await visitor.get('/me'), messagesPath))
    await look('quiet', token, '/me')
    await stage.phone.delete(object)
    stage.google.failures.push('down')
    await look('failure', token, cardPath)
  })
})
