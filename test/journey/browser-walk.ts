import { expect } from 'chai'
import { decode } from 'fast-png'
import jsqr from 'jsqr'
import type { Browser, Locator, Page } from 'playwright-core'
import { follow, goTo, openWindow } from '../pages/loyalty/scenes.ts'
import { measureOverhang, readCodeOnPage, takePicture } from '../pages/scenes.ts'

/** The widths in which pages are looked at: of a desk, and of a small phone. */
const widths = { desk: 1280, phone: 360 } as const

/** A text, or what it begins with. */
type Name = string | RegExp

/** What a walk took. Clicks are on links, buttons and boxes; a page is counted each time it is opened. */
export interface WalkCounts {
  clicks: number
  fields: number
  pages: number
}

/** A person at a browser with scripts, who finds the way by what the pages show. */
export class Walker {
  readonly counts: WalkCounts = { clicks: 0, fields: 0, pages: 0 }
  readonly page: Page
  readonly #browser: Browser
  readonly #device: keyof typeof widths
  readonly #walk: string
  readonly #faults: string[] = []

  private constructor(browser: Browser, page: Page, device: keyof typeof widths, walk: string) {
    this.#browser = browser
    this.#device = device
    this.#walk = walk
    this.page = page
    page.on('response', (answer) => {
      if (answer.request().isNavigationRequest() && answer.status() >= 400)
        this.#faults.push(`${answer.url()} is answered with ${answer.status()}`)
    })
    page.on('pageerror', ({ message }) => this.#faults.push(`${page.url()}: ${message}`))
  }

  /** @param walk the name of the walk, with which the names of its pictures begin */
  static async start(browser: Browser, device: keyof typeof widths, walk = 'first-hour'): Promise<Walker> {
    const window = await openWindow(browser, { width: widths[device], script: true })
    return new Walker(browser, await window.newPage(), device, walk)
  }

  /** Opens an address that stands outside of the pages: in a mail, or in a QR code. */
  async open(address: string): Promise<void> {
    await goTo(this.page, address)
    this.counts.pages++
  }

  /** Clicks what opens a page. */
  async #go(control: Locator): Promise<void> {
    await follow(control)
    this.counts.clicks++
    this.counts.pages++
  }

  follow = (name: Name, within: Page | Locator = this.page): Promise<void> =>
    this.#go(within.getByRole('link', { name, exact: true }))

  /** Follows a link of the navigation, as it is on a desk. */
  followMenu = (name: string): Promise<void> =>
    this.follow(name, this.page.getByRole('navigation', { name: 'Console' }))

  press = (name: Name): Promise<void> => this.#go(this.page.getByRole('button', { name, exact: true }))

  async fill(label: Name, text: string, within: Page | Locator = this.page): Promise<void> {
    await within.getByLabel(label, { exact: true }).fill(text)
    this.counts.fields++
  }

  async tick(control: Locator): Promise<void> {
    await control.check()
    this.counts.clicks++
  }

  /** Opens what is folded. */
  async unfold(summary: string): Promise<void> {
    await this.page.locator('summary', { hasText: summary }).click()
    this.counts.clicks++
  }

  /** Signs in on the page that asks for an address, with the code of the mail. */
  async signIn(address: string, afterAddress?: () => Promise<void>): Promise<void> {
    await this.fill('Your e-mail address', address)
    await this.press('Send me a code')
    await afterAddress?.()
    await this.fill('Your code', await readCodeOnPage(this.#browser, address))
    await this.press('Sign in')
  }

  readHeading = (): Promise<string> => this.page.getByRole('heading', { level: 1 }).innerText()
  readPart = (name: string): Promise<string> => this.page.getByRole('region', { name, exact: true }).first().innerText()

  /**
   * Looks at the page: nothing failed on the way to it, it says what it is, and nothing sticks out of the window. Takes
   * its picture on a phone, and at a desk if the person sits at one.
   */
  async look(step: string): Promise<void> {
    expect(this.#faults, step).to.deep.equal([])
    expect(await this.readHeading(), step).to.not.equal('')
    for (const width of this.#device === 'desk' ? [widths.phone, widths.desk] : [widths.phone]) {
      await this.page.setViewportSize({ width, height: 800 })
      expect(await measureOverhang(this.page), `${step} at ${width} pixels`).to.equal(0)
      await takePicture(this.page, `${this.#walk}-${step}-${width}`, true)
    }
  }

  /** Reads the QR code that a picture of the page shows, as a camera does that is held before the screen. */
  async scan(picture: Locator): Promise<string> {
    const { width, height, channels, data } = decode(await picture.screenshot())
    const colours = new Uint8ClampedArray(width * height * 4).map((_, at) =>
      at % 4 === 3 ? 255 : (data[(at >> 2) * channels + (at % 4)] ?? 0),
    )
    const text = jsqr.default(colours, width, height)?.data
    if (text === undefined) throw new Error('The picture has no QR code that can be read')
    return text
  }
}
