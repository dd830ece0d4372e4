import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { platform } from '../../support/platform.ts'
import { listAccessibilityFaults, loadAxe } from '../axe.ts'
import { measureOverhang, takePicture } from '../scenes.ts'

/** The most bytes of a page of the console. */
const maxPageBytes = 60_000

/**
 * Moves the focus with the Tab key until the element has it, as somebody without a mouse does. Fails if it is never
 * reached.
 */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let steps = 0; steps < 80; steps++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`)) return
  }
  throw new Error(`The keyboard never reaches ${selector} on ${page.url()}`)
}

interface View {
  width: number
  colorScheme: 'light' | 'dark'
}

/** Languages in which each page is opened, with the windows and colour schemes in which it is looked at. */
export const looks = [
  {
    locale: 'en-US',
    views: [
      { width: 1280, colorScheme: 'light' },
      { width: 360, colorScheme: 'dark' },
    ],
  },
  {
    locale: 'fr-FR',
    views: [
      { width: 1280, colorScheme: 'dark' },
      { width: 360, colorScheme: 'light' },
    ],
  },
] as const satisfies { locale: string; views: [View, ...View[]] }[]

type Look = (typeof looks)[number]

const formatView = ({ width, colorScheme }: View): string => `${width} pixels, ${colorScheme}`

export const formatLook = ({ locale, views }: Look): string => `${locale}; ${views.map(formatView).join('; ')}`

/**
 * Looks at pages of a member: nothing may stick out, be large, or be hard to use. Each page is opened once in the first
 * view; for the others only the window and the scheme change, and only what they decide is checked again.
 */
export async function inspectPages(
  browser: Browser,
  { cookie, look: { locale, views } }: { cookie: string; look: Look },
  paths: readonly string[],
): Promise<void> {
  const [name = '', value = ''] = cookie.split('=')
  const window: BrowserContext = await browser.newContext({ locale, bypassCSP: true })
  await window.addCookies([{ name, value, url: platform.api }])
  const page = await window.newPage()
  for (const path of paths)
    for (const view of views) {
      const seen = `${path} ${locale} ${formatView(view)}`
      await page.setViewportSize({ width: view.width, height: 800 })
      await page.emulateMedia({ colorScheme: view.colorScheme })
      if (view === views[0]) {
        const answer = await page.goto(`${platform.api}${path}`)
        expect(answer?.status(), seen).to.equal(200)
        expect((await answer!.body()).length, seen).to.be.lessThan(maxPageBytes)
        expect(await page.locator('html').getAttribute('lang'), seen).to.equal(locale.slice(0, 2))
        await loadAxe(page)
      }
      expect(await measureOverhang(page), seen).to.equal(0)
      await takePicture(page, seen.replaceAll(/\W+/g, '-'), true)
      expect(await listAccessibilityFaults(page, view !== views[0]), seen).to.deep.equal([])
    }
  await window.close()
}
