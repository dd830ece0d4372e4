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

/** Windows, colour schemes and languages, in which each page is looked at. */
export const looks = [
  { width: 1280, colorScheme: 'light', locale: 'en-US' },
  { width: 360, colorScheme: 'dark', locale: 'fr-FR' },
  { width: 1280, colorScheme: 'dark', locale: 'fr-FR' },
  { width: 360, colorScheme: 'light', locale: 'en-US' },
] as const

type Look = (typeof looks)[number]

export const formatLook = ({ width, colorScheme, locale }: Look): string => `${width} pixels, ${colorScheme}, ${locale}`

/** Looks at pages of a member: nothing may stick out, be large, or be hard to use. */
export async function inspectPages(
  browser: Browser,
  { cookie, look }: { cookie: string; look: Look },
  paths: readonly string[],
): Promise<void> {
  const { width, colorScheme, locale } = look
  const [name = '', value = ''] = cookie.split('=')
  const options = { viewport: { width, height: 800 }, colorScheme, locale, bypassCSP: true }
  const window: BrowserContext = await browser.newContext(options)
  await window.addCookies([{ name, value, url: platform.api }])
  const page = await window.newPage()
  for (const path of paths) {
    const seen = `${path} ${formatLook(look)}`
    const answer = await page.goto(`${platform.api}${path}`)
    expect(answer?.status(), seen).to.equal(200)
    expect((await answer!.body()).length, seen).to.be.lessThan(maxPageBytes)
    expect(await page.locator('html').getAttribute('lang'), seen).to.equal(locale.slice(0, 2))
    expect(await measureOverhang(page), seen).to.equal(0)
    await takePicture(page, seen.replaceAll(/\W+/g, '-'), true)
    await loadAxe(page)
    expect(await listAccessibilityFaults(page), seen).to.deep.equal([])
  }
  await window.close()
}
