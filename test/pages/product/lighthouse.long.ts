import { expect } from 'chai'
import getPort from 'get-port'
import lighthouse from 'lighthouse'
import type { Browser } from 'playwright-core'
import { keepFigures } from '../../figures/keep-figures.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { platform } from '../../support/platform.ts'
import { buildShop } from '../../support/world.ts'
import { createBagPassport, publishPassport } from './showcase.ts'

const categories = ['performance', 'accessibility', 'best-practices', 'seo'] as const
type Category = (typeof categories)[number]

/** Looks at each page. The best of them counts, because other work of the machine can only make a page slower. */
const looks = 3

/** The least score of each category, of 100. */
const leastScore = 95

interface Look {
  scores: Record<Category, number>
  /** What lowered a score, by the category. */
  faults: string[]
  version: string
}

/**
 * Lighthouse as a library: it measures with the browser it is given, here a phone with a slow processor and 4G, and
 * sends nothing anywhere; reports of its own errors belong to its command line.
 */
describeInBrowser('GET /p/{id}: Lighthouse on a throttled phone', function () {
  this.timeout(600_000)
  let browser: Browser
  let port: number
  const pages: { page: string; path: string }[] = []
  const rows: { page: string; scores: Record<Category, number> }[] = []
  let version = ''

  before(async () => {
    port = await getPort()
    browser = await openBrowser([`--remote-debugging-port=${port}`])
    const shop = await buildShop()
    // The picture stands with the brand, whose server does not exist here.
    const product = { productImage: undefined }
    const certified = await createBagPassport(shop, { product })
    const plain = await createBagPassport(shop, { product, certifiedPaths: [] })
    for (const id of [certified, plain]) await publishPassport(shop, id)
    pages.push(
      { page: 'Certified', path: `/p/${certified}` },
      { page: 'Not certified, in French', path: `/p/${plain}?lang=fr` },
    )
  })
  after(() => browser.close())

  async function look(path: string): Promise<Look> {
    const result = await lighthouse(`${platform.api}${path}`, {
      port,
      logLevel: 'error',
      onlyCategories: [...categories],
      formFactor: 'mobile',
    })
    if (!result) throw new Error('Lighthouse answered nothing')
    const { lhr } = result
    const readScore = (category: Category) => Math.round((lhr.categories[category]?.score ?? 0) * 100)
    const scores = Object.fromEntries(categories.map((each) => [each, readScore(each)])) as Look['scores']
    const faults = categories.flatMap((each) =>
      (lhr.categories[each]?.auditRefs ?? [])
        .filter(({ id, weight }) => weight > 0 && (lhr.audits[id]?.score ?? 1) < 0.9)
        .map(({ id }) => `${each}: ${id}, ${lhr.audits[id]?.displayValue ?? lhr.audits[id]?.title}`),
    )
    return { scores, faults, version: lhr.lighthouseVersion }
  }

  it(`gives at least ${leastScore} of 100 in each of ${categories.join(', ')}`, async () => {
    const faults: string[] = []
    for (const { page, path } of pages) {
      const all: Look[] = []
      for (let round = 0; round < looks; round++) all.push(await look(path))
      version = all[0]?.version ?? ''
      const best = (category: Category) => Math.max(...all.map(({ scores }) => scores[category]))
      const scores = Object.fromEntries(categories.map((each) => [each, best(each)])) as Look['scores']
      rows.push({ page, scores })
      faults.push(...new Set(all.flatMap((one) => one.faults.map((fault) => `${page}: ${fault}`))))
    }
    const low = rows.filter(({ scores }) => categories.some((each) => scores[each] < leastScore))
    expect(low, faults.join('\n')).to.deep.equal([])
    const command = 'npm run test:long -- test/pages/product/lighthouse.long.ts'
    keepFigures('speed/lighthouse', { command, version, looks, leastScore, rows })
  })
})
