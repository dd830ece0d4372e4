import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { exportFiles, exportRows, openExport } from '../../core/imports/exports/exports.ts'
import { signInMember } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { platform } from '../../support/platform.ts'
import { buildShop } from '../../support/world.ts'
import { tabTo } from './keyboard.ts'

const kinds = {
  model: 'A model: all pieces of an article',
  batch: 'A batch or lot of a model',
  item: 'A single item with its own number',
} as const

describeInBrowser('Console: exports of real systems through the wizard, by the keyboard alone', function () {
  this.timeout(120_000)
  let browser: Browser
  let context: BrowserContext
  let page: Page

  before(async () => {
    const shop = await buildShop()
    const [name = '', value = ''] = (await signInMember(shop.owner, shop.organization)).split('=')
    browser = await openBrowser()
    context = await browser.newContext({ viewport: { width: 1200, height: 900 } })
    await context.addCookies([{ name, value, url: platform.api }])
    page = await context.newPage()
  })
  after(() => browser.close())

  const press = async (name: string | RegExp) => {
    await tabTo(page, name)
    await page.keyboard.press('Enter')
  }
  const readCounts = async () =>
    (await page.getByRole('region', { name: 'Counts' }).innerText()).replaceAll(/\s+/g, ' ')

  for (const file of exportFiles) {
    const failing = Object.keys(file.impossible).length
    it(`imports ${exportRows - failing} of ${exportRows} rows by accepting what is suggested: ${file.name}`, async () => {
      await page.goto(`${platform.api}/console/imports/new`)
      const chooser = page.waitForEvent('filechooser')
      await press('File')
      const { name, bytes, type } = openExport(file)
      await (await chooser).setFiles({ name, mimeType: type, buffer: bytes })
      await press('Upload')
      await page.getByRole('heading', { name: 'How the file is read' }).waitFor()
      expect(await page.getByRole('radio', { name: kinds[file.granularity] }).isChecked()).to.equal(true)
      await press('Go on')
      await page.getByRole('heading', { name: 'Where the columns go' }).waitFor()
      await press('See the first rows')
      await page.getByText(`${failing} of the first ${exportRows} rows would fail.`).waitFor()
      await press('Import')
      const counts = page.getByRole('region', { name: 'Counts' })
      await counts.waitFor()
      expect(await readCounts())
        .to.contain(`Created ${exportRows - failing} `)
        .and.to.contain(`Failed ${failing}`)
      const lines = await page.getByRole('region', { name: 'Errors' }).getByRole('row').allInnerTexts()
      const failed = [...new Set(lines.slice(1).map((line) => String(Number.parseInt(line, 10) - 1)))]
      expect(failed).to.deep.equal(Object.keys(file.impossible))
    })
  }
})
