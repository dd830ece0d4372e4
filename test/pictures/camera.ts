import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { platform } from '../support/platform.ts'

/** The devices on which pages are looked at. */
const devices = {
  phone: { width: 390, height: 844 },
  desk: { width: 1280, height: 800 },
} as const
export type Device = keyof typeof devices
const schemes = ['light', 'dark'] as const
export type Scheme = (typeof schemes)[number]

/** A window of a device in a scheme. @param session the session of a buyer who is signed in */
export async function openDevice(
  browser: Browser,
  device: Device,
  colorScheme: Scheme,
  session?: string,
): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: devices[device], colorScheme, locale: 'en-GB' })
  if (session !== undefined) await context.addCookies([{ name: 'tessera.user', value: session, url: platform.api }])
  return context
}

/** Scrolls to the end and back, so that pictures are loaded that wait until they come near. */
async function scrollThrough(page: Page): Promise<void> {
  for (const picture of await page.locator('img').all()) await picture.scrollIntoViewIfNeeded()
  await page.evaluate('Promise.all([...document.images].map((one) => one.decode()))')
  await page.evaluate('scrollTo(0, 0)')
}

/** Takes a picture when all pictures of the page are there. @param fullPage what can be scrolled to as well */
export async function photograph(page: Page, file: string, fullPage = false): Promise<void> {
  mkdirSync(dirname(file), { recursive: true })
  if (fullPage) await scrollThrough(page)
  await page.waitForLoadState('networkidle')
  await page.evaluate('document.fonts.ready')
  await page.screenshot({ path: file, fullPage, animations: 'disabled' })
}

/** Takes pictures of a page on each device in each scheme. @returns the files */
export async function photographEverywhere(
  browser: Browser,
  folder: string,
  { name, path, session }: { name: string; path: string; session?: string },
): Promise<string[]> {
  const files: string[] = []
  for (const device of Object.keys(devices) as Device[]) {
    for (const scheme of schemes) {
      const context = await openDevice(browser, device, scheme, session)
      const page = await context.newPage()
      await page.goto(`${platform.api}${path}`)
      const file = join(folder, `${name}-${device}-${scheme}.png`)
      await photograph(page, file, true)
      files.push(file)
      await context.close()
    }
  }
  return files
}
