import { expect } from 'chai'
import { rehearse } from '../../../support/dpp/dry-runs.ts'
import { insertPublishedItems } from '../../../support/rows/dpp/new-passports.ts'
import { buildCertifiedPassport, buildShop } from '../../../support/world.ts'
import { getOperator } from '../../identity/people.ts'
import { formatVerdict, listFaultPaths, readPassport } from '../passports/fixtures.ts'

describe('POST /v1/dpp/passports/{id}/status with cascade', () => {
  const suspension = { purpose: 'suspension', value: true, reason: 'A recall.', cascade: true }
  const path = (id: string) => `/v1/dpp/passports/${id}/status`

  it('takes 10,000 batches and items; of more only their organization hears', async () => {
    const shop = await buildShop()
    const { db } = await getOperator()
    const product = { idGranularity: 'model', name: 'Model', modelNumber: 'M' }
    const model = await buildCertifiedPassport(shop, { product })
    await insertPublishedItems(db, shop, { modelNumber: 'M', count: 10_000 })
    expect(await rehearse(shop, 'post', `${path(model)}?dryRun=true`, suspension)).to.deep.include({
      matched: 10_001,
      willChange: 1,
      skipped: [{ reason: 'It has no credential', count: 10_000 }],
    })
    await insertPublishedItems(db, shop, { modelNumber: 'M', count: 1 })
    const refused = await shop.api.post(path(model), suspension)
    expect([formatVerdict(refused), listFaultPaths(refused)]).to.deep.equal(['422 VALIDATION_FAILED', ['cascade']])
    const other = await buildShop()
    for (const query of ['', '?dryRun=true'])
      expect(formatVerdict(await other.api.post(path(model) + query, suspension))).to.equal('404 NOT_FOUND')
    const alone = await shop.api.post(path(model), { ...suspension, cascade: false })
    expect(alone.body).to.include({ suspended: true }).and.not.have.property('changed')
    expect(await readPassport(shop.api, model)).to.include({ certificationStatus: 'certified' })
  })

  it('tells of a model without a credential that it has none', async () => {
    const shop = await buildShop()
    const product = { idGranularity: 'model', name: 'Model', modelNumber: 'M' }
    const made = await shop.api.post('/v1/dpp/passports', { application: shop.application, product })
    const model = String(made.body.id)
    const item = { idGranularity: 'item', name: 'Item', modelNumber: 'M', itemNumber: 'I' }
    await buildCertifiedPassport(shop, { product: item })
    for (const value of [true, false]) {
      const preview = await rehearse(shop, 'post', `${path(model)}?dryRun=true`, { ...suspension, value })
      expect(preview).to.deep.include({ matched: 2, willChange: 1 })
      expect(preview.skipped).to.deep.equal([{ reason: 'It has no credential', count: 1 }])
      expect((await shop.api.post(path(model), { ...suspension, value })).body).to.include({ changed: 1 })
    }
  })

  it('takes those along that the numbers of the passports relate, and no item whose batch is not certain', async () => {
    const shop = await buildShop()
    const make = (product: object) => buildCertifiedPassport(shop, { product: { name: 'Bag', ...product } })
    const model = await make({ idGranularity: 'model', modelNumber: 'M' })
    const batch = await make({ idGranularity: 'batch', modelNumber: 'M', batchNumber: '1' })
    const both = await make({ idGranularity: 'item', modelNumber: 'M', batchNumber: '1', itemNumber: 'a' })
    const batchOnly = await make({ idGranularity: 'item', batchNumber: '1', itemNumber: 'b' })
    const modelOnly = await make({ idGranularity: 'item', modelNumber: 'M', itemNumber: 'c' })
    await make({ idGranularity: 'item', modelNumber: 'N', batchNumber: '1', itemNumber: 'd' })
    const listSamples = async (id: string) => {
      const { samples } = await rehearse(shop, 'post', `${path(id)}?dryRun=true`, suspension)
      return samples.map((sample) => sample.id)
    }
    expect(await listSamples(model)).to.have.members([model, batch, both, batchOnly, modelOnly])
    expect(await listSamples(batch)).to.have.members([batch, both, batchOnly])
    const other = await make({ idGranularity: 'batch', modelNumber: 'N', batchNumber: '1' })
    expect(await listSamples(model)).to.have.members([model, batch, both, modelOnly])
    expect(await listSamples(batch)).to.have.members([batch, both])
    expect(await listSamples(other)).to.have.lengthOf(2)
  })
})
