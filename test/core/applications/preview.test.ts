import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createApiClient } from '../../support/client.ts'
import { rehearse } from '../../support/dpp/dry-runs.ts'
import {
  buildApplication,
  buildCertifiedPassport,
  buildKey,
  buildPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../support/world.ts'
import { formatVerdict, waitForJob } from '../dpp/passports/fixtures.ts'

let shop: Shop

beforeEach(async () => void (shop = await buildShop()))

const preview = (path: string) => rehearse(shop, 'delete', `${path}?dryRun=true`)
/** Expects the dry run to be refused like the act, and to strangers and callers without permission. */
async function expectGuarded(path: string): Promise<void> {
  const foreign = await (await buildShop()).api.delete(`${path}?dryRun=true`)
  expect(formatVerdict(foreign)).to.equal('404 NOT_FOUND')
  const key = await buildKey(shop.organization, { dpp: ['read', 'update'], application: ['read', 'update'] })
  const reader = createApiClient(key.key)
  expect(formatVerdict(await reader.delete(`${path}?dryRun=true`))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
  const stale = { headers: { 'if-match': '"stale"' } }
  expect(formatVerdict(await shop.api.delete(`${path}?dryRun=true`, stale))).to.equal('412 PRECONDITION_FAILED')
}
async function expectGone(path: string): Promise<void> {
  expect((await shop.api.delete(path)).status).to.equal(200)
  expect((await shop.api.get(path)).status).to.equal(404)
}

describe('DELETE /v1/applications/{appId}?dryRun=true', () => {
  it('counts what goes with it', async () => {
    const application = await buildApplication(shop.organization)
    const path = `/v1/applications/${application}`
    const { name } = (await shop.api.get(path)).body
    expect(await preview(path)).to.deep.equal({
      matched: 1,
      willChange: 1,
      samples: [{ id: application, name }],
      skipped: [],
      warnings: [],
    })
    const sheets = [await buildSheet({ ...shop, application }), await buildSheet({ ...shop, application })]
    const mapper = await shop.api.post('/v1/import/mappers', {
      application,
      type: 'file',
      name: 'Export',
      format: 'csv',
      rows: [{ destination: 'reference', kind: 'field', source: 'sku' }],
    })
    expect(mapper.status, mapper.text).to.equal(201)
    expect((await preview(path)).warnings).to.deep.equal([
      '2 product sheets will be deleted too.',
      '1 import mapper will be deleted too.',
    ])
    await expectGuarded(path)
    await expectGone(path)
    for (const id of sheets) expect((await shop.api.get(`/v1/dpp/products/${id}`)).status).to.equal(404)
    expect((await shop.api.get(`/v1/import/mappers/${String(mapper.body['id'])}`)).status).to.equal(404)
  })

  it('is refused like the act', async () => {
    await buildPassport(shop, await buildSheet(shop))
    const refused = await shop.api.delete(`/v1/applications/${shop.application}?dryRun=true`)
    expect(formatVerdict(refused)).to.equal('409 APPLICATION_IN_USE')
  })
})

describe('DELETE /v1/dpp/products/{id}?dryRun=true', () => {
  it('names the sheet, and is refused like the act', async () => {
    const sheet = await buildSheet(shop)
    const path = `/v1/dpp/products/${sheet}`
    expect(await preview(path)).to.deep.include({ willChange: 1, samples: [{ id: sheet, name: 'Bag' }], warnings: [] })
    const { id } = await buildPassport(shop, sheet)
    expect(formatVerdict(await shop.api.delete(`${path}?dryRun=true`))).to.equal('409 DPP_PRODUCT_HAS_PASSPORTS')
    await shop.api.delete(`/v1/dpp/passports/${id}`)
    const passportsFields = [{ name: 'serialNumber', type: 'string' }]
    expect((await shop.api.patch(path, { passportsFields })).status).to.equal(200)
    expect((await preview(path)).warnings).to.deep.equal(['1 earlier version of its definitions go with it.'])
    await expectGuarded(path)
    await expectGone(path)
  })
})

describe('DELETE /v1/dpp/passports/{id}?dryRun=true', () => {
  it('says what goes with the passport', async () => {
    const sheet = await buildSheet(shop)
    const draft = await buildPassport(shop, sheet, { reference: 'one' })
    expect(await preview(`/v1/dpp/passports/${draft.id}`)).to.deep.include({
      matched: 1,
      willChange: 1,
      samples: [{ id: draft.id, name: 'Bag, one' }],
      warnings: [],
    })
    const path = `/v1/dpp/passports/${await buildCertifiedPassport(shop)}`
    expect((await preview(path)).warnings).to.deep.equal([
      'It is published: its page and the links to it will lead nowhere.',
      'Its certificate goes with it, in 1 version.',
    ])
    await expectGuarded(path)
    await expectGone(path)
  })

  it('is refused like the act', async () => {
    const sheet = await buildSheet(shop)
    const minted = await shop.api.post(`/v1/dpp/products/${sheet}/mint`, [{ serialNumber: randomUUID() }])
    const job = await waitForJob(shop.api, `/v1/dpp/products/${sheet}/mint/${String(minted.body['jobId'])}/status`)
    const path = `/v1/dpp/passports/${job.results[0]?.passport}`
    expect(formatVerdict(await shop.api.delete(`${path}?dryRun=true`))).to.equal('409 DPP_PASSPORT_ALREADY_MINTED')
  })
})

describe('DELETE /v1/import/mappers/{id}?dryRun=true', () => {
  it('names the mapper, and what it keeps', async () => {
    const made = await shop.api.post('/v1/import/mappers', {
      application: shop.application,
      type: 'url',
      name: 'Nightly',
      format: 'csv',
      url: 'https://files.example.com/products.csv',
      schedule: '0 3 * * *',
      headers: { Authorization: 'Bearer one' },
      rows: [{ destination: 'reference', kind: 'field', source: 'sku' }],
    })
    expect(made.status, made.text).to.equal(201)
    const path = `/v1/import/mappers/${String(made.body['id'])}`
    expect(await preview(path)).to.deep.equal({
      matched: 1,
      willChange: 1,
      samples: [{ id: made.body['id'], name: 'Nightly' }],
      skipped: [],
      warnings: [
        'Its schedule (0 3 * * *) goes with it: nothing more is fetched.',
        'The headers that it keeps go with it and cannot be read again.',
      ],
    })
    await expectGuarded(path)
    await expectGone(path)
  })
})
