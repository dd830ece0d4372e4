import { expect } from 'chai'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'
import { createApiClient } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { buildDescribedPassport, buildShop, type Shop } from '../../support/world.ts'

const product = {
  idGranularity: 'item',
  name: 'Field jacket',
  modelNumber: 'FJ-7',
  itemNumber: '0001',
  description: 'A jacket for all weathers.',
  productionDate: '2026-03-01',
  countryOfProduction: { countryCode: 'PT', countryName: 'Portugal' },
}

describe('GET /p/{id}: the head of the page', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  async function publish(given: object, more: object = {}): Promise<string> {
    const { id } = await buildDescribedPassport(shop, given, { network: 'EthereumAnvil', ...more })
    const started = await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${id}`)
    expect((await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)).failed).to.equal(0)
    return id
  }
  const open = async (id: string) => (await createApiClient().get(`/p/${id}`)).text
  const readProduct = (page: string) =>
    JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/.exec(page)?.[1] ?? '') as Record<string, unknown>

  it('tells other sites what the page shows', async () => {
    const id = await publish(product)
    const text = await open(id)
    for (const [name, content] of [
      ['og:title', 'Field jacket'],
      ['og:description', 'A jacket for all weathers.'],
      ['og:url', `${platform.api}/p/${id}`],
    ])
      expect(text).to.contain(`<meta property="${name}" content="${content}">`)
  })

  it('tells search engines the product, and where its proof is once it is verified', async () => {
    const id = await publish(
      { ...product, itemNumber: '0002' },
      { certifiedPaths: ['colour'], data: { colour: 'red' } },
    )
    const data = readProduct(await open(id))
    expect(data).to.deep.include({
      '@type': ['Product', 'IndividualProduct'],
      url: `${platform.api}/p/${id}`,
      name: 'Field jacket',
      model: 'FJ-7',
      serialNumber: '0002',
      productionDate: '2026-03-01',
      countryOfOrigin: 'PT',
    })
    expect(data['hasCertification']).to.include({ url: `${platform.api}/v1/dpp/passports/${id}/vc.jsonld` })
    const plain = await publish({ ...product, itemNumber: '0003' })
    expect(readProduct(await open(plain))).not.to.have.property('hasCertification')
  })

  it('keeps a name that looks like markup as data', async () => {
    const name = '</script><script>alert(1)</script>'
    const text = await open(await publish({ ...product, name, itemNumber: '0004' }))
    expect(text).not.to.contain('<script>')
    expect(readProduct(text)['name']).to.equal(name)
  })
})
