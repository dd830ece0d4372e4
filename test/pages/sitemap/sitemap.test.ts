import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'
import { createApiClient } from '../../support/client.ts'
import { setDomains } from '../../support/network/domains.ts'
import { platform } from '../../support/platform.ts'
import {
  buildCertifiedPassport,
  buildDescribedPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
} from '../../support/world.ts'
import { listSitemap } from './sitemaps.ts'

describe('GET /sitemap.xml', () => {
  it('lists published models and nothing else, and robots.txt names it', async () => {
    const shop = await buildShop()
    const build = async (product: object) =>
      (await buildDescribedPassport(shop, { name: 'Bag', modelNumber: randomUUID(), ...product })).id
    const model = await build({ idGranularity: 'model' })
    const archived = await build({ idGranularity: 'model' })
    const item = await build({ idGranularity: 'item', itemNumber: '1' })
    const started = await shop.api.post('/v1/dpp/passports/publish?skipCertification=true')
    await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)
    expect((await shop.api.patch(`/v1/dpp/passports/${archived}`, { status: 'archived' })).status).to.equal(200)
    const draft = await build({ idGranularity: 'model' })
    const ofSheet = (await buildPublishedPassport(shop, await buildSheet(shop))).id
    const revoked = await buildCertifiedPassport(shop, {
      product: { idGranularity: 'model', name: 'Bag', modelNumber: randomUUID() },
    })
    const listed = await listSitemap()
    const toAddress = (id: string) => `${platform.api}/p/${id}`
    expect(listed).to.include(toAddress(model)).and.to.include(toAddress(revoked))
    for (const id of [archived, item, draft, ofSheet]) expect(listed).not.to.include(toAddress(id))
    const status = await shop.api.post(`/v1/dpp/passports/${revoked}/status`, {
      purpose: 'revocation',
      value: true,
      reason: 'Made by mistake.',
    })
    expect(status.status, status.text).to.be.below(300)
    expect(await listSitemap()).not.to.include(toAddress(revoked))
    const { text } = await createApiClient().get('/robots.txt')
    expect(text).to.contain(`\nSitemap: ${platform.api}/sitemap.xml\n`)
  })

  it('lists at the host of an application its own models alone, at that host', async () => {
    const [shop, host] = [await buildShop(), `shop-${randomUUID().slice(0, 8)}.localhost`]
    const { id } = await buildDescribedPassport(shop, { idGranularity: 'model', name: 'Bag', modelNumber: 'M' })
    const started = await shop.api.post('/v1/dpp/passports/publish?skipCertification=true')
    await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)
    const ask = (path: string) => createApiClient().get(path, { headers: { host } })
    expect((await ask('/sitemap.xml')).status).to.equal(404)
    expect((await ask('/robots.txt')).text).not.to.contain('Sitemap')
    await setDomains(shop.api, shop.application, host)
    expect(await listSitemap(host)).to.deep.equal([`http://${host}/p/${id}`])
    expect((await ask('/robots.txt')).text).to.contain(`\nSitemap: http://${host}/sitemap.xml\n`)
  })
})
