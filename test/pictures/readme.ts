import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { createEmail } from '../core/identity/people.ts'
import { createMagicLink, readCodeOnPage } from '../pages/scenes.ts'
import { platform } from '../support/platform.ts'
import { openDevice, photograph, type Device, type Scheme } from './camera.ts'
import { buildDressedShop, publishBag, type Looks } from './states.ts'

/** The most bytes of a picture of the README. */
const maxBytes = 150_000

/** Takes the pictures of the README. @returns the files */
export async function takeReadmePictures(browser: Browser, folder: string, looks: Looks): Promise<string[]> {
  const shop = await buildDressedShop(browser, looks, 'alba-bags.example')
  const passport = await publishBag(shop)
  const files: string[] = []
  const show = async (name: string, path: string, device: Device, scheme: Scheme) => {
    const context = await openDevice(browser, device, scheme)
    const page = await context.newPage()
    await page.goto(`${platform.api}${path}`)
    const file = join(folder, `${name}.png`)
    await photograph(page, file)
    files.push(file)
    await context.close()
  }
  await show('passport', `/p/${passport}`, 'phone', 'light')
  await show('passport-dark', `/p/${passport}`, 'phone', 'dark')
  await show('passport-desk', `/p/${passport}`, 'desk', 'light')
  await show('passport-desk-dark', `/p/${passport}`, 'desk', 'dark')
  await show('report-fake', `/p/${passport}/report`, 'phone', 'light')
  files.push(...(await takeClaimPictures(browser, folder, await createMagicLink(passport, shop.api))))
  const large = files.filter((file) => statSync(file).size > maxBytes)
  if (large.length > 0) throw new Error(`These pictures have more than ${maxBytes} bytes: ${large.join(', ')}`)
  return files
}

/** Claims as a buyer does, and takes a picture of each page on the way. */
async function takeClaimPictures(browser: Browser, folder: string, link: string): Promise<string[]> {
  const context = await openDevice(browser, 'phone', 'light')
  const page = await context.newPage()
  const email = createEmail('ada')
  const files: string[] = []
  const take = async (name: string) => {
    files.push(join(folder, `${name}.png`))
    await photograph(page, files.at(-1) ?? '')
  }
  await page.goto(link)
  await take('claim')
  await page.getByLabel('Your e-mail address').fill(email)
  await page.getByRole('button', { name: 'Send me a code' }).click()
  await page.getByLabel('Your code').waitFor()
  await take('code')
  await page.getByLabel('Your code').fill(await readCodeOnPage(browser, email))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Claim it' }).click()
  await page.getByRole('heading', { name: 'It is yours' }).waitFor({ timeout: 60_000 })
  await take('claimed')
  await context.close()
  return files
}
