import type { Page } from 'playwright-core'

/** Presses Tab until what is focused has this name. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  for (let press = 0; press < 400; press++) {
    await page.keyboard.press('Tab')
    const focused = String(
      await page.evaluate(`(() => {
      const one = document.activeElement
      return [one?.getAttribute('aria-label'), one?.labels?.[0]?.textContent, one?.textContent].find(Boolean) ?? ''
    })()`),
    ).trim()
    if (typeof name === 'string' ? focused === name : name.test(focused)) return
  }
  throw new Error(`Nothing called ${String(name)} can be reached with Tab`)
}
