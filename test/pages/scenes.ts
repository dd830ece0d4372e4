import type { Browser, Page } from 'playwright-core'
import { createApiClient } from '../support/client.ts'
import { platform } from '../support/platform.ts'

/** Where pictures of the pages go when somebody wants them: `PICTURES=<folder> npm test -- test/pages`. */
const pictures = process.env['PICTURES']
export async function takePicture(page: Page, name: string, fullPage = false): Promise<void> {
  if (pictures) await page.screenshot({ path: `${pictures}/${name}.png`, fullPage })
}

/** The newest code for an address, read from the outbox page as a developer would. */
export async function readCodeOnPage(browser: Browser, address: string): Promise<string> {
  const page = await browser.newPage()
  await page.goto(platform.outbox.replace(/\.json$/, ''))
  const text = await page.locator('article', { hasText: address }).first().innerText()
  await page.close()
  return /\b\d{6}\b/.exec(text)?.[0] ?? ''
}

/** How far a page is wider than its window, in CSS pixels. */
export const measureOverhang = async (page: Page): Promise<number> =>
  Number(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'))

/** Signs a member in by the pages of the console, from wherever they wanted to go. */
export async function signInByPages(browser: Browser, page: Page, address: string): Promise<void> {
  await page.getByLabel('Your e-mail address').fill(address)
  await page.getByRole('button', { name: 'Send me a code' }).click()
  await page.getByLabel('Your code').fill(await readCodeOnPage(browser, address))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(({ pathname }) => !pathname.startsWith('/console/sign-in'))
  if (new URL(page.url()).pathname !== '/console/legal') return
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Accept and go on' }).click()
}

/** A batch-minted passport of a fresh sheet with that name. @returns its id */
export async function createBatchMinted(name: string): Promise<string> {
  const api = createApiClient(platform.apiKey)
  const sheet = await api.post('/v1/dpp/products', {
    application: platform.application,
    network: 'EthereumAnvil',
    name,
    status: 'ACTIVE',
    productFields: [{ name: 'material', label: 'Material', type: 'string' }],
    fields: { material: 'Waxed cotton' },
    passportsFields: [{ name: 'serialNumber', label: 'Serial number', type: 'string' }],
  })
  const job = await api.post(`/v1/dpp/products/${sheet.body['id']}/mint`, [{ serialNumber: 'A-1' }])
  for (;;) {
    const status = await api.get(`/v1/dpp/products/${sheet.body['id']}/mint/${job.body['jobId']}/status`)
    if (status.body['status'] !== 'pending') break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const passports = await api.get(`/v1/dpp/passports?filters[product][eq]=${sheet.body['id']}`)
  return String(passports.body['data']?.[0]?.['id'])
}

/** The link that its organization hands to the buyer. @param api signed with a key of the organization */
export async function createMagicLink(passport: string, api = createApiClient(platform.apiKey)): Promise<string> {
  const token = await api.get(`/v1/dpp/passports/${passport}/magic-token`)
  return String(token.body['url'])
}
