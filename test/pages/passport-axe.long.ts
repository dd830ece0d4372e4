import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { newShop } from '../core/passports/fixtures.ts'
import { describeInBrowser, openBrowser } from '../support/chromium.ts'
import { platform } from '../support/platform.ts'
import { bringAxe, faultsOf } from './axe.ts'
import { makeStates, standings, type States } from './passport.states.ts'
import { overhang, picture } from './scenes.ts'

describeInBrowser('The page of a passport, in every state, language, scheme and width', function () {
  this.timeout(120_000)
  let browser: Browser
  let states: States
  before(async () => {
    states = await makeStates(await newShop())
    browser = await openBrowser()
  })
  after(() => browser.close())

  for (const lang of ['en', 'fr']) {
    it(`has no fault that axe knows: ${lang}`, async () => {
      const context = await browser.newContext({ bypassCSP: true })
      for (const standing of standings) {
        const page = await context.newPage()
        await page.goto(`${platform.api}/p/${states.ids[standing]}?lang=${lang}`)
        await bringAxe(page)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          for (const width of [360, 1280]) {
            await page.setViewportSize({ width, height: 740 })
            const name = `${standing}-${lang}-${colorScheme}-${width}`
            expect(await faultsOf(page), name).to.deep.equal([])
            expect(await overhang(page), name).to.equal(0)
            await picture(page, `passport-${name}`, true)
          }
        }
        await page.close()
      }
      await context.close()
    })
  }
})
