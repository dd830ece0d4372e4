import { expect } from 'chai'
import { insertProductPassports } from '../../../support/rows/dpp/new-passports.ts'
import { countJobs, countPassportItems } from '../../../support/rows/queue/job-counts.ts'
import { getOperator } from '../../identity/people.ts'
import { formatVerdict } from '../passports/fixtures.ts'
import { buildShop } from '../../../support/world.ts'

describe('POST /v1/dpp/passports/publish: many passports', () => {
  it('refuses more than 100,000 and keeps nothing of them', async () => {
    const shop = await buildShop()
    const publish = (query = '') => shop.api.post(`/v1/dpp/passports/publish${query}`)
    const { db } = await getOperator()
    for (let chunk = 0; chunk < 6; chunk++) {
      const products = Array.from({ length: chunk < 5 ? 20_000 : 1 }, (_, at) => ({
        idGranularity: 'item',
        name: 'One',
        modelNumber: 'M',
        itemNumber: String(chunk * 20_000 + at + 1),
      }))
      await insertProductPassports(db, shop, products)
    }
    const model = await shop.api.post('/v1/dpp/passports', {
      application: shop.application,
      network: 'EthereumAnvil',
      product: { idGranularity: 'model', name: 'All', modelNumber: 'M' },
    })
    expect(model.status, model.text).to.equal(201)
    expect(formatVerdict(await publish(`?filters[id][eq]=${model.body.id}`))).to.equal('422 VALIDATION_FAILED')
    expect(formatVerdict(await publish('?filters[source][eq]=manual'))).to.equal('422 VALIDATION_FAILED')
    expect(await countJobs(db, shop.organization)).to.equal(0)
    expect(await countPassportItems(db, shop.organization)).to.equal(0)
    expect((await publish('?filters[product.idGranularity][eq]=item&pageSize=1')).status).to.equal(202)
  }).timeout(180_000)
})
