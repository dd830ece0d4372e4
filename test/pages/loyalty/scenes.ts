import { expect } from 'chai'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { getAccountId } from '../../core/loyalty/accounts/accounts.maker.ts'
import { getAccepted, mint, waitForPoints } from '../../core/loyalty/points/fixtures.ts'
import { createEmail, getOperator, signInBuyer, signInMember } from '../../core/identity/people.ts'
import { platform } from '../../support/platform.ts'
import { nameAccount } from '../../support/rows/accounts/accounts.ts'
import { buildShop, type Shop } from '../../support/world.ts'

/** The addresses of the pages of the console. */
export const consoleAddress = `${platform.api}/console`

export interface Customer {
  id: string
  email: string
  name: string
}

/** Signs a person in to a shop's application and names them. */
export async function buildCustomer({ application }: Shop, name: string): Promise<Customer> {
  const email = createEmail('customer')
  const id = getAccountId(await signInBuyer(application, email))
  const { db } = await getOperator()
  await nameAccount(db, id, name)
  return { id, email, name }
}

/** Credits points and waits until the chain has them. */
export async function creditPoints({ api }: Shop, account: string, amount: number, reason: string): Promise<void> {
  await waitForPoints(api, getAccepted(await mint(api, account, { amount, reason })))
}

/** A shop whose owner is signed in to the console. */
export async function buildConsole(): Promise<{ shop: Shop; cookie: string }> {
  const shop = await buildShop()
  return { shop, cookie: await signInMember(shop.owner, shop.organization) }
}

/** Opens a browser window with a cookie, in the form `name=value`. */
export async function openWindow(
  browser: Browser,
  { cookie, width = 1280, script = false }: { cookie?: string; width?: number; script?: boolean } = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width, height: 800 }, javaScriptEnabled: script })
  const [name = '', value = ''] = (cookie ?? '').split('=')
  if (value) await context.addCookies([{ name, value, url: platform.api }])
  return context
}

/** Goes to a page and checks that it came. */
export async function goTo(page: Page, address: string): Promise<void> {
  const answer = await page.goto(address)
  expect(answer?.status(), address).to.equal(200)
}

/** Follows a link or sends a form, and waits until the page is there that answers. */
export async function follow(control: Locator): Promise<void> {
  await Promise.all([control.page().waitForEvent('load'), control.click()])
}
