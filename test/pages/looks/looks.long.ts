import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { lookNames, starts } from '../../../core/features/applications/index.ts'
import { createEmail, signInBuyer } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { platform } from '../../support/platform.ts'
import { buildShop, type Shop } from '../../support/world.ts'
import { listAccessibilityFaults, loadAxe } from '../axe.ts'
import { brandPictures, holdBrandPictures } from '../brand/pictures.ts'
import { measureOverhang, takePicture } from '../scenes.ts'
import { brandTexts, createShownItems, setTheme } from './scenes.ts'

/** The most bytes of a first look at a passport, without its pictures. */
const maxFirstLook = 60_000

const pictures = { logoUrl: brandPictures.logo, bgImageUrl: brandPictures.shop }

describeInBrowser('Looks of an application', function () {
  this.timeout(300_000)
  let browser: Browser
  let shop: Shop
  let slug: string
  let items: { pictured: string; plain: string }
  before(async () => {
    shop = await buildShop()
    items = await createShownItems(shop)
    slug = String((await shop.api.get(`/v1/applications/${shop.application}`)).body['slug'])
    browser = await openBrowser()
    await holdBrandPictures(browser, shop.organization)
  })
  after(() => browser.close())

  const listPages = (): [name: string, path: string][] => [
    ['passport', `/p/${items.pictured}`],
    ['passport-plain', `/p/${items.plain}`],
    ['claim', `/claim?passport=${items.plain}`],
    ['me', `/me?application=${slug}`],
  ]

  const watchPolicy = (page: Page): string[] => {
    const refused: string[] = []
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) refused.push(message.text())
    })
    return refused
  }

  for (const look of lookNames)
    it(`${look}: axe finds nothing on a phone and on a desk, in light and dark, and nothing sticks out`, async () => {
      await setTheme(shop, { title: 'Alba', ...starts[look], mode: 'auto', texts: brandTexts, ...pictures })
      const context = await browser.newContext({ bypassCSP: true })
      const { body } = await signInBuyer(shop.application, createEmail('buyer'))
      const session = { name: 'tessera.user', value: String(body['token']), url: platform.api }
      for (const [page, path] of [...listPages(), ['me-signed-in', `/me?application=${slug}`] as const]) {
        if (page === 'me-signed-in') await context.addCookies([session])
        const window = await context.newPage()
        await window.goto(`${platform.api}${path}${path.includes('?') ? '&' : '?'}lang=en`)
        await window.evaluate('document.fonts.ready')
        await loadAxe(window)
        for (const colorScheme of ['light', 'dark'] as const)
          for (const width of [360, 1280]) {
            await window.emulateMedia({ colorScheme })
            await window.setViewportSize({ width, height: 800 })
            const seen = `${look}-${page}-${colorScheme}-${width}`
            await takePicture(window, seen, true)
            expect(await listAccessibilityFaults(window), seen).to.deep.equal([])
            expect(await measureOverhang(window), seen).to.equal(0)
          }
        await window.close()
      }
      await context.close()
    })

  it('loads one file of a font from our own origin, within the policy of the page and the budget of a first look', async () => {
    for (const googleFont of ['Inter', 'Open Sans', 'Jost', 'Cormorant Garamond']) {
      await setTheme(shop, { title: 'Alba', look: 'quiet', googleFont, texts: brandTexts, ...pictures })
      const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
      const page = await context.newPage()
      const refused = watchPolicy(page)
      const line = await context.newCDPSession(page)
      await line.send('Network.enable')
      const [addresses, sizes] = [new Map<string, string>(), new Map<string, number>()]
      line.on('Network.requestWillBeSent', ({ requestId, request }) => addresses.set(requestId, request.url))
      line.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => sizes.set(requestId, encodedDataLength))
      await page.goto(`${platform.api}/p/${items.pictured}`, { waitUntil: 'networkidle' })
      const own = [...addresses].filter(([, address]) => address.startsWith(platform.api))
      const fonts = own.filter(([, address]) => address.endsWith('.woff2'))
      expect(fonts, googleFont).to.have.length(1)
      expect(await page.evaluate(`document.fonts.check('16px "${googleFont}"')`), googleFont).to.equal(true)
      const plain = own.filter(([, address]) => !address.endsWith('.webp'))
      expect(plain.length, googleFont).to.be.lessThan(own.length)
      const taken = plain.map(([id, address]) => ({ path: new URL(address).pathname, bytes: sizes.get(id) ?? 0 }))
      const bytes = taken.reduce((sum, one) => sum + one.bytes, 0)
      expect(bytes, `${googleFont}: ${JSON.stringify(taken)}`).to.be.at.most(maxFirstLook)
      expect(refused, googleFont).to.deep.equal([])
      await context.close()
    }
  })
})
