import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { starts } from '../../core/features/applications/index.ts'
import { buildShop } from '../support/world.ts'
import { keepFigures, computeSpread } from '../figures/keep-figures.ts'
import { describeInBrowser, openBrowser } from '../support/network/chromium.ts'
import { platform } from '../support/platform.ts'
import { brandPictures, holdBrandPictures } from './brand/pictures.ts'
import { setTheme } from './looks/scenes.ts'
import { createStates } from './passport.states.ts'
import { createBagPassport, publishPassport } from './product/showcase.ts'

/** A slow mobile network, in milliseconds and kilobits a second. */
const network = { latency: 400, kilobits: 400 }
const rounds = 5

interface Round {
  bytes: number
  requests: number
  seconds: number
}

describeInBrowser('GET /p/{id}: speed on a slow network', function () {
  this.timeout(120_000)
  let browser: Browser
  let plain: string
  let dressed: string
  before(async () => {
    browser = await openBrowser()
    const { ids } = await createStates(await buildShop())
    plain = `${platform.api}/p/${ids.verified}`
    const shop = await buildShop()
    await setTheme(shop, {
      ...starts.quiet,
      googleFont: 'Inter',
      logoUrl: brandPictures.logo,
      bgImageUrl: brandPictures.shop,
    })
    await holdBrandPictures(browser, shop.organization)
    const bag = await createBagPassport(shop)
    await publishPassport(shop, bag)
    dressed = `${platform.api}/p/${bag}`
  })
  after(() => browser.close())

  /** One look with a browser that has nothing yet, and a second one. */
  async function look(address: string): Promise<{ first: Round; again: Round }> {
    const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
    const page = await context.newPage()
    const line = await context.newCDPSession(page)
    await line.send('Network.enable')
    const throughput = (network.kilobits * 1000) / 8
    await line.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: network.latency,
      downloadThroughput: throughput,
      uploadThroughput: throughput,
    })
    let [bytes, requests] = [0, 0]
    line.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
      requests++
    })
    const measure = async (): Promise<Round> => {
      ;[bytes, requests] = [0, 0]
      await page.goto(address, { waitUntil: 'networkidle' })
      const seconds = Number(
        await page.evaluate(`new Promise((tell) => new PerformanceObserver((list) => {
        const [paint] = list.getEntriesByName('first-contentful-paint')
        if (paint) tell(paint.startTime / 1000)
      }).observe({ type: 'paint', buffered: true }))`),
      )
      return { bytes, requests, seconds }
    }
    const first = await measure()
    const again = await measure()
    await context.close()
    return { first, again }
  }

  it('is read within two seconds and costs few bytes', async () => {
    const looks: { first: Round; again: Round; dressed: Round }[] = []
    for (let round = 0; round < rounds; round++)
      looks.push({ ...(await look(plain)), dressed: (await look(dressed)).first })
    const figures = (['first', 'again', 'dressed'] as const).map((which) => {
      const all = looks.map((one) => one[which])
      return {
        look: which,
        requests: Math.max(...all.map(({ requests }) => requests)),
        bytes: Math.max(...all.map(({ bytes }) => bytes)),
        secondsToFirstPaint: computeSpread(all.map(({ seconds }) => seconds)),
      }
    })
    keepFigures('speed/page', {
      command: 'npm run test:long -- test/pages/passport-speed.long.ts',
      ...network,
      rounds,
      figures,
    })
    const [first, , withFont] = figures
    expect(first?.requests).to.be.at.most(3)
    expect(first?.bytes).to.be.lessThan(25_000)
    // A font and pictures come after the text: they must not hold it up.
    for (const one of [first, withFont]) expect(one?.secondsToFirstPaint.p50).to.be.lessThan(2)
  })
})
