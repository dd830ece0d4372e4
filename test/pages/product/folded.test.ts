import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { platform } from '../../support/platform.ts'
import { buildDescribedPassport, buildShop } from '../../support/world.ts'
import { listAccessibilityFaults, loadAxe } from '../axe.ts'
import { measureOverhang, takePicture } from '../scenes.ts'

const data = {
  parts: Array.from({ length: 200 }, (_, at) => ({ name: `Part ${at}`, share: at })),
  tags: Array.from({ length: 90 }, (_, at) => `tag-${at}`),
  story: 'Once upon a time. '.repeat(100),
  ...Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`value-${at}`, at])),
}

describeInBrowser('GET /p/{id}: a product with much to tell, on a phone', function () {
  this.timeout(60_000)
  let browser: Browser
  let address: string
  before(async () => {
    browser = await openBrowser()
    const shop = await buildShop()
    const { id } = await buildDescribedPassport(
      shop,
      { idGranularity: 'item', name: 'Bag', itemNumber: '1' },
      { network: 'EthereumAnvil', data, certifiedPaths: ['parts', 'value-59'] },
    )
    const started = await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${id}`)
    expect((await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)).failed).to.equal(0)
    address = `${platform.api}/p/${id}`
  })
  after(() => browser.close())

  it('folds what is long, and opens it without a script', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 360, height: 740 } })
    const page = await context.newPage()
    await page.goto(`${address}?lang=fr`)
    await takePicture(page, 'passport-folded', true)
    expect(await page.getByText('value-59', { exact: false }).isVisible()).to.equal(false)
    await page.getByText('39 de plus').click()
    expect(await page.getByText('value-59', { exact: false }).isVisible()).to.equal(true)
    await takePicture(page, 'passport-unfolded', true)
    await context.close()
  })

  it('has no fault that axe knows, and fits', async () => {
    const context = await browser.newContext({ bypassCSP: true, viewport: { width: 360, height: 740 } })
    const page = await context.newPage()
    await page.goto(address)
    await loadAxe(page)
    expect(await listAccessibilityFaults(page)).to.deep.equal([])
    expect(await measureOverhang(page)).to.equal(0)
    await context.close()
  })
})
