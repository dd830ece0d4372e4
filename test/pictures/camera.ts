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

/** The bag as its brand photographs it: drawn, so that the repository needs no photograph. */
const bag = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 1200">
<defs><linearGradient id="wall" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#efe9df"/><stop offset=".74" stop-color="#e4dccd"/><stop offset=".75" stop-color="#cfc4b0"/><stop offset="1" stop-color="#dcd2c0"/></linearGradient>
<linearGradient id="canvas" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#cdb48c"/><stop offset="1" stop-color="#a98d62"/></linearGradient></defs>
<rect width="1200" height="1200" fill="url(#wall)"/>
<ellipse cx="600" cy="935" rx="430" ry="34" fill="#00000026"/>
<path d="M400 470 C400 210 800 210 800 470" fill="none" stroke="#5b3d22" stroke-width="34"/>
<path d="M225 470 Q600 410 975 470 L1010 880 Q1010 930 955 930 L245 930 Q190 930 190 880 Z" fill="url(#canvas)"/>
<path d="M225 470 Q600 410 975 470 L980 545 Q600 490 220 545 Z" fill="#6b4a2b"/>
<path d="M225 505 Q600 450 977 505" fill="none" stroke="#d8b56a" stroke-width="9" stroke-dasharray="16 7"/>
<rect x="372" y="560" width="46" height="370" fill="#6b4a2b"/><rect x="782" y="560" width="46" height="370" fill="#6b4a2b"/>
<rect x="520" y="650" width="160" height="96" rx="10" fill="#6b4a2b"/><circle cx="600" cy="698" r="17" fill="#d8b56a"/>
<path d="M215 880 L985 880" stroke="#8d7248" stroke-width="4" stroke-dasharray="14 10"/></svg>`

/** A window of a device in a scheme. @param session the session of a buyer who is signed in */
export async function openDevice(
  browser: Browser,
  device: Device,
  colorScheme: Scheme,
  session?: string,
): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: devices[device], colorScheme, locale: 'en-GB' })
  await context.route('https://pictures.example/**', (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: bag }),
  )
  if (session !== undefined) await context.addCookies([{ name: 'tessera.user', value: session, url: platform.api }])
  return context
}

/** Takes a picture when all pictures of the page are there. @param fullPage what can be scrolled to as well */
export async function photograph(page: Page, file: string, fullPage = false): Promise<void> {
  mkdirSync(dirname(file), { recursive: true })
  await page.waitForLoadState('networkidle')
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
