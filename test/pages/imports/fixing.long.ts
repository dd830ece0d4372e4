import { expect } from 'chai'
import { signInMember } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { platform } from '../../support/platform.ts'
import { buildShop } from '../../support/world.ts'
import { tabTo } from './keyboard.ts'

describeInBrowser('Console: the sample of an import, by the keyboard alone', function () {
  this.timeout(120_000)

  it('mends a failing row by the button beside it, and publishes what was made', async () => {
    const shop = await buildShop()
    const [name = '', value = ''] = (await signInMember(shop.owner, shop.organization)).split('=')
    const browser = await openBrowser()
    const context = await browser.newContext({ viewport: { width: 1200, height: 900 } })
    await context.addCookies([{ name, value, url: platform.api }])
    const page = await context.newPage()
    const press = async (button: string) => {
      await tabTo(page, button)
      await page.keyboard.press('Enter')
    }
    await page.goto(`${platform.api}/console/imports/new`)
    await press('Try it with this sample')
    await page.getByRole('heading', { name: 'How the file is read' }).waitFor()
    await press('Go on')
    await page.getByRole('heading', { name: 'Where the columns go' }).waitFor()
    await tabTo(page, 'Goes to (Colour)')
    await page.keyboard.type('Day it expires')
    await press('See the first rows')
    await page.getByText('Every row would fail').waitFor()
    expect(await page.getByRole('button', { name: 'Import', exact: true }).count()).to.equal(0)
    await press('Leave “Colour” out')
    await page.getByText('The first 12 rows are good.').waitFor()
    await press('Import')
    await page.getByRole('link', { name: 'Publish these 12' }).waitFor()
    await press('Publish these 12')
    await page.getByRole('heading', { name: 'Publish 12 passports?' }).waitFor()
    await press('Publish 12 passports')
    await page.getByText('Published', { exact: true }).first().waitFor()
    await browser.close()
  })
})
