import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { insertClaim } from '../../../support/rows/dpp/claims.ts'
import { lockPassport, queueUnknownMint } from '../../../support/rows/dpp/passports.ts'
import { openDatabase, listErrorPaths, type Row, type Tenant } from '../../applications/tenants.ts'
import { createSheetMaker, passportsFields, productFields, sheetStatuses, type SheetMaker } from './sheet-maker.ts'

describe('PATCH /v1/dpp/products/{id}', () => {
  let own: Tenant
  let other: Tenant
  let application: string
  let create: SheetMaker['create']
  let passportOf: SheetMaker['passportOf']

  before(async () => {
    ;({ own, other, application, create, passportOf } = await createSheetMaker())
  })

  it('moves between all states while nothing was minted', async () => {
    const { id } = await create()
    for (const from of sheetStatuses) {
      for (const to of sheetStatuses) {
        await own.api.patch(`/v1/dpp/products/${id}`, { status: from })
        const moved = await own.api.patch(`/v1/dpp/products/${id}`, { status: to })
        expect(moved.status, `${from} ${to}`).to.equal(200)
        expect(moved.body.status).to.equal(to)
      }
    }
  })

  it('merges values deeply, replaces lists and removes with null', async () => {
    const { id } = await create({
      productFields,
      fields: { brand: 'Acme', colour: 'green', size: { height: 3, unit: 'in' } },
    })
    const changed = await own.api.patch(`/v1/dpp/products/${id}`, { fields: { colour: null, size: { height: 4 } } })
    expect(changed.status, changed.text).to.equal(200)
    expect(changed.body.fields).to.deep.equal({ brand: 'Acme', colour: 'red', size: { height: 4, unit: 'in' } })
    const shorter = await own.api.patch(`/v1/dpp/products/${id}`, {
      productFields: productFields.slice(0, 1),
      fields: { colour: null, size: null },
    })
    expect(shorter.body).to.deep.include({ productFields: productFields.slice(0, 1), fields: { brand: 'Acme' } })
    expect((await own.api.get(`/v1/dpp/products/${id}`)).body).to.deep.equal(shorter.body)
  })

  it('judges values and certified paths against the definitions as they will be', async () => {
    const { id } = await create({
      productFields,
      passportsFields,
      fields: { brand: 'Acme' },
      certifiedPaths: ['serialNumber'],
    })
    const path = `/v1/dpp/products/${id}`
    const cases: [object, string][] = [
      [{ fields: { brand: null } }, 'fields.brand'],
      [{ fields: { extra: 1 } }, 'fields.extra'],
      [{ passportsFields: [] }, 'certifiedPaths[0]'],
      [{ productFields: [] }, 'fields.brand'],
      [{ certifiedPaths: ['serialNumber', 'gone'] }, 'certifiedPaths[1]'],
      [{ productFields: [{ name: 'a', type: 'date', min: '2026-02-30' }] }, 'productFields[0].min'],
      [{ application }, 'application'],
      [{ id }, 'id'],
      [{ name: null }, 'name'],
      [{ status: null }, 'status'],
    ]
    for (const [body, at] of cases) {
      const refused = await own.api.patch(path, body)
      expect(refused.status, JSON.stringify(body)).to.equal(422)
      expect(listErrorPaths(refused), JSON.stringify(body)).to.include(at)
    }
  })

  it('takes new definitions that no present passport meets with migrate only, for passports made from now on', async () => {
    const { id } = await create({ passportsFields: [{ name: 'serial', type: 'string' }] })
    const passport = await passportOf(id, { serial: 'one' })
    const definitions = { passportsFields: [{ name: 'number', type: 'number', required: true }] }
    expect((await own.api.patch(`/v1/dpp/products/${id}`, definitions)).status).to.equal(409)
    expect((await own.api.patch(`/v1/dpp/products/${id}`, { ...definitions, migrate: true })).status).to.equal(202)
    expect((await own.api.get(`/v1/dpp/passports/${passport}`)).body.fields).to.deep.equal({ serial: 'one' })
    const refused = await own.api.post('/v1/dpp/passports', { product: id, fields: { serial: 'two' } })
    expect(listErrorPaths(refused).sort()).to.deep.equal(['fields.number', 'fields.serial'])
    await passportOf(id, { number: 2 })
  })

  it('leaves the sheet untouched by a patch that changes nothing', async () => {
    const sheet = await create({ productFields, fields: { brand: 'Acme' } })
    const same = await own.api.patch(`/v1/dpp/products/${sheet['id']}`, {
      name: 'Bag',
      fields: { brand: 'Acme' },
      productFields,
    })
    expect(same.body).to.deep.equal(sheet)
  })

  it('takes merge-patch bodies and refuses to overwrite what changed since it was read', async () => {
    const { id } = await create()
    const path = `/v1/dpp/products/${id}`
    const etag = String((await own.api.get(path)).headers['etag'])
    const headers = { 'content-type': 'application/merge-patch+json', 'if-match': etag }
    const first = await own.api.patch(path, { name: 'First' }, { headers })
    expect(first.status, first.text).to.equal(200)
    const late = await own.api.patch(path, { name: 'Late' }, { headers })
    expect(late.status).to.equal(412)
    expect(late.body.code).to.equal('PRECONDITION_FAILED')
    const lateDelete = await own.api.delete(path, { headers: { 'if-match': etag } })
    expect(lateDelete.body.code).to.equal('PRECONDITION_FAILED')
    expect(
      (await own.api.patch(path, { name: 'Next' }, { headers: { 'if-match': String(first.headers['etag']) } })).status,
    ).to.equal(200)
  })

  it('loses none of several simultaneous changes of one sheet', async () => {
    const { id } = await create({
      productFields: Array.from({ length: 8 }, (_, at) => ({ name: `f${at}`, type: 'number' })),
    })
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => own.api.patch(`/v1/dpp/products/${id}`, { fields: { [`f${at}`]: at } })),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal(new Array(8).fill(200))
    expect(Object.keys((await own.api.get(`/v1/dpp/products/${id}`)).body.fields ?? {})).to.have.length(8)
  })

  it('never goes back to DRAFT nor to another network once a passport was minted', async () => {
    const { id } = await create({ status: 'ACTIVE' })
    const path = `/v1/dpp/products/${id}`
    const passport = await passportOf(id)
    await queueUnknownMint(openDatabase(), passport)
    const draft = await own.api.patch(path, { status: 'DRAFT' })
    expect(draft.status).to.equal(409)
    expect(draft.body.code).to.equal('DPP_PRODUCT_STATUS_FINAL')
    const network = await own.api.patch(path, { network: 'BaseSepolia' })
    expect(network.status).to.equal(409)
    expect(network.body.code).to.equal('DPP_PRODUCT_NETWORK_FIXED')
    expect((await own.api.patch(path, { network: 'EthereumAnvil', status: 'ARCHIVED' })).status).to.equal(200)
    expect((await own.api.patch(path, { status: 'UNLISTED' })).status).to.equal(200)
  })

  it('takes its passports to another network while none was minted', async () => {
    const { id } = await create()
    const passport = await passportOf(id)
    expect((await own.api.patch(`/v1/dpp/products/${id}`, { network: 'BaseSepolia' })).body.network).to.equal(
      'BaseSepolia',
    )
    expect((await own.api.get(`/v1/dpp/passports/${passport}`)).body.network).to.equal('BaseSepolia')
  })

  it('changes the network while its passports change', async () => {
    const { id } = await create({ passportsFields: [{ name: 'count', type: 'number' }] })
    const passports = [await passportOf(id), await passportOf(id), await passportOf(id)]
    for (let round = 0; round < 6; round += 1) {
      const network = round % 2 ? 'EthereumAnvil' : 'BaseSepolia'
      const answers = await Promise.all([
        ...passports.map((passport) => own.api.patch(`/v1/dpp/passports/${passport}`, { fields: { count: round } })),
        own.api.patch(`/v1/dpp/products/${id}`, { network }),
      ])
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200])
      for (const passport of passports) {
        const { body } = await own.api.get(`/v1/dpp/passports/${passport}`)
        expect(body).to.deep.include({ network, fields: { count: round } })
      }
    }
  })

  it('waits for a claim that is being accepted before it moves the network', async () => {
    const { id } = await create({ status: 'ACTIVE' })
    const passport = await passportOf(id)
    const moved = await openDatabase().transaction(async (trx) => {
      await lockPassport(trx, passport)
      const moving = own.api.patch(`/v1/dpp/products/${id}`, { network: 'BaseSepolia' })
      await insertClaim(trx, { organization: own.organization, application, passport })
      await new Promise((resolve) => setTimeout(resolve, 300))
      return { moving }
    })
    expect((await moved.moving).body.code).to.equal('DPP_PRODUCT_NETWORK_FIXED')
  })

  it('does not tell a foreign sheet from an absent one, whatever its status', async () => {
    const { id } = await create({ status: 'ACTIVE' })
    const same = ({ instance: _instance, requestId: _requestId, ...rest }: Row) => rest
    const absent = randomUUID()
    for (const [method, suffix, body] of [
      ['PATCH', '', { name: 'Mine' }],
      ['DELETE', '', undefined],
      ['GET', '/stats', undefined],
    ] as const) {
      const foreign = await other.api.send(method, `/v1/dpp/products/${id}${suffix}`, body)
      expect(foreign.status, method).to.equal(404)
      expect(same(foreign.body)).to.deep.equal(
        same((await other.api.send(method, `/v1/dpp/products/${absent}${suffix}`, body)).body),
      )
    }
  })

  it('needs dpp:update', async () => {
    const { id } = await create()
    expect(
      (await (await own.limited({ dpp: ['read'] })).patch(`/v1/dpp/products/${id}`, { name: 'No' })).status,
    ).to.equal(403)
  })
})
