import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Passport } from '../../../../core/features/dpp/index.ts'
import { readSheetValues } from '../../../support/rows/dpp/passports.ts'
import { getOperator } from '../../identity/people.ts'
import { buildApplication, buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import { getBody, listEventTypes, listFaultPaths, getRows, formatVerdict } from './fixtures.ts'
import { everyMember, createNested } from './products.ts'

/** An ipfs address whose identifier looks like one. */
const form = `ipfs://b${'a'.repeat(58)}/form.png`

describe('POST /v1/dpp/passports without a sheet', () => {
  let shop: Shop
  let other: Shop

  before(async () => {
    shop = await buildShop()
    other = await buildShop()
  })

  const create = (body: object, by = shop) =>
    by.api.post('/v1/dpp/passports', { application: shop.application, ...body })
  const item = (more: object = {}) => ({ idGranularity: 'item', name: 'Bag', itemNumber: randomUUID(), ...more })
  const stored = async () => getRows(await shop.api.get('/v1/dpp/passports?pageSize=100')).length

  /** Verdict and paths of a refused body, which leaves nothing behind. */
  async function refused(body: object): Promise<string> {
    const before = await stored()
    const answer = await create(body)
    expect(await stored()).to.equal(before)
    return `${formatVerdict(answer)}: ${listFaultPaths(answer).sort().join(' ')}`
  }

  it('is a draft with a token id, on the default network of its application', async () => {
    const product = item({ productionDate: '2026-01-31', 'x-house': { any: ['thing'] } })
    const data = { color: 'red', made: { year: 2026 }, opt_in_form: form }
    const made = await create({ product, data, certifiedPaths: ['made.year'], reference: 'own' })
    expect(made.status, made.text).to.equal(201)
    const { id, tokenId, application, createdAt, updatedAt, ...rest } = made.body
    expect(made.headers['location']).to.equal(`/v1/dpp/passports/${id}`)
    expect([typeof tokenId, createdAt]).to.deep.equal(['string', updatedAt])
    expect(application).to.have.property('id', shop.application)
    expect(rest).to.deep.equal({
      network: 'EthereumAnvil',
      status: 'draft',
      source: 'manual',
      reference: 'own',
      product,
      data,
      model: null,
      batch: null,
      trust: null,
      certifiedPaths: ['made.year'],
      certificateUri: null,
      allowedClaimEmail: null,
      allowedClaimPhoneNumber: null,
      mintedTo: null,
      token: null,
      certificationStatus: 'none',
      certifiedAt: null,
      contentHash: null,
      ipfsCid: null,
      structureJob: null,
      certifyJob: null,
    })
    expect((await shop.api.get(`/v1/dpp/passports/${id}`)).body).to.deep.equal(made.body)
    expect(getRows(await shop.api.get(`/v1/dpp/passports?filters[id][eq]=${id}`))).to.deep.equal([made.body])
    const events = await shop.api.get(`/v1/events?filters[passport.id][eq]=${id}`)
    expect(getBody<{ data: { passport: Passport }[] }>(events).data.map(({ passport }) => passport)).to.deep.equal([
      { id },
    ])
    expect((await create({ product: item(), network: 'BaseSepolia' })).body['network']).to.equal('BaseSepolia')
  })

  it('takes every member that UNTP has, and answers a key with what it stored', async () => {
    const product = { ...everyMember, itemNumber: randomUUID() }
    const headers = { 'idempotency-key': randomUUID() }
    const sent = () => shop.api.post('/v1/dpp/passports', { application: shop.application, product }, { headers })
    const [made, again] = [await sent(), await sent()]
    expect(made.status, made.text).to.equal(201)
    expect(made.body['product']).to.deep.equal(product)
    expect([again.status, again.body, again.headers['idempotency-replayed']]).to.deep.equal([201, made.body, 'true'])
  })

  it('needs its application, and a name, a granularity and the numbers of it', async () => {
    const { status, body } = await shop.api.post('/v1/dpp/passports', { product: item() })
    expect([status, body['code'], listFaultPaths({ body } as never)]).to.deep.equal([
      400,
      'INVALID_REQUEST',
      ['application'],
    ])
    expect(await refused({ product: {} })).to.equal('400 INVALID_REQUEST: product.idGranularity product.name')
    const needed = {
      model: 'product.modelNumber',
      batch: 'product.batchNumber product.modelNumber',
      item: 'product.itemNumber',
    }
    for (const [idGranularity, paths] of Object.entries(needed)) {
      expect(await refused({ product: { idGranularity, name: 'X' } })).to.equal(`400 INVALID_REQUEST: ${paths}`)
    }
    const all = { name: 'X', modelNumber: 'm', batchNumber: 'b', itemNumber: 'i' }
    expect(await refused({ product: { ...all, idGranularity: 'model' } })).to.equal(
      '422 VALIDATION_FAILED: product.batchNumber product.itemNumber',
    )
    expect(await refused({ product: { ...all, idGranularity: 'batch' } })).to.equal(
      '422 VALIDATION_FAILED: product.itemNumber',
    )
  })

  it('holds a product to what UNTP says, each fault at its path', async () => {
    const wrong: [object, string][] = [
      [{ type: ['Product'], characteristics: { color: 'red' } }, 'product.characteristics product.type'],
      [{ idGranularity: 'pallet' }, 'product.idGranularity'],
      [
        { name: '', itemNumber: '\u0007', modelNumber: 'm'.repeat(201) },
        'product.itemNumber product.modelNumber product.name',
      ],
      [{ id: 'no uri', description: 5 }, 'product.description product.id'],
      [{ productionDate: '31.01.2026', expiryDate: '2026-02-30' }, 'product.expiryDate product.productionDate'],
      [{ countryOfProduction: { countryName: 'France' } }, 'product.countryOfProduction.countryCode'],
      [{ idScheme: { id: 'https://id.example/', name: 7 } }, 'product.idScheme.name'],
      [
        { productCategory: [{ code: '1', name: 'Bags', schemeId: 'x y' }] },
        'product.productCategory[0].schemeId product.productCategory[0].schemeName',
      ],
      [{ productImage: { linkURL: 'https://a.example/', linkName: 'A', color: 'red' } }, 'product.productImage.color'],
      [
        { relatedParty: [{ role: 'friend', party: { id: 'https://a.example/', name: 'A' } }] },
        'product.relatedParty[0].role',
      ],
      [
        { materialProvenance: [{ name: 'Wool', originCountry: { countryCode: 'IT' }, massFraction: 1.5 }] },
        'product.materialProvenance[0].massFraction product.materialProvenance[0].materialType',
      ],
      [{ dimensions: { weight: { value: '1', unit: 'KGM' } } }, 'product.dimensions.weight.value'],
      [
        { producedAtFacility: { id: 'https://a.example/', name: 'A', type: ['Shed'] } },
        'product.producedAtFacility.type',
      ],
      [{ relatedDocument: 'https://a.example/' }, 'product.relatedDocument'],
    ]
    for (const [members, paths] of wrong) {
      expect(await refused({ product: item(members) })).to.equal(`422 VALIDATION_FAILED: ${paths}`)
    }
    expect((await create({ product: item({ id: 'https://id.gs1.org/01/09520123456780/21/1' }) })).status).to.equal(201)
  })

  it('does not judge a wrong check digit, nor members that only a credential needs', async () => {
    expect((await create({ product: item({ gtin: '123', productionDate: '1999-01-01' }) })).status).to.equal(201)
  })

  it('refuses data and products that are too deep, too large or named to do harm', async () => {
    expect((await create({ product: item(), data: createNested(20) })).status).to.equal(201)
    expect(await refused({ product: item(), data: createNested(21) })).to.equal(
      `422 VALIDATION_FAILED: data${'.a'.repeat(20)}`,
    )
    expect(await refused({ product: item({ x: createNested(20) }) })).to.equal(
      `422 VALIDATION_FAILED: product.x${'.a'.repeat(19)}`,
    )
    const large = 'é'.repeat(128 * 1024)
    expect(await refused({ product: item(), data: { large } })).to.equal('422 VALIDATION_FAILED: data')
    expect(await refused({ product: item({ large }) })).to.equal('422 VALIDATION_FAILED: product')
    expect((await create({ product: item(), data: { a: 'x'.repeat(256 * 1024 - 8) } })).status).to.equal(201)
    for (const name of ['__proto__', 'constructor', 'prototype']) {
      const before = await stored()
      const raw = `{"application":"${shop.application}","product":{"idGranularity":"item","name":"X","itemNumber":"h","a":[{"${name}":1}]},
        "data":{"${name}":{"polluted":true}}}`
      const answer = await shop.api.post('/v1/dpp/passports', undefined, { raw })
      expect(`${formatVerdict(answer)}: ${listFaultPaths(answer)}`).to.equal(
        `422 VALIDATION_FAILED: product.a[0].${name},data.${name}`,
      )
      expect(await stored()).to.equal(before)
    }
    expect(({} as { polluted?: true }).polluted).to.equal(undefined)
    expect(await refused({ product: item(), data: { big: 'x'.repeat(20 * 1024 * 1024) } })).to.equal(
      '413 PAYLOAD_TOO_LARGE: ',
    )
  })

  it('certifies paths that lead somewhere in its data, or may once', async () => {
    const data = { a: { b: [{ c: 1 }], d: null }, 'x.y': 1 }
    const good = ['a', 'a.b', 'a.d', 'b', 'a.b.c', 'a.b.0', 'x.y', 'product.name']
    const made = await create({ product: item(), data, certifiedPaths: good })
    expect(made.status, made.text).to.equal(201)
    const bad = ['a..b', 'a.', '.a', '.', '__proto__', 'a.constructor']
    expect(await refused({ product: item(), data, certifiedPaths: bad })).to.equal(
      `422 VALIDATION_FAILED: ${bad
        .map((_, at) => `certifiedPaths[${at}]`)
        .sort()
        .join(' ')}`,
    )
    const model = await create({ product: item(), certifiedPaths: ['color'] })
    expect([model.status, model.body['certifiedPaths']]).to.deep.equal([201, ['color']])
    const ready = await shop.api.get(`/v1/dpp/passports/${String(model.body['id'])}/readiness`)
    expect(ready.text).to.contain('certified_path_empty').and.to.contain('nothing_to_certify')
    const filled = await shop.api.patch(`/v1/dpp/passports/${String(model.body['id'])}`, { data: { color: 'red' } })
    expect(filled.status, filled.text).to.equal(200)
    expect((await shop.api.get(`/v1/dpp/passports/${String(model.body['id'])}/readiness`)).text).not.to.contain(
      'certified_path_empty',
    )
    const built = { application: shop.application, product: item(), certifiedPaths: ['color'] }
    expect(formatVerdict(await shop.api.post('/v1/dpp/passports/build-vc', built))).to.equal(
      '422 DPP_VC_NOTHING_TO_CERTIFY',
    )
    expect((await shop.api.post('/v1/dpp/passports/build-vc', { ...built, data: { color: 'red' } })).status).to.equal(
      200,
    )
    expect(await refused({ product: item(), certifiedPaths: [''] })).to.equal(
      '422 VALIDATION_FAILED: certifiedPaths[0]',
    )
  })

  it('has an opt-in form only at an address of IPFS', async () => {
    for (const form of ['https://a.example/form.png', 'ipfs://form', 'ipfs://', `ipfs://b${'A'.repeat(58)}`, 5, null]) {
      expect(await refused({ product: item(), data: { opt_in_form: form } })).to.equal(
        '422 VALIDATION_FAILED: data.opt_in_form',
      )
    }
    const older = 'ipfs://QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG'
    expect((await create({ product: item(), data: { opt_in_form: older } })).status).to.equal(201)
  })

  it('has no member of the sheet flow, and a passport of a sheet none of its', async () => {
    expect(await refused({ product: item(), fields: {} })).to.equal('422 VALIDATION_FAILED: fields')
    const product = await buildSheet(shop)
    const fields = { serialNumber: 'A' }
    expect(await refused({ product, fields, data: {}, network: 'EthereumAnvil' })).to.equal(
      '422 VALIDATION_FAILED: data network',
    )
    expect(await refused({ product: item(), network: 'Moon', source: 'import' })).to.equal(
      '422 VALIDATION_FAILED: network source',
    )
    expect(await refused({ product: ['x'] })).to.equal('422 VALIDATION_FAILED: product')
    expect((await create({ product: 5 })).body['errors']).to.deep.equal([
      { path: 'product', code: 'type', message: 'must be string or object' },
    ])
    expect(await refused({ product: null })).to.equal('422 VALIDATION_FAILED: product')
    expect(await refused({ product: 'not-a-uuid' })).to.equal('422 VALIDATION_FAILED: product')
  })

  it('belongs to an application of the organization', async () => {
    for (const application of [other.application, randomUUID()]) {
      expect(await refused({ application, product: item() })).to.equal('404 NOT_FOUND: ')
    }
  })

  it('shares neither reference nor numbers with another of its application', async () => {
    const product = { idGranularity: 'batch', name: 'B', modelNumber: randomUUID(), batchNumber: 'b' }
    const {
      body: { id },
    } = await create({ product, reference: 'the-batch' })
    const taken = async (body: object) => {
      const {
        status,
        body: { code, existing },
      } = await create(body)
      return [status, code, existing]
    }
    const held = [409, 'DPP_PASSPORT_DUPLICATE_REFERENCE', id]
    expect(await taken({ product: { ...product, name: 'Other' } })).to.deep.equal(held)
    expect(await taken({ product: item(), reference: 'the-batch' })).to.deep.equal(held)
    expect(
      await taken({ product: await buildSheet(shop), fields: { serialNumber: 'x' }, reference: 'the-batch' }),
    ).to.deep.equal(held)
    await shop.api.patch(`/v1/dpp/passports/${id}`, { status: 'archived' })
    expect(await taken({ product })).to.deep.equal(held)
    expect((await create({ product: { ...product, batchNumber: 'c' } })).status).to.equal(201)
    const elsewhere = await buildApplication(shop.organization)
    expect((await create({ application: elsewhere, product, reference: 'the-batch' })).status).to.equal(201)
  })

  it('lets exactly one of 30 parallel creates have the numbers', async () => {
    const product = { idGranularity: 'item', name: 'One', itemNumber: randomUUID() }
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, at) => create({ product, reference: `race-${at % 15}-${product.itemNumber}` })),
    )
    const won = answers.filter(({ status }) => status === 201)
    expect(won).to.have.length(1)
    const others = new Set(
      answers
        .filter(({ status }) => status !== 201)
        .map((answer) => `${formatVerdict(answer)} ${answer.body['existing']}`),
    )
    expect([...others]).to.deep.equal([`409 DPP_PASSPORT_DUPLICATE_REFERENCE ${won[0]?.body['id']}`])
  })

  it('leaves its event with itself, or neither', async () => {
    const {
      body: { id },
    } = await create({ product: item() })
    expect(await listEventTypes(shop, String(id))).to.deep.equal(['create'])
    expect(await readSheetValues((await getOperator()).db, String(id))).to.deep.equal({ sheet: null, fields: {} })
  })
})
