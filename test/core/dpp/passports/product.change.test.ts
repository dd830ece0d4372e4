import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Passport } from '../../../../core/features/dpp/index.ts'
import { createApiClient } from '../../../support/client.ts'
import { handPassportToShop } from '../../../support/rows/dpp/passports.ts'
import { getOperator } from '../../identity/people.ts'
import {
  buildDescribedPassport,
  buildKey,
  buildPassport,
  buildProductPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { listEventTypes, listFaultPaths, readPassport, formatVerdict } from './fixtures.ts'
import { everyMember, createNested, publishPassports } from './products.ts'

describe('PATCH /v1/dpp/passports/{id} without a sheet', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  const change = (id: string, body: object, headers: Record<string, string> = {}) =>
    shop.api.patch(`/v1/dpp/passports/${id}`, body, { headers })

  /** Verdict and paths of a refused change, which leaves the passport as it was. */
  async function refused({ id }: Passport, body: object): Promise<string> {
    const before = await readPassport(shop.api, id)
    const answer = await change(id, body)
    expect(await readPassport(shop.api, id)).to.deep.equal(before)
    return `${formatVerdict(answer)}: ${listFaultPaths(answer).sort().join(' ')}`
  }

  it('merges product and data deeply', async () => {
    const made = await buildProductPassport(
      shop,
      { productImage: { linkURL: 'https://a.example/', linkName: 'A' } },
      {
        data: { a: { b: 1, c: 2 }, list: [1, 2] },
        certifiedPaths: ['a.b'],
      },
    )
    const changed = await change(made.id, {
      product: { description: 'Of wool', productImage: { linkName: 'B' } },
      data: { a: { b: null, d: 3 }, list: [3] },
      certifiedPaths: ['a.d', 'list'],
      certificateUri: 'https://c.example/1',
    })
    expect(changed.status, changed.text).to.equal(200)
    expect(changed.body).to.deep.include({
      product: {
        ...(made.product as object),
        description: 'Of wool',
        productImage: { linkURL: 'https://a.example/', linkName: 'B' },
      },
      data: { a: { c: 2, d: 3 }, list: [3] },
      certifiedPaths: ['a.d', 'list'],
      certificateUri: 'https://c.example/1',
    })
    expect(await readPassport(shop.api, made.id)).to.deep.equal(changed.body)
    expect((await change(made.id, { data: { list: [3] }, product: { name: 'Bag' } })).body).to.deep.equal(changed.body)
    expect(await listEventTypes(shop, made.id)).to.deep.equal(['create', 'update'])
  })

  it('keeps the paths of values that go, as there is only less to certify then', async () => {
    const { id } = await buildProductPassport(shop, {}, { data: { a: 1, b: 2 }, certifiedPaths: ['a', 'b'] })
    const changed = await change(id, { data: { a: null } })
    expect([changed.status, changed.body['certifiedPaths']]).to.deep.equal([200, ['a', 'b']])
  })

  it('judges what comes out of it', async () => {
    const made = await buildProductPassport(
      shop,
      {},
      { data: { opt_in_form: `ipfs://b${'a'.repeat(58)}`, deep: createNested(18) } },
    )
    const wrong: [object, string][] = [
      [
        { product: { name: null, idGranularity: 'crate', itemNumber: 5 } },
        'product.idGranularity product.itemNumber product.name',
      ],
      [
        { product: { type: ['Product'], countryOfProduction: {} } },
        'product.countryOfProduction.countryCode product.type',
      ],
      [{ product: { idGranularity: 'batch' } }, 'product.batchNumber product.itemNumber product.modelNumber'],
      [
        { product: { productCategory: [{ ...everyMember.productCategory[0], rank: 1 }] } },
        'product.productCategory[0].rank',
      ],
      [{ data: { opt_in_form: 'https://a.example/' } }, 'data.opt_in_form'],
      [{ data: { deep: createNested(20) } }, `data.deep${'.a'.repeat(19)}`],
      [{ certifiedPaths: ['deep.a', 'no..where'] }, 'certifiedPaths[1]'],
      [{ data: { deep: null }, certifiedPaths: ['deep.'] }, 'certifiedPaths[0]'],
      [{ fields: {} }, 'fields'],
      [{ product: null, data: null }, 'data product'],
      [{ product: 'x' }, 'product'],
      [{ application: shop.application, network: 'EthereumAnvil', source: 'import' }, 'application network source'],
      [{ status: 'published' }, 'status'],
    ]
    for (const [body, paths] of wrong) expect(await refused(made, body)).to.equal(`422 VALIDATION_FAILED: ${paths}`)
    const ofSheet = await buildPassport(shop, await buildSheet(shop))
    expect(await refused(ofSheet, { product: { name: 'X' }, data: {} })).to.equal('422 VALIDATION_FAILED: data product')
  })

  it('keeps granularity and numbers once published', async () => {
    const made = await buildDescribedPassport(shop, { idGranularity: 'model', name: 'M', modelNumber: randomUUID() })
    expect((await change(made.id, { product: { modelNumber: randomUUID() } })).status).to.equal(200)
    await publishPassports(shop, made.id)
    const fixed = '409 DPP_PASSPORT_IDENTITY_FIXED: product'
    expect(await refused(made, { product: { modelNumber: randomUUID() } })).to.equal(fixed)
    const item = { idGranularity: 'item', itemNumber: randomUUID() }
    expect(await refused(made, { product: item })).to.equal(fixed)
    expect((await change(made.id, { product: { name: 'Renamed' }, data: { a: 1 } })).status).to.equal(200)
    await change(made.id, { status: 'archived' })
    expect(await refused(made, { product: item })).to.equal(fixed)
  })

  it('archives for good, a draft too', async () => {
    const made = await buildProductPassport(shop)
    expect((await change(made.id, { status: 'archived' })).body['status']).to.equal('archived')
    expect((await change(made.id, { status: 'archived' })).status).to.equal(200)
    expect(await refused(made, { status: 'draft' })).to.equal('422 VALIDATION_FAILED: status')
    expect((await createApiClient().get(`/v1/dpp/passports/${made.id}`)).body['status']).to.equal('archived')
  })

  it('takes neither reference nor numbers of another, however many ask at once', async () => {
    const held = await buildProductPassport(shop, {}, { reference: 'held-product' })
    const { itemNumber } = held.product as { itemNumber: string }
    const made = await buildProductPassport(shop)
    for (const body of [{ reference: 'held-product' }, { product: { itemNumber } }]) {
      const {
        status,
        body: { code, existing },
      } = await change(made.id, body)
      expect([status, code, existing]).to.deep.equal([409, 'DPP_PASSPORT_DUPLICATE_REFERENCE', held.id])
    }
    expect((await change(held.id, { reference: 'held-product', product: { itemNumber, name: 'N' } })).status).to.equal(
      200,
    )
    const many = await Promise.all(Array.from({ length: 12 }, () => buildProductPassport(shop)))
    const free = { product: { itemNumber: randomUUID() } }
    const answers = await Promise.all(many.map(({ id }) => change(id, free)))
    const winner = answers.find(({ status }) => status === 200)?.body['id']
    expect(answers.map((answer) => `${formatVerdict(answer)} ${answer.body['existing'] ?? ''}`).sort()).to.deep.equal([
      '200 ',
      ...Array.from({ length: 11 }, () => `409 DPP_PASSPORT_DUPLICATE_REFERENCE ${winner}`),
    ])
  })

  it('is refused for what a shop keeps, and for who may not', async () => {
    const made = await buildProductPassport(shop)
    await handPassportToShop((await getOperator()).db, made.id)
    expect(await refused(made, { product: { name: 'X' } })).to.equal('403 DPP_PASSPORT_SOURCE_READ_ONLY: ')
    expect(formatVerdict(await shop.api.delete(`/v1/dpp/passports/${made.id}`))).to.equal(
      '403 DPP_PASSPORT_SOURCE_READ_ONLY',
    )
    const reader = createApiClient((await buildKey(shop.organization, { dpp: ['read'] })).key)
    expect(formatVerdict(await reader.patch(`/v1/dpp/passports/${made.id}`, {}))).to.equal(
      '403 AUTH_INSUFFICIENT_PERMISSIONS',
    )
    const other = await buildShop()
    expect(formatVerdict(await other.api.patch(`/v1/dpp/passports/${made.id}`, {}))).to.equal('404 NOT_FOUND')
  })

  it('is refused where the passport has changed since it was read', async () => {
    const { id } = await buildProductPassport(shop)
    const { headers } = await shop.api.get(`/v1/dpp/passports/${id}`)
    const match = { 'if-match': String(headers['etag']) }
    expect((await change(id, { data: { a: 1 } }, match)).status).to.equal(200)
    expect(formatVerdict(await change(id, { data: { a: 2 } }, match))).to.equal('412 PRECONDITION_FAILED')
  })

  it('deletes a draft, and answers it as it was', async () => {
    const made = await buildProductPassport(shop)
    const { status, body } = await shop.api.delete(`/v1/dpp/passports/${made.id}`)
    expect([status, body]).to.deep.equal([200, made])
    expect(await listEventTypes(shop, made.id)).to.deep.equal(['create', 'delete'])
  })
})
