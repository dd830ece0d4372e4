import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { languages } from '../../core/languages/index.ts'
import { buildShop } from '../support/world.ts'
import { describeInBrowser, openBrowser } from '../support/network/chromium.ts'
import { platform } from '../support/platform.ts'
import { loadAxe, listAccessibilityFaults } from './axe.ts'
import { createStates, passportStandings, type PassportStates } from './passport.states.ts'
import { measureOverhang, takePicture } from './scenes.ts'

describeInBrowser('GET /p/{id}: accessibility in every state, language, color scheme and width', function () {
  this.timeout(120_000)
  let browser: Browser
  let states: PassportStates
  before(async () => {
    states = await createStates(await buildShop())
    browser = await openBrowser()
  })
  after(() => browser.close())

  for (const lang of languages) {
    it(`has no fault that axe knows: ${lang}`, async () => {
      const context = await browser.newContext({ bypassCSP: true })
      for (const standing of passportStandings) {
        const page = await context.newPage()
        await page.goto(`${platform.api}/p/${states.ids[standing]}?lang=${lang}`)
        await loadAxe(page)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          for (const width of [320, 360, 1280]) {
            await page.setViewportSize({ width, height: 740 })
            const name = `${standing}-${lang}-${colorScheme}-${width}`
            expect(await listAccessibilityFaults(page), name).to.deep.equal([])
            expect(await measureOverhang(page), name).to.equal(0)
            await takePicture(page, `passport-${name}`, true)
          }
        }
        await page.close()
      }
      await context.close()
    })
  }
})
