import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { getOperator } from '../../core/identity/people.ts'
import { setDomains } from '../../support/network/domains.ts'
import { assertQuick } from '../../support/processes.ts'
import { insertPublicModels } from '../../support/rows/pictures/public-models.ts'
import { buildShop } from '../../support/world.ts'
import { readSitemap } from './sitemaps.ts'

describe('GET /sitemap.xml: more models than one sitemap may list', () => {
  it('names parts of at most 50,000 addresses, which together have each model once, and is quick', async () => {
    const [shop, host] = [await buildShop(), `shop-${randomUUID().slice(0, 8)}.localhost`]
    await setDomains(shop.api, shop.application, host)
    await insertPublicModels((await getOperator()).db, shop, 60_000)
    const parts = await readSitemap('/sitemap.xml', host)
    expect(parts).to.have.length(2)
    const listed = new Set<string>()
    const sizes: number[] = []
    for (const part of parts) {
      const { pathname, search } = new URL(part)
      const addresses = await readSitemap(`${pathname}${search}`, host)
      sizes.push(addresses.length)
      for (const address of addresses) listed.add(address)
    }
    expect(sizes).to.deep.equal([50_000, 10_000])
    expect(listed.size).to.equal(60_000)
    await assertQuick(1_500, async () => {
      const began = performance.now()
      await readSitemap('/sitemap.xml', host)
      return performance.now() - began
    })
  }).timeout(600_000)
})
