import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { rehearse } from '../../../support/dpp/dry-runs.ts'
import {
  buildCertifiedPassport,
  buildKey,
  buildPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { formatVerdict, listEventTypes, listFaultPaths, waitForJob } from '../passports/fixtures.ts'

describe('POST /v1/dpp/passports/{id}/status?dryRun=true', () => {
  let shop: Shop

  beforeEach(async () => void (shop = await buildShop()))

  const path = (id: string) => `/v1/dpp/passports/${id}/status`
  const change = (purpose: string, value: boolean) => ({ purpose, value, reason: 'A recall.' })
  const preview = (id: string, purpose: string, value: boolean) =>
    rehearse(shop, 'post', `${path(id)}?dryRun=true`, change(purpose, value))

  it('names the passport, and the batches and items whose readers see it', async () => {
    const make = (product: object) => buildCertifiedPassport(shop, { product })
    const model = await make({ idGranularity: 'model', name: 'Model', modelNumber: 'M' })
    const batch = await make({ idGranularity: 'batch', name: 'Batch', modelNumber: 'M', batchNumber: 'B' })
    const item = await make({ idGranularity: 'item', name: 'Item', batchNumber: 'B', itemNumber: 'I' })
    const other = await make({ idGranularity: 'item', name: 'Other', modelNumber: 'N', itemNumber: 'O' })
    const ofModel = await preview(model, 'suspension', true)
    expect(ofModel).to.deep.include({ matched: 3, willChange: 1 })
    expect(ofModel.samples.map(({ id }) => id)).to.deep.equal([model, batch, item])
    expect(ofModel.samples.map(({ name }) => name)).to.deep.equal(['Model, M', 'Batch, B', 'Item, I'])
    expect(ofModel.skipped.map(({ count }) => count)).to.deep.equal([2])
    expect(ofModel.warnings).to.deep.equal(['1 version of its credential will be suspended.'])
    expect(await preview(batch, 'revocation', true)).to.deep.include({ matched: 2, willChange: 1 })
    const alone = await preview(other, 'revocation', true)
    expect(alone).to.deep.include({ matched: 1, willChange: 1, skipped: [] })
    expect(alone.warnings).to.deep.equal([
      '1 version of its credential will be revoked.',
      'A revocation is for good: it cannot be certified again.',
    ])
    const set = await shop.api.post(path(model), change('suspension', true))
    expect(set.body).to.include({ passport: model, suspended: true })
    expect(await preview(model, 'suspension', true)).to.deep.include({
      matched: 1,
      willChange: 0,
      skipped: [{ reason: 'It is suspended already', count: 1 }],
    })
    expect(await preview(model, 'suspension', false)).to.deep.include({ matched: 3, willChange: 1 })
    for (const id of [batch, item]) {
      const readiness = await shop.api.get(`/v1/dpp/passports/${id}/readiness`)
      expect(readiness.text).to.contain('parent_suspended')
    }
  })

  it('tells for a model with its batches and items what the change then does, and lifts it again', async () => {
    const make = (product: object) => buildCertifiedPassport(shop, { product })
    const model = await make({ idGranularity: 'model', name: 'Model', modelNumber: 'M' })
    const item = await make({ idGranularity: 'item', name: 'Item', modelNumber: 'M', itemNumber: 'I' })
    const other = await make({ idGranularity: 'item', name: 'Other', modelNumber: 'M', itemNumber: 'O' })
    const plain = await shop.api.post('/v1/dpp/passports', {
      application: shop.application,
      product: { idGranularity: 'item', name: 'Plain', modelNumber: 'M', itemNumber: 'P' },
    })
    const published = await shop.api.post(
      `/v1/dpp/passports/publish?skipCertification=true&filters[id][eq]=${plain.body.id}`,
    )
    await waitForJob(shop.api, `/v1/jobs/${published.body.jobId}`)
    expect((await shop.api.post(path(other), change('suspension', true))).body).to.include({ suspended: true })
    const countUpdates = async (id: string) =>
      (await listEventTypes(shop, id)).filter((type) => type === 'update').length
    const before = await countUpdates(item)
    const outline = await rehearse(shop, 'post', `${path(model)}?dryRun=true`, {
      ...change('suspension', true),
      cascade: true,
    })
    expect(outline).to.deep.include({ matched: 4, willChange: 2 })
    expect(outline.skipped).to.have.deep.members([
      { reason: 'It is suspended already', count: 1 },
      { reason: 'It has no credential', count: 1 },
    ])
    const set = await shop.api.post(path(model), { ...change('suspension', true), cascade: true })
    expect(set.body).to.include({ passport: model, suspended: true, changed: 2 })
    const isSuspended = async (id: string) => {
      const credential = await shop.api.get(`/v1/dpp/passports/${id}/vc.jsonld`)
      const verified = await shop.api.post('/v1/dpp/credentials/verify', credential.body)
      return verified.body.verified === false
    }
    for (const id of [model, item, other]) expect(await isSuspended(id), id).to.equal(true)
    const again = await shop.api.post(path(model), { ...change('suspension', true), cascade: true })
    expect(again.body).to.include({ suspended: true, changed: 0, changedAt: set.body.changedAt })
    const lifted = await shop.api.post(path(model), { ...change('suspension', false), cascade: true })
    expect(lifted.body).to.include({ suspended: false, changed: 3 })
    for (const id of [model, item, other]) expect(await isSuspended(id), id).to.equal(false)
    expect(await countUpdates(item)).to.equal(before + 2)
  })

  it('is refused like the act', async () => {
    const { id } = await buildPassport(shop, await buildSheet(shop))
    const body = change('revocation', true)
    const refused = await shop.api.post(`${path(id)}?dryRun=true`, body)
    expect([formatVerdict(refused), listFaultPaths(refused)]).to.deep.equal(['422 VALIDATION_FAILED', ['id']])
    const certified = await buildCertifiedPassport(shop)
    expect((await shop.api.post(path(certified), body)).status).to.equal(200)
    const lifted = await shop.api.post(`${path(certified)}?dryRun=true`, change('revocation', false))
    expect([formatVerdict(lifted), listFaultPaths(lifted)]).to.deep.equal(['422 VALIDATION_FAILED', ['value']])
    const foreign = await (await buildShop()).api.post(`${path(certified)}?dryRun=true`, body)
    expect(formatVerdict(foreign)).to.equal('404 NOT_FOUND')
    const reader = createApiClient((await buildKey(shop.organization, { dpp: ['read'] })).key)
    expect(formatVerdict(await reader.post(`${path(certified)}?dryRun=true`, body))).to.equal(
      '403 AUTH_INSUFFICIENT_PERMISSIONS',
    )
  })
})
