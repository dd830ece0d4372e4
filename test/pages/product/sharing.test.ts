import { expect } from 'chai'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'
import { createApiClient } from '../../support/client.ts'
import { getOperator } from '../../core/identity/people.ts'
import { countCards } from '../../support/rows/pictures/pictures.ts'
import { readPictureFile } from '../../support/values/picture-files.ts'
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
      ['og:image:width', '1200'],
      ['og:image:height', '630'],
      ['og:image:type', 'image/jpeg'],
    ])
      expect(text).to.contain(`<meta property="${name}" content="${content}">`)
    expect(text)
      .to.match(/<meta property="og:image:alt" content="Field jacket – [^"]+">/)
      .and.to.contain('<meta name="twitter:card" content="summary_large_image">')
  })

  it('has a card for links that is drawn once for all passports that show the same', async () => {
    const ids = [
      await publish({ ...product, itemNumber: '0010' }),
      await publish({ ...product, itemNumber: '0011' }),
      await publish({ ...product, itemNumber: '0012', name: '上着' }),
    ]
    const cards: string[] = []
    for (const id of ids)
      cards.push(
        /property="og:image" content="([^"]+)"/
          .exec(await open(id))?.[1]
          ?.split('/')
          .at(-1) ?? '',
      )
    const [first, second, third] = cards
    expect(first)
      .to.match(/^[0-9a-f]{64}\.jpg$/)
      .and.to.equal(second)
      .and.not.to.equal(third)
    const get = (at: number) => createApiClient().get(`/p/${ids[at]}/cards/${cards[at]}`)
    const [one, same, unnamed] = [await get(0), await get(1), await get(2)]
    expect(one.headers).to.include({
      'content-type': 'image/jpeg',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect(await readPictureFile(one.bytes)).to.include({ format: 'jpeg', width: 1_200, height: 630 })
    expect(one.bytes.equals(same.bytes)).to.equal(true)
    expect(await countCards((await getOperator()).db, shop.organization)).to.equal(2)
    // The font has no sign of the name, so it is left out: the card says less, and no boxes.
    expect(unnamed.bytes.length).to.be.below(one.bytes.length)
    const old = await createApiClient().get(`/p/${ids[0]}/cards/${'0'.repeat(64)}.jpg`)
    expect([old.status, old.headers['location']]).to.deep.equal([302, `/p/${ids[0]}/cards/${first}`])
    const draft = await buildDescribedPassport(shop, { ...product, itemNumber: '0013' })
    expect((await createApiClient().get(`/p/${draft.id}/cards/${first}`)).status).to.equal(404)
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
