import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { countStatusLists } from '../../../support/rows/certification/status-lists.ts'
import { advancePassports } from '../../../support/rows/dpp/passports.ts'
import { countCertificates } from '../../../support/rows/dpp/certificates.ts'
import { createUntpItem } from '../../../support/values/untp.ts'
import { getOperator, signInMember } from '../../identity/people.ts'
import { buildKey, buildPassport, buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import { createAcceptOptions, getCredentialPath, createBody } from './certified.ts'
import { listEventTypes, listFaultPaths, createSerial, formatVerdict } from '../../dpp/passports/fixtures.ts'

interface Vc {
  '@context': string[]
  id: string
  validFrom: string
  issuer: { id: string; name: string; type: string[] }
  credentialSubject: Record<string, unknown>
  credentialStatus?: unknown
  proof?: { verificationMethod: string; cryptosuite: string }
}
const vcOf = ({ text }: Answer) => JSON.parse(text) as Vc
const at = getCredentialPath
const { data } = createBody({ application: '' })

describe('GET /v1/dpp/passports/{id}/vc.jsonld: credentials', () => {
  let shop: Shop
  let sheet: string
  const publish = async (id: string) => {
    const { db } = await getOperator()
    await advancePassports(db, [id], { status: 'published' })
  }
  const newItem = async (more: object = {}) => {
    const body = createBody(shop, more)
    const made = await shop.api.post('/v1/dpp/passports', body)
    expect(made.status, made.text).to.equal(201)
    return { id: String(made.body.id), body }
  }

  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop, { certifiedPaths: ['serialNumber'] })
  })

  describe('before certification', () => {
    it('identify the product only, unsigned', async () => {
      const {
        id,
        body: { product },
      } = await newItem()
      await publish(id)
      const answer = await createApiClient().get(at(id))
      expect(answer.status).to.equal(200)
      expect(answer.headers).to.include({
        'content-type': 'application/ld+json',
        'access-control-allow-origin': '*',
        'cache-control': 'public, no-cache',
        vary: 'Accept, Authorization, Cookie, X-Api-Key',
      })
      const vc = vcOf(answer)
      expect(Object.keys(vc)).to.deep.equal([
        '@context',
        'type',
        'id',
        'name',
        'issuer',
        'validFrom',
        'credentialSubject',
      ])
      expect(vc).to.deep.include({
        '@context': ['https://www.w3.org/ns/credentials/v2', 'https://vocabulary.uncefact.org/untp/0.7.0/context/'],
        id: `${platform.api}${at(id)}`,
      })
      expect(vc.issuer).to.have.keys('type', 'id', 'name')
      expect(vc.issuer.id).to.match(/^did:key:z6Mk/)
      expect(vc.validFrom).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(vc.credentialSubject).to.deep.equal({
        id: product.id,
        type: ['Product'],
        name: 'Cell pack 48V',
        idGranularity: 'item',
        modelNumber: 'CP48',
        itemNumber: product.itemNumber,
      })
      const { id: ofSheet } = await buildPassport(shop, sheet)
      await publish(ofSheet)
      expect(vcOf(await createApiClient().get(at(ofSheet))).credentialSubject).to.deep.equal({
        id: `${platform.api}/p/${ofSheet}`,
        type: ['Product'],
        name: 'Bag',
        idGranularity: 'item',
        itemNumber: ofSheet,
      })
    })

    it('come in the form that is asked for, of those there are', async () => {
      const { id } = await newItem()
      await publish(id)
      const vc = await createApiClient().get(at(id), createAcceptOptions('application/vc'))
      expect(vc.headers['content-type']).to.equal('application/vc')
      const ld = await createApiClient().get(
        at(id),
        createAcceptOptions('application/vc+jwt, application/ld+json;q=0.1'),
      )
      expect(ld.headers['content-type']).to.equal('application/ld+json')
      expect(ld.bytes.equals(vc.bytes)).to.equal(true)
      for (const accept of [
        'application/vc+jwt',
        'application/json',
        'text/html',
        'application/ld+json;q=0, application/vc;q=0',
      ]) {
        const refused = await createApiClient().get(at(id), createAcceptOptions(accept))
        expect(formatVerdict(refused), accept).to.equal('406 NOT_ACCEPTABLE')
        expect(refused.headers['access-control-allow-origin']).to.equal('*')
      }
      expect(formatVerdict(await createApiClient().get(`${at(id)}?cryptosuite=eddsa-rdfc-2022`))).to.equal(
        '406 NOT_ACCEPTABLE',
      )
      expect(formatVerdict(await createApiClient().get(`${at(id)}?cryptosuite=rsa`))).to.equal('400 INVALID_REQUEST')
    })

    it('need not be sent again to who has them', async () => {
      const { id } = await newItem()
      await publish(id)
      const { headers } = await createApiClient().get(at(id))
      expect(headers['etag']).to.match(/^"[\w-]+"$/)
      const known = { 'if-none-match': String(headers['etag']) }
      const again = await createApiClient().get(at(id), { headers: known })
      expect([again.status, again.text]).to.deep.equal([304, ''])
      expect(
        (await createApiClient().get(at(id), { headers: { ...known, accept: 'application/vc' } })).status,
      ).to.equal(200)
      expect((await shop.api.get(at(id))).headers['cache-control']).to.equal('private, no-cache')
    })

    it('are seen as far as the passport is: a draft by its organization, an archived one by nobody', async () => {
      const other = (await buildShop()).api
      const { key } = await buildKey(shop.organization, { loyalty: ['read'] })
      const member = createApiClient({ cookie: await signInMember(shop.owner, shop.organization) })
      const readers = { nobody: createApiClient(), other, blind: createApiClient(key), own: shop.api, member }
      const seen = async (id: string) =>
        Object.fromEntries(
          await Promise.all(
            Object.entries(readers).map(async ([name, reader]) => [name, (await reader.get(at(id))).status]),
          ),
        )
      const { id } = await newItem()
      expect(await seen(id)).to.deep.equal({ nobody: 404, other: 404, blind: 404, own: 200, member: 200 })
      await publish(id)
      expect(await seen(id)).to.deep.equal({ nobody: 200, other: 200, blind: 200, own: 200, member: 200 })
      await shop.api.patch(`/v1/dpp/passports/${id}`, { status: 'archived' })
      expect(await seen(id)).to.deep.equal({ nobody: 404, other: 404, blind: 404, own: 404, member: 404 })
      expect((await createApiClient().get(at('018f3f6e-7b1a-7c3d-9e2f-0123456789ab'))).status).to.equal(404)
      expect(formatVerdict(await createApiClient().get(at('x')))).to.equal('400 INVALID_REQUEST')
    })

    it('leave a scan where somebody outside the organization reads them', async () => {
      const { id } = await newItem()
      await publish(id)
      await shop.api.get(at(id))
      await createApiClient().get(at(id), createAcceptOptions('text/html'))
      expect(await listEventTypes(shop, id)).to.deep.equal(['create'])
      await createApiClient().get(at(id))
      await createApiClient().get(at(id))
      expect(await listEventTypes(shop, id)).to.deep.equal(['create', 'scan'])
    })
  })

  describe('built without a passport', () => {
    const build = (body: unknown, api = shop.api) => api.post('/v1/dpp/passports/build-vc', body)
    const count = async () => {
      const { db } = await getOperator()
      return {
        passports: (await shop.api.get('/v1/dpp/passports')).body.total,
        events: (await shop.api.get('/v1/events')).body.total,
        statusLists: await countStatusLists(db, shop.organization),
        certificates: await countCertificates(db, shop.organization),
      }
    }

    it('are signed, without status, and leave nothing but their context', async () => {
      const product = createUntpItem(createSerial())
      const { id: _, ...unnamed } = product
      const before = await count()
      const body = createBody(shop, { product })
      const answer = await build(body)
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.headers['content-type']).to.equal('application/ld+json')
      const vc = vcOf(answer)
      expect(vc.id).to.match(/^urn:uuid:[0-9a-f-]{36}$/)
      expect(vc).to.not.have.property('credentialStatus')
      expect(vc.proof).to.include({ cryptosuite: 'eddsa-jcs-2022' })
      expect(vc.proof?.verificationMethod.startsWith(`${vc.issuer.id}#`)).to.equal(true)
      expect(vc.credentialSubject).to.deep.equal({
        ...product,
        type: ['Product'],
        characteristics: { color: 'red', origin: { country: 'FR' } },
      })
      expect(vcOf(await build({ ...body, product: unnamed })).credentialSubject)
        .to.have.property('id')
        .that.matches(/^urn:uuid:/)
      expect(await count()).to.deep.equal(before)
    })

    it('name a context that maps their keys and is kept for ever', async () => {
      const { '@context': contexts } = vcOf(
        await build({
          application: shop.application,
          product: createUntpItem(createSerial()),
          data: { Größe: 1, hidden: 2 },
          certifiedPaths: ['Größe'],
        }),
      )
      const [, , address = ''] = contexts
      const document = await createApiClient().get(address.slice(platform.api.length))
      expect(document.headers).to.include({
        'content-type': 'application/ld+json',
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=31536000, immutable',
      })
      expect(createHash('sha256').update(document.bytes).digest('hex')).to.equal(address.split('/').at(-1))
      expect(JSON.parse(document.text)).to.deep.equal({
        '@context': { Größe: `${platform.api}/v1/dpp/contexts#Gr%C3%B6%C3%9Fe` },
      })
      const [mapped = ''] = Object.values(
        (JSON.parse(document.text) as { '@context': Record<string, string> })['@context'],
      )
      const vocabulary = await createApiClient().get(mapped.slice(platform.api.length).split('#')[0] ?? '')
      expect([vocabulary.status, vocabulary.headers['content-type'], vocabulary.body['@id']]).to.deep.equal([
        200,
        'application/ld+json',
        `${platform.api}/v1/dpp/contexts`,
      ])
      expect(formatVerdict(await createApiClient().get(`/v1/dpp/contexts/${'0'.repeat(64)}`))).to.equal('404 NOT_FOUND')
      expect(formatVerdict(await createApiClient().get('/v1/dpp/contexts/x'))).to.equal('400 INVALID_REQUEST')
    })

    it('need the permission to update, as certifying does', async () => {
      const body = {
        application: shop.application,
        product: createUntpItem(createSerial()),
        data,
        certifiedPaths: ['color'],
      }
      const requestBuildWithScope = async (scope: Record<string, string[]>) =>
        formatVerdict(
          await createApiClient((await buildKey(shop.organization, scope)).key).post(
            '/v1/dpp/passports/build-vc',
            body,
          ),
        )
      expect(await requestBuildWithScope({ dpp: ['create', 'read'] })).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
      expect(await requestBuildWithScope({ dpp: ['update'] })).to.equal('200')
    })

    it('certify what the sheet and its passport have at the certified paths', async () => {
      const product = await buildSheet(shop, {
        productFields: [
          { name: 'brand', type: 'string' },
          { name: 'type', type: 'string' },
          { name: 'secret', type: 'string' },
        ],
        fields: { brand: 'Ours', type: 'tote', secret: 'x' },
        certifiedPaths: ['brand', 'type', 'origin.country'],
      })
      const vc = vcOf(await build({ product, fields: { serialNumber: 'S', origin: { country: 'FR', year: 2026 } } }))
      const uuid = vc.id.slice('urn:uuid:'.length)
      expect(vc.credentialSubject).to.deep.equal({
        id: vc.id,
        type: ['Product'],
        name: 'Bag',
        idGranularity: 'item',
        itemNumber: uuid,
        brand: 'Ours',
        characteristics: { type: 'tote', origin: { country: 'FR' } },
      })
    })

    it('are refused to what create refuses, and to what has nothing to certify', async () => {
      const body = {
        application: shop.application,
        product: createUntpItem(createSerial()),
        data,
        certifiedPaths: ['color'],
      }
      const empty = [{ certifiedPaths: [] }, { data: { color: null } }, { certifiedPaths: ['size'] }]
      for (const more of empty)
        expect(formatVerdict(await build({ ...body, ...more }))).to.equal('422 DPP_VC_NOTHING_TO_CERTIFY')
      expect(formatVerdict(await build({ product: await buildSheet(shop), fields: { serialNumber: 'x' } }))).to.equal(
        '422 DPP_VC_NOTHING_TO_CERTIFY',
      )
      const cases: [object, string, string[]][] = [
        [{ certifiedPaths: ['size.'] }, '422 VALIDATION_FAILED', ['certifiedPaths[0]']],
        [{ product: { ...body.product, name: 7 } }, '422 VALIDATION_FAILED', ['product.name']],
        [{ application: undefined }, '400 INVALID_REQUEST', ['application']],
        [{ application: '018f3f6e-7b1a-7c3d-9e2f-0123456789ab' }, '404 NOT_FOUND', []],
        [
          { data: { color: [{ '@context': 'http://169.254.169.254/latest' }] } },
          '422 VALIDATION_FAILED',
          ['data.color[0].@context'],
        ],
        [
          { product: { ...body.product, '@context': 'https://evil.example' } },
          '422 VALIDATION_FAILED',
          ['product.@context'],
        ],
        [{ colour: 'red' }, '422 VALIDATION_FAILED', ['colour']],
      ]
      for (const [more, expected, paths] of cases) {
        const answer = await build({ ...body, ...more })
        expect([formatVerdict(answer), ...listFaultPaths(answer)], answer.text).to.deep.equal([expected, ...paths])
      }
      const { key } = await buildKey(shop.organization, { dpp: ['read'] })
      expect(formatVerdict(await build(body, createApiClient(key)))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
      expect(formatVerdict(await build(body, createApiClient()))).to.equal('401 AUTH_UNAUTHENTICATED')
    })

    it('are refused to bodies that are no plain JSON, or too much of it', async () => {
      const raw = (text: string | Buffer) => shop.api.post('/v1/dpp/passports/build-vc', undefined, { raw: text })
      const text = JSON.stringify({
        application: shop.application,
        product: createUntpItem('X'),
        data,
        certifiedPaths: ['color'],
      })
      expect(formatVerdict(await raw(text.replace('"red"', '"red","color":"blue"')))).to.equal('400 INVALID_JSON')
      expect(formatVerdict(await raw(text.replace('"red"', 'NaN')))).to.equal('400 INVALID_JSON')
      expect(formatVerdict(await raw(text.replace('"red"', '1e999')))).to.equal('422 VALIDATION_FAILED')
      expect(formatVerdict(await raw(text.replace('"red"', '"\\ud800"')))).to.equal('422 VALIDATION_FAILED')
      expect(formatVerdict(await raw(Buffer.alloc(20 * 1024 * 1024, 0x20)))).to.equal('413 PAYLOAD_TOO_LARGE')
    })
  })
})
