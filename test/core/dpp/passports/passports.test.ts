import { createHash, randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { insertSheetDrafts } from '../../../support/rows/dpp/new-passports.ts'
import { handPassportToShop, queueUnknownMint } from '../../../support/rows/dpp/passports.ts'
import { getOperator } from '../../identity/people.ts'
import {
  buildApplication,
  buildBuyer,
  buildKey,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { listEventTypes, listFaultPaths, formatVerdict } from './fixtures.ts'

const anyone = createApiClient()
const hidden = ['allowedClaimEmail', 'allowedClaimPhoneNumber', 'reference', 'structureJob', 'certifyJob']

describe('/v1/dpp/passports', () => {
  let shop: Shop
  let other: Shop
  let sheet: string

  before(async () => {
    shop = await buildShop()
    other = await buildShop()
    sheet = await buildSheet(shop)
  })

  const create = (body: object, by = shop) =>
    by.api.post('/v1/dpp/passports', { product: sheet, fields: { serialNumber: 'A' }, ...body })
  const change = (id: unknown, patch: object, headers: Record<string, string> = {}) =>
    shop.api.patch(`/v1/dpp/passports/${id}`, patch, { headers })

  describe('POST /v1/dpp/passports', () => {
    it('makes a draft of the sheet, with its token id from the start', async () => {
      const made = await create({
        reference: 'first',
        fields: { serialNumber: 'A1', color: 'red', size: null },
        certifiedPaths: ['serialNumber', 'origin.country'],
        certificateUri: 'https://certificates.example/1',
        allowedClaimEmail: 'Ann@Example.com',
        allowedClaimPhoneNumber: '+33612345678',
      })
      expect(made.status, made.text).to.equal(201)
      const { id, application, createdAt, updatedAt, ...rest } = made.body
      expect(made.headers['location']).to.equal(`/v1/dpp/passports/${id}`)
      expect(application).to.include({ id: shop.application }).and.have.property('name')
      expect(createdAt).to.equal(updatedAt)
      expect(rest).to.deep.equal({
        tokenId: `0x${createHash('sha256').update(String(id)).digest('hex')}`,
        network: 'EthereumAnvil',
        status: 'draft',
        source: 'manual',
        reference: 'first',
        product: sheet,
        sheetVersion: 1,
        fields: { serialNumber: 'A1', color: 'red' },
        certifiedPaths: ['serialNumber', 'origin.country'],
        certificateUri: 'https://certificates.example/1',
        allowedClaimEmail: 'Ann@Example.com',
        allowedClaimPhoneNumber: '+33612345678',
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
      expect(await listEventTypes(shop, String(id))).to.deep.equal(['create'])
    })

    it('computes the token ids that the standard vectors have', async () => {
      const { db } = await getOperator()
      const vectors = {
        '00000000-0000-4000-8000-000000000000': '0xdb8055e0e0307d5a016bec4dc338d69875eb0fb7e614a8b125b08fb082095d98',
        '018f3f6e-7b1a-7c3d-9e2f-0123456789ab': '0x71b3d17cef0ec995a543a3246405b893f9590c462e838190654a373d10e74ca6',
      }
      await insertSheetDrafts(db, { ...shop, sheet }, Object.keys(vectors))
      for (const [id, tokenId] of Object.entries(vectors)) {
        expect((await shop.api.delete(`/v1/dpp/passports/${id}`)).body).to.have.property('tokenId', tokenId)
      }
    })

    it("takes a passport of a sheet of any status, and the sheet's defaults", async () => {
      for (const status of ['DRAFT', 'UNLISTED', 'ARCHIVED']) {
        const product = await buildSheet(shop, {
          status,
          passportsFields: [{ name: 'tone', type: 'string', required: true, default: 'warm' }],
        })
        const made = await shop.api.post('/v1/dpp/passports', { product })
        expect(made.status, made.text).to.equal(201)
        expect(made.body.fields).to.deep.equal({ tone: 'warm' })
      }
    })

    it('refuses values that the sheet does not take, all at once', async () => {
      const refused = await create({
        fields: { color: 'green', size: -1, unknown: 1, origin: { year: 'x' } },
        certifiedPaths: ['color', 'nowhere'],
      })
      expect(formatVerdict(refused)).to.equal('422 VALIDATION_FAILED')
      expect(listFaultPaths(refused)).to.have.members([
        'fields.serialNumber',
        'fields.color',
        'fields.size',
        'fields.unknown',
        'fields.origin.year',
        'certifiedPaths[1]',
      ])
    })

    it("refuses members that are not the caller's to set", async () => {
      for (const name of [
        'organization',
        'status',
        'mintedTo',
        'tokenId',
        'token',
        'source',
        'certificationStatus',
        'data',
        'id',
      ]) {
        const refused = await create({ [name]: 'x' })
        expect(`${name} ${formatVerdict(refused)}`).to.equal(`${name} 422 VALIDATION_FAILED`)
        expect(listFaultPaths(refused)).to.deep.equal([name])
      }
    })

    it('refuses values of the wrong form', async () => {
      const wrong = {
        product: 5,
        reference: '',
        certificateUri: 'http://plain.example/1',
        allowedClaimEmail: 'nobody',
        allowedClaimPhoneNumber: '0612345678',
        certifiedPaths: ['serialNumber', 'serialNumber'],
        fields: [],
      }
      for (const [name, value] of Object.entries(wrong)) {
        const refused = await create({ [name]: value })
        expect(`${name} ${formatVerdict(refused)}`).to.equal(`${name} 422 VALIDATION_FAILED`)
        expect(listFaultPaths(refused)).to.deep.equal([name])
      }
      expect(formatVerdict(await shop.api.post('/v1/dpp/passports', { fields: {} }))).to.equal('400 INVALID_REQUEST')
    })

    it('knows no sheet and no application of another organization', async () => {
      const foreign = await buildSheet(other)
      expect(formatVerdict(await create({ product: foreign }))).to.equal('404 NOT_FOUND')
      expect(formatVerdict(await create({ product: randomUUID() }))).to.equal('404 NOT_FOUND')
      expect(formatVerdict(await create({ application: other.application }))).to.equal('404 NOT_FOUND')
      const second = await buildApplication(shop.organization)
      const refused = await create({ application: second })
      expect(formatVerdict(refused)).to.equal('422 VALIDATION_FAILED')
      expect(listFaultPaths(refused)).to.deep.equal(['application'])
      expect((await create({ application: shop.application })).status).to.equal(201)
    })

    it('refuses a taken reference of the application and says who has it', async () => {
      const first = await buildPassport(shop, sheet, { reference: 'taken' })
      const refused = await create({ reference: 'taken' })
      expect(formatVerdict(refused)).to.equal('409 DPP_PASSPORT_DUPLICATE_REFERENCE')
      expect(refused.body).to.have.property('existing', first.id)
      const elsewhere = await buildSheet(other)
      expect((await create({ product: elsewhere, reference: 'taken' }, other)).status).to.equal(201)
    })

    it('lets exactly one of 50 parallel creates have a reference', async () => {
      for (let round = 0; round < 4; round++) {
        const answers = await Promise.all(Array.from({ length: 50 }, () => create({ reference: `race-${round}` })))
        const winners = answers.filter(({ status }) => status === 201)
        expect(winners).to.have.length(1)
        const others = new Set(
          answers
            .filter(({ status }) => status !== 201)
            .map((answer) => `${formatVerdict(answer)} ${answer.body.existing}`),
        )
        expect([...others]).to.deep.equal([`409 DPP_PASSPORT_DUPLICATE_REFERENCE ${winners[0]?.body.id}`])
      }
    })
  })

  describe('GET /v1/dpp/passports/{id}', () => {
    it("shows everyone what is published, without what is the organization's own", async () => {
      const passport = await buildPublishedPassport(shop, sheet, {
        reference: 'shown',
        allowedClaimEmail: 'ann@example.com',
      })
      const buyer = await buildBuyer(shop)
      const expected = Object.fromEntries(Object.entries(passport).filter(([name]) => !hidden.includes(name)))
      for (const reader of [anyone, other.api, buyer]) {
        const { status, body } = await reader.get(`/v1/dpp/passports/${passport.id}`)
        expect(status).to.equal(200)
        expect(body).to.deep.equal(expected)
      }
      expect(Object.keys(passport)).to.include.members(hidden)
      const blind = createApiClient((await buildKey(shop.organization, { loyalty: ['read'] })).key)
      expect((await blind.get(`/v1/dpp/passports/${passport.id}`)).body).to.deep.equal(expected)
    })

    it('hides a draft from everyone else, as if it were not there', async () => {
      const { id } = await buildPassport(shop, sheet)
      const absent = await anyone.get(`/v1/dpp/passports/${randomUUID()}`)
      const buyer = await buildBuyer(shop)
      for (const reader of [anyone, other.api, buyer]) {
        for (const path of ['', '/ownership']) {
          const refused = await reader.get(`/v1/dpp/passports/${id}${path}`)
          expect(formatVerdict(refused)).to.equal('404 NOT_FOUND')
          expect({ ...refused.body, instance: '', requestId: '' }).to.deep.equal({
            ...absent.body,
            instance: '',
            requestId: '',
          })
        }
      }
    })

    it('answers 304 to a reader who has it, and tells caches who may share it', async () => {
      const { id } = await buildPublishedPassport(shop, sheet)
      const own = await shop.api.get(`/v1/dpp/passports/${id}`)
      const open = await anyone.get(`/v1/dpp/passports/${id}`)
      expect(own.headers['etag']).to.match(/^"/).and.not.equal(open.headers['etag'])
      expect(String(own.headers['vary'])).to.include('Authorization').and.include('X-Api-Key').and.include('Cookie')
      expect(String(own.headers['cache-control'])).to.include('private')
      expect(String(open.headers['cache-control'])).to.not.include('private')
      const again = await anyone.get(`/v1/dpp/passports/${id}`, {
        headers: { 'if-none-match': String(open.headers['etag']) },
      })
      expect(again.status).to.equal(304)
      expect(again.text).to.equal('')
    })
  })

  describe('PATCH /v1/dpp/passports/{id}', () => {
    it('merges fields deeply, replaces the rest and clears with null', async () => {
      const { id } = await buildPassport(shop, sheet, {
        fields: { serialNumber: 'B1', color: 'red', origin: { country: 'FR', year: 2020 } },
        reference: 'to-clear',
        allowedClaimEmail: 'a@b.example',
      })
      const changed = await change(id, {
        fields: { color: null, origin: { year: 2021 } },
        reference: null,
        allowedClaimEmail: null,
        certifiedPaths: ['color'],
      })
      expect(changed.status, changed.text).to.equal(200)
      expect(changed.body).to.deep.include({
        fields: { serialNumber: 'B1', origin: { country: 'FR', year: 2021 } },
        reference: null,
        allowedClaimEmail: null,
        certifiedPaths: ['color'],
      })
      expect(String(changed.body.updatedAt) > String(changed.body.createdAt)).to.equal(true)
      expect((await shop.api.get(`/v1/dpp/passports/${id}`)).body).to.deep.equal(changed.body)
      expect(await listEventTypes(shop, String(id))).to.deep.equal(['create', 'update'])
    })

    it('judges the merged values', async () => {
      const { id } = await buildPassport(shop, sheet)
      const refused = await change(id, { fields: { serialNumber: null, color: 'green' } })
      expect(formatVerdict(refused)).to.equal('422 VALIDATION_FAILED')
      expect(listFaultPaths(refused)).to.have.members(['fields.serialNumber', 'fields.color'])
      expect(listFaultPaths(await change(id, { certifiedPaths: ['nowhere'] }))).to.deep.equal(['certifiedPaths[0]'])
    })

    it('leaves no trace of a change that changes nothing', async () => {
      const passport = await buildPassport(shop, sheet, { fields: { serialNumber: 'C1', color: 'red' } })
      const same = await change(passport.id, { fields: { color: 'red' }, status: 'draft', reference: null })
      expect(same.body).to.deep.equal(passport)
      expect(await listEventTypes(shop, String(passport.id))).to.deep.equal(['create'])
    })

    it('archives for good, a draft too', async () => {
      for (const make of [buildPassport, buildPublishedPassport]) {
        const { id, status } = await make(shop, sheet)
        for (const wanted of ['draft', 'published', 'claimed'].filter((word) => word !== String(status))) {
          expect(formatVerdict(await change(id, { status: wanted }))).to.equal('422 VALIDATION_FAILED')
        }
        expect((await change(id, { status: 'archived' })).body.status).to.equal('archived')
        expect((await change(id, { status: 'archived' })).status).to.equal(200)
        expect(formatVerdict(await change(id, { status: 'published' }))).to.equal('422 VALIDATION_FAILED')
        expect((await anyone.get(`/v1/dpp/passports/${id}`)).body.status).to.equal('archived')
      }
    })

    it('refuses what has changed since it was read', async () => {
      const { id } = await buildPassport(shop, sheet)
      const { headers } = await shop.api.get(`/v1/dpp/passports/${id}`)
      const match = { 'if-match': String(headers['etag']) }
      const first = await change(id, { fields: { color: 'red' } }, match)
      expect(first.status).to.equal(200)
      expect(formatVerdict(await change(id, { fields: { color: 'blue' } }, match))).to.equal('412 PRECONDITION_FAILED')
      expect(
        (await change(id, { fields: { color: 'blue' } }, { 'if-match': String(first.headers['etag']) })).status,
      ).to.equal(200)
    })

    it('refuses a taken reference, however it was taken', async () => {
      const holder = await buildPassport(shop, sheet, { reference: 'held' })
      const { id } = await buildPassport(shop, sheet)
      const refused = await change(id, { reference: 'held' })
      expect(formatVerdict(refused)).to.equal('409 DPP_PASSPORT_DUPLICATE_REFERENCE')
      expect(refused.body).to.have.property('existing', holder.id)
      const many = await Promise.all(Array.from({ length: 12 }, () => buildPassport(shop, sheet)))
      const answers = await Promise.all(many.map((passport) => change(passport.id, { reference: 'grabbed' })))
      expect(answers.filter(({ status }) => status === 200)).to.have.length(1)
      const winner = answers.find(({ status }) => status === 200)?.body.id
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expect(`${formatVerdict(answer)} ${answer.body.existing}`).to.equal(
          `409 DPP_PASSPORT_DUPLICATE_REFERENCE ${winner}`,
        )
      }
    })

    it('refuses members that cannot change', async () => {
      const { id } = await buildPassport(shop, sheet)
      for (const name of [
        'product',
        'application',
        'network',
        'source',
        'tokenId',
        'mintedTo',
        'certificationStatus',
      ]) {
        expect(listFaultPaths(await change(id, { [name]: null }))).to.deep.equal([name])
      }
    })

    it('is for the organization alone', async () => {
      const { id } = await buildPublishedPassport(shop, sheet)
      expect(formatVerdict(await other.api.patch(`/v1/dpp/passports/${id}`, {}))).to.equal('404 NOT_FOUND')
      expect(formatVerdict(await other.api.delete(`/v1/dpp/passports/${id}`))).to.equal('404 NOT_FOUND')
      expect(formatVerdict(await anyone.patch(`/v1/dpp/passports/${id}`, {}))).to.equal('401 AUTH_UNAUTHENTICATED')
    })
  })

  describe('DELETE /v1/dpp/passports/{id}', () => {
    it('answers the passport as it was and leaves an event with it', async () => {
      const passport = await buildPassport(shop, sheet)
      const gone = await shop.api.delete(`/v1/dpp/passports/${passport.id}`)
      expect(gone.body).to.deep.equal(passport)
      expect(formatVerdict(await shop.api.get(`/v1/dpp/passports/${passport.id}`))).to.equal('404 NOT_FOUND')
      expect(await listEventTypes(shop, String(passport.id))).to.deep.equal(['create', 'delete'])
    })

    it('refuses a passport that a mint waits for', async () => {
      const { id } = await buildPassport(shop, sheet)
      await queueUnknownMint((await getOperator()).db, id)
      expect(formatVerdict(await shop.api.delete(`/v1/dpp/passports/${id}`))).to.equal(
        '409 DPP_PASSPORT_ALREADY_MINTED',
      )
    })
  })

  it('leaves passports of a shop to that shop', async () => {
    const { id } = await buildPassport(shop, sheet)
    await handPassportToShop((await getOperator()).db, id)
    expect(formatVerdict(await change(id, { fields: { color: 'red' } }))).to.equal('403 DPP_PASSPORT_SOURCE_READ_ONLY')
    expect(formatVerdict(await shop.api.delete(`/v1/dpp/passports/${id}`))).to.equal(
      '403 DPP_PASSPORT_SOURCE_READ_ONLY',
    )
  })
})
