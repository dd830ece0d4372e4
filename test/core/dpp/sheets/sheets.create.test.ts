import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { listErrorPaths, type Tenant } from '../../applications/tenants.ts'
import { createSheetMaker, createApplication, passportsFields, productFields, type SheetMaker } from './sheet-maker.ts'

describe('POST /v1/dpp/products', () => {
  let own: Tenant
  let other: Tenant
  let application: string
  let create: SheetMaker['create']

  before(async () => {
    ;({ own, other, application, create } = await createSheetMaker())
  })

  it('needs application and name and fills in the rest', async () => {
    const created = await own.api.post('/v1/dpp/products', { application, name: 'Bag' })
    expect(created.status).to.equal(201)
    const { id, createdAt, updatedAt, ...rest } = created.body
    expect(created.headers['location']).to.equal(`/v1/dpp/products/${id}`)
    expect(rest).to.deep.equal({
      application,
      name: 'Bag',
      network: 'EthereumAnvil',
      version: 1,
      status: 'DRAFT',
      productFields: [],
      passportsFields: [],
      certifiedPaths: [],
      fields: {},
    })
    expect(createdAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(updatedAt).to.equal(createdAt)
    expect((await own.api.get(`/v1/dpp/products/${id}`)).body).to.deep.equal(created.body)
  })

  it('takes every member, and defaults stand in for values that are absent', async () => {
    const sent = {
      network: 'BaseSepolia',
      status: 'ACTIVE',
      productFields,
      passportsFields,
      certifiedPaths: ['brand', 'size.height', 'serialNumber', 'parts[].weight'],
    }
    const sheet = await create({ ...sent, fields: { brand: 'Acme', colour: null, size: { height: 3 } } })
    expect(sheet).to.deep.include({
      ...sent,
      fields: { brand: 'Acme', colour: 'red', size: { height: 3, unit: 'cm' } },
    })
  })

  it('takes the default network of its application', async () => {
    const elsewhere = await createApplication(own, { defaultNetwork: 'XdcApothem' })
    expect(await create({ application: elsewhere })).to.include({ network: 'XdcApothem' })
  })

  it('can be defined first and filled in later', async () => {
    expect(await create({ productFields })).to.deep.include({ fields: { colour: 'red' } })
    const refused = await own.api.post('/v1/dpp/products', { application, name: 'Bag', productFields, fields: {} })
    expect(refused.status).to.equal(422)
    expect(refused.body.errors?.[0]).to.deep.include({ path: 'fields.brand', code: 'required' })
  })

  it('names the path of whatever is wrong', async () => {
    const enumOf = (variants: unknown) => [{ name: 'a', type: 'enum', variants }]
    const wrong: [object, string][] = [
      [{ name: ' ' }, 'name'],
      [{ network: 'Mars' }, 'network'],
      [{ status: 'active' }, 'status'],
      [{ id: randomUUID() }, 'id'],
      [{ passportsFields: [{ name: 'a', type: 'number', min: 2, max: 1 }] }, 'passportsFields[0].min'],
      [{ productFields: [{ name: 'a', type: 'number', default: 'x' }] }, 'productFields[0].default'],
      [{ productFields: [{ name: '__proto__', type: 'text' }] }, 'productFields[0].name'],
      [{ productFields: [{ name: 'a', type: 'text', colour: 1 }] }, 'productFields[0].colour'],
      [
        { productFields: [{ name: 'a', type: 'array', itemsType: { name: '[]', type: 'text', min: 1 } }] },
        'productFields[0].itemsType.min',
      ],
      [{ passportsFields: enumOf([]) }, 'passportsFields[0].variants'],
      [{ passportsFields: enumOf(undefined) }, 'passportsFields[0].variants'],
      [{ passportsFields, certifiedPaths: ['serialNumber', 'nope'] }, 'certifiedPaths[1]'],
      [{ passportsFields, certifiedPaths: ['parts.weight'] }, 'certifiedPaths[0]'],
      [{ certifiedPaths: ['a', 'a'] }, 'certifiedPaths'],
      [{ productFields, fields: { brand: 'Acme', price: 3 } }, 'fields.price'],
      [{ productFields, fields: { brand: 'Acme', size: { height: -1 } } }, 'fields.size.height'],
      [{ productFields, fields: { brand: 'two\nlines' } }, 'fields.brand'],
    ]
    for (const [body, path] of wrong) {
      const refused = await own.api.post('/v1/dpp/products', { application, name: 'Bag', ...body })
      expect(refused.status, JSON.stringify(body)).to.equal(422)
      expect(listErrorPaths(refused), JSON.stringify(body)).to.include(path)
    }
  })

  it('reports every violation at once', async () => {
    const refused = await own.api.post('/v1/dpp/products', {
      application,
      name: 'Bag',
      productFields,
      fields: { colour: 'blue', price: 1 },
      certifiedPaths: ['x', 'y'],
    })
    expect(listErrorPaths(refused).sort()).to.deep.equal([
      'certifiedPaths[0]',
      'certifiedPaths[1]',
      'fields.brand',
      'fields.colour',
      'fields.price',
    ])
  })

  it('answers 400 where a documented member is missing, also in a nested definition', async () => {
    const nested = { name: 'a', type: 'object', fields: [{ name: 'b' }] }
    const missing: [object, string][] = [
      [{ name: 'Bag' }, 'application'],
      [{ application }, 'name'],
      [{ application, name: 'Bag', productFields: [{ type: 'text' }] }, 'productFields[0].name'],
      [{ application, name: 'Bag', productFields: [nested] }, 'productFields[0].fields[0].type'],
    ]
    for (const [body, path] of missing) {
      const refused = await own.api.post('/v1/dpp/products', body)
      expect(refused.status, path).to.equal(400)
      expect(refused.body.code).to.equal('INVALID_REQUEST')
      expect(listErrorPaths(refused)).to.include(path)
    }
  })

  it('holds both lists together to 500 definitions', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `f${index}`, type: 'text' }))
    await create({ productFields: many(250), passportsFields: many(250) })
    const refused = await own.api.post('/v1/dpp/products', {
      application,
      name: 'Bag',
      productFields: many(250),
      passportsFields: many(251),
    })
    expect(refused.status).to.equal(422)
    expect(listErrorPaths(refused)).to.deep.equal(['passportsFields'])
  })

  it('answers 404 for an absent application and a foreign one alike', async () => {
    const foreign = await createApplication(other)
    for (const id of [foreign, randomUUID()]) {
      const refused = await own.api.post('/v1/dpp/products', { application: id, name: 'Bag' })
      expect(refused.status).to.equal(404)
      expect(refused.body.code).to.equal('NOT_FOUND')
    }
  })

  it('needs dpp:create', async () => {
    const limited = await own.limited({ dpp: ['read', 'update', 'delete'], application: ['read'] })
    const refused = await limited.post('/v1/dpp/products', { application, name: 'Bag' })
    expect(refused.status).to.equal(403)
    expect(refused.body.permission).to.deep.equal({ resource: 'dpp', action: 'create' })
  })
})
