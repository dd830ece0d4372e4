import { expect } from 'chai'
import { getOperator } from '../../identity/people.ts'
import { formatVerdict } from '../passports/fixtures.ts'
import { buildShop } from '../../../support/world.ts'

describe('POST /v1/dpp/passports/publish: many passports', () => {
  it('refuses more than 100,000 and keeps nothing of them', async () => {
    const shop = await buildShop()
    const publish = (query = '') => shop.api.post(`/v1/dpp/passports/publish${query}`)
    const { db } = await getOperator()
    for (let chunk = 0; chunk < 6; chunk++) {
      await db.raw(
        `insert into passports (id, organization, application, product, data, network)
         select gen_random_uuid(), ?, ?, jsonb_build_object('idGranularity', 'item', 'name', 'One', 'modelNumber', 'M',
           'itemNumber', number::text), '{}', 'EthereumAnvil' from generate_series(?::int, ?::int) number`,
        [shop.organization, shop.application, chunk * 20_000 + 1, chunk < 5 ? (chunk + 1) * 20_000 : 100_001],
      )
    }
    const model = await shop.api.post('/v1/dpp/passports', {
      application: shop.application,
      network: 'EthereumAnvil',
      product: { idGranularity: 'model', name: 'All', modelNumber: 'M' },
    })
    expect(model.status, model.text).to.equal(201)
    expect(formatVerdict(await publish(`?filters[id][eq]=${model.body.id}`))).to.equal('422 VALIDATION_FAILED')
    expect(formatVerdict(await publish('?filters[source][eq]=manual'))).to.equal('422 VALIDATION_FAILED')
    const {
      rows: [kept],
    } = await db.raw<{ rows: unknown[] }>(
      `select count(*) as jobs, (
         select count(*) from passport_units join passports on passports.id = passport where organization = ?
       ) as units
       from jobs where organization = ?`,
      [shop.organization, shop.organization],
    )
    expect(kept).to.deep.equal({ jobs: 0, units: 0 })
    expect((await publish('?filters[product.idGranularity][eq]=item&pageSize=1')).status).to.equal(202)
  }).timeout(180_000)
})
