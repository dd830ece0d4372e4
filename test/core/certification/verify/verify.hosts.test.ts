import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { createApiClient, type Client } from '../../../support/client.ts'
import { getOperator } from '../../identity/people.ts'
import { forgetPublishedKeys } from '../../../support/rows/certification/did-web-domains.ts'
import { buildCertifiedPassport, buildShop } from '../../../support/world.ts'
import { getCredentialPath } from '../credentials/certified.ts'
import { startHosting, type TestHosting } from '../did-web/hosting.ts'
import { createDidDocument, createIssuer, type Vc } from '../suites/signers.ts'
import { describeFailedChecks, listFailedChecks, verifyByApi } from './verify.ts'

const host = 'issuer.example'
const closed = 'private.example'

describe('POST /v1/dpp/credentials/verify: documents fetched from other hosts', function () {
  this.timeout(60_000)
  const issuer = createIssuer(host)
  let hosting: TestHosting
  let api: Client
  let requestedPaths: string[]

  before(async () => {
    hosting = await startHosting(host, [closed])
    ;({ api, requestedPaths } = hosting)
  })
  after(() => hosting.stop())
  beforeEach(() => {
    hosting.clear()
    publish(createDidDocument(issuer))
  })

  const put = (path: string, value: unknown, type?: string) => hosting.put(path, value, type)
  const publish = (document: unknown) => put('/.well-known/did.json', document, 'application/did+json')
  const verifyHosted = (given: unknown) => describeFailedChecks(given, api)

  describe('did:web documents', () => {
    it('is good for either form, at a domain and at a path', async () => {
      const credential = issuer.credential()
      for (const given of [
        await issuer.proved(credential),
        await issuer.proved(credential, 'eddsa-rdfc-2022'),
        await issuer.token(credential),
      ]) {
        expect(await verifyHosted(given)).to.equal('')
      }
      const deep = createIssuer(`${host}:brands:one`)
      put('/brands/one/did.json', createDidDocument(deep))
      expect(await verifyHosted(await deep.proved(deep.credential()))).to.equal('')
    })

    it('may have its key as a JWK, under a relative name, or described in place', async () => {
      const proved = await issuer.proved(issuer.credential())
      const relative = issuer.method.slice(issuer.did.length)
      for (const type of ['JsonWebKey', 'JsonWebKey2020']) {
        const method = { id: relative, type, controller: issuer.did, publicKeyJwk: issuer.jwk }
        publish(createDidDocument(issuer, { verificationMethod: [method], assertionMethod: [relative] }))
        expect(await verifyHosted(proved)).to.equal('')
        publish(createDidDocument(issuer, { verificationMethod: [], assertionMethod: [method] }))
        expect(await verifyHosted(proved)).to.equal('')
      }
    })

    it('has to be there, be its own, and offer the key for assertions', async () => {
      const proved = await issuer.proved(issuer.credential())
      const [method] = createDidDocument(issuer).verificationMethod
      const cases: [() => void, 'issuer' | 'key', RegExp][] = [
        [() => hosting.clear(), 'issuer', /its host answers with an error/],
        [() => put('/.well-known/did.json', '<html>', 'text/html'), 'issuer', /answers another media type/],
        [() => publish('x'.repeat(300_000)), 'issuer', /answers more than is read/],
        [() => publish('{'), 'issuer', /is no DID document of that identifier/],
        [() => publish(createDidDocument(issuer, { id: 'did:web:other.example' })), 'issuer', /is no DID document/],
        [() => publish(createDidDocument(issuer, { verificationMethod: [] })), 'key', /does not have the key/],
        [
          () => publish(createDidDocument(issuer, { assertionMethod: [] })),
          'key',
          /does not let the key make assertions/,
        ],
        [
          () => publish(createDidDocument(issuer, { verificationMethod: [{ ...method, controller: 'did:web:x' }] })),
          'key',
          /another controller/,
        ],
        [
          () => publish(createDidDocument(issuer, { verificationMethod: [{ ...method, type: 'X' }] })),
          'key',
          /no Multikey and no JsonWebKey/,
        ],
        [
          () =>
            publish(
              createDidDocument(issuer, { verificationMethod: [{ ...method, revoked: '2026-01-01T00:00:00Z' }] }),
            ),
          'key',
          /the key is over/,
        ],
        [
          () =>
            publish(
              createDidDocument(issuer, {
                verificationMethod: [{ ...method, type: 'JsonWebKey', publicKeyJwk: { ...issuer.jwk, crv: 'X25519' } }],
              }),
            ),
          'key',
          /not for signatures/,
        ],
      ]
      for (const [prepare, check, detail] of cases) {
        prepare()
        const found = await listFailedChecks(proved, api)
        expect(found[check], prepare.toString()).to.match(detail)
        expect(found).to.include.keys('proof', 'key')
      }
      publish(
        createDidDocument(issuer, { verificationMethod: [{ ...method, publicKeyMultibase: createIssuer().multikey }] }),
      )
      expect(await verifyHosted(proved)).to.match(/^proof: The signature does not fit/)
    })

    it('is not asked for at an address that guarded fetches refuse', async () => {
      const other = createIssuer(closed)
      expect((await listFailedChecks(await other.proved(other.credential()), api)).issuer).to.match(
        /is at an address that is not asked/,
      )
      expect(requestedPaths).to.deep.equal([])
    })
  })

  describe('did:web of an organization on this platform', () => {
    it('is taken as known where its domain was seen to publish the key', async () => {
      const shop = await buildShop()
      const config = '/v1/dpp/certification-key/did-web-config'
      const { body } = await shop.api.put(config, { domain: host })
      publish(body.didDocument)
      const checked = await api.post(`${config}/verify`, undefined, { headers: { 'x-api-key': shop.key } })
      expect(checked.body, checked.text).to.include({ status: 'ok' })
      const vc = JSON.parse(
        (await createApiClient().get(getCredentialPath(await buildCertifiedPassport(shop)))).text,
      ) as Vc
      expect(await verifyHosted(vc)).to.equal('')
      expect(requestedPaths, 'nobody is asked for what was seen').to.deep.equal(['/.well-known/did.json'])
      const { db } = await getOperator()
      await forgetPublishedKeys(db, host)
      expect(await verifyHosted(vc)).to.equal('')
      expect(requestedPaths).to.have.length(2)
      hosting.clear()
      expect(await listFailedChecks(vc, api)).to.include.keys('issuer', 'key')
      await shop.api.put(config, { domain: null })
    })
  })

  describe('status lists', () => {
    const address = `https://${host}/list`
    const entry = (index: unknown, purpose = 'revocation') => ({
      type: 'BitstringStatusListEntry',
      statusPurpose: purpose,
      statusListIndex: index,
      statusListCredential: address,
    })
    const bitsWith = (...set: number[]) => {
      const bits = Buffer.alloc(16_384)
      for (const at of set) bits.writeUInt8(bits.readUInt8(at >> 3) | (0x80 >> (at & 7)), at >> 3)
      return bits
    }
    const encoded = (bits: Buffer) => `u${gzipSync(bits).toString('base64url')}`
    const listOf = (encodedList: unknown, more: Vc = {}, subject: Vc = {}) =>
      issuer.credential({
        id: address,
        type: ['VerifiableCredential', 'BitstringStatusListCredential'],
        credentialSubject: {
          id: `${address}#list`,
          type: 'BitstringStatusList',
          statusPurpose: 'revocation',
          encodedList,
          ...subject,
        },
        ...more,
      })
    const withStatus = (status: unknown) => issuer.proved(issuer.credential({ credentialStatus: status }))

    it('tells in either form whether it is revoked, by text or number', async () => {
      const list = listOf(encoded(bitsWith(7, 131_071)))
      for (const [value, type] of [
        [await issuer.proved(list), 'application/vc'],
        [await issuer.token(list), 'application/vc+jwt'],
        [await issuer.proved(list, 'eddsa-rdfc-2022'), 'application/ld+json'],
      ] as const) {
        put('/list', value, type)
        for (const index of ['7', 7, 131_071])
          expect(await verifyHosted(await withStatus(entry(index)))).to.equal('status: It is revoked by its issuer')
        for (const index of ['6', 8, 0]) expect(await verifyHosted(await withStatus([entry(index)]))).to.equal('')
        expect(await verifyHosted(await withStatus(entry(131_072)))).to.match(/^status: .* past the end/)
      }
    })

    it('has to be the issuer’s own, whole, current, and small enough', async () => {
      const good = encoded(bitsWith())
      const thief = createIssuer()
      const proved = await issuer.proved(listOf(good))
      const cases: [string, unknown, RegExp][] = [
        [
          'another issuer',
          await thief.proved(listOf(good, { issuer: thief.did })),
          /has another issuer than the credential/,
        ],
        ['signed by another', await thief.proved(listOf(good)), /does not hold: It is signed with a key of another/],
        ['no proof', listOf(good), /does not hold/],
        ['changed', { ...proved, validFrom: '2026-01-02T00:00:00Z' }, /does not hold: The signature does not fit/],
        [
          'another list',
          await issuer.proved(listOf(good, { id: 'https://x.example/' })),
          /says that it is another one/,
        ],
        [
          'another purpose',
          await issuer.proved(listOf(good, {}, { statusPurpose: 'suspension' })),
          /for another purpose/,
        ],
        [
          'no list',
          await issuer.proved(listOf(good, { type: ['VerifiableCredential'] })),
          /is no Bitstring Status List/,
        ],
        ['no credential', { list: good }, /is no credential/],
        ['malformed', await issuer.proved(listOf(good, { validFrom: 'now' })), /is no credential/],
        ['past', await issuer.proved(listOf(good, { validUntil: '2026-01-02T00:00:00Z' })), /validUntil is past/],
        ['short', await issuer.proved(listOf(encoded(Buffer.alloc(16_383)))), /has fewer than 131072 entries/],
        [
          'a bomb',
          await issuer.proved(listOf(encoded(Buffer.alloc(20_000_000)))),
          /does not unpack, or to more than is read/,
        ],
        ['not packed', await issuer.proved(listOf('uAAAA')), /does not unpack/],
        ['not encoded', await issuer.proved(listOf(good.slice(1))), /is not encoded as it has to be/],
        ['too large', 'x'.repeat(5_000_000), /answers more than is read/],
      ]
      const secured = await withStatus(entry(1))
      for (const [what, value, detail] of cases) {
        put('/list', value)
        const found = await listFailedChecks(secured, api)
        expect(Object.keys(found), what).to.deep.equal(['status'])
        expect(found.status, what).to.match(detail)
      }
      hosting.remove('/list')
      expect(await verifyHosted(secured)).to.match(
        /^status: Its status list cannot be fetched: its host answers with an error/,
      )
    })
  })

  describe('JSON-LD contexts', () => {
    const address = `https://${host}/context`
    const mapping = { '@context': { colour: `${address}#colour` } }

    it('are fetched for eddsa-rdfc-2022 only, and remembered', async () => {
      const credential = issuer.credential({
        '@context': ['https://www.w3.org/ns/credentials/v2', address],
        credentialSubject: { colour: 'red' },
      })
      put('/context', mapping, 'application/ld+json')
      expect(await verifyHosted(await issuer.proved(credential))).to.equal('')
      expect(requestedPaths).to.not.include('/context')
      const proved = await issuer.proved(credential, 'eddsa-rdfc-2022', {}, { [address]: mapping })
      expect(await verifyHosted(proved)).to.equal('')
      expect(await verifyHosted(proved)).to.equal('')
      expect(requestedPaths.filter((path) => path === '/context')).to.have.length(1)
    })

    it('are asked for at most eight times', async () => {
      const many = Array.from({ length: 9 }, (_, at) => `${address}/${at}`)
      for (const one of many) put(new URL(one).pathname, { '@context': {} }, 'application/ld+json')
      const extra = Object.fromEntries(many.map((one) => [one, { '@context': {} }]))
      const key = createIssuer()
      const proved = await key.proved(
        key.credential({ '@context': ['https://www.w3.org/ns/credentials/v2', ...many] }),
        'eddsa-rdfc-2022',
        {},
        extra,
      )
      expect(await verifyHosted(proved)).to.match(/^proof: .* is not fetched: the credential needs too many addresses/)
      expect(requestedPaths).to.have.length(8)
    })

    it('are told when they are out of reach', async () => {
      const gone = `https://${host}/gone`
      const credential = issuer.credential({ '@context': ['https://www.w3.org/ns/credentials/v2', gone] })
      const proved = await issuer.proved(credential, 'eddsa-rdfc-2022', {}, { [gone]: { '@context': {} } })
      expect(await verifyHosted(proved)).to.match(
        /^proof: The context https:\/\/issuer\.example\/gone cannot be fetched/,
      )
    })
  })

  describe('related resources', () => {
    const at = (path: string) => `https://${host}${path}`
    const sriOf = (text: string) => `sha256-${hash('sha256', text, 'base64')}`
    const related = (...relatedResource: Vc[]) => issuer.proved(issuer.credential({ relatedResource }))
    const readFirstDetail = async (given: Vc) => (await verifyByApi(given, api)).checks[0]?.detail

    it('are fetched as the media type that is named, and have to fit', async () => {
      put('/manual', 'Wash cold', 'text/plain')
      const multibase = `u${Buffer.concat([Buffer.of(0x20, 48), hash('sha384', 'Wash cold', 'buffer')]).toString('base64url')}`
      expect(
        await readFirstDetail(
          await related({ id: at('/manual'), digestMultibase: multibase, mediaType: 'text/plain; charset=utf-8' }),
        ),
      ).to.equal('The signature fits the content; a related resource fits its digest')
      expect(requestedPaths.filter((path) => path === '/manual')).to.have.length(1)
      const other = await related({ id: at('/manual'), digestSRI: sriOf('Wash warm') })
      expect(await verifyHosted(other)).to.equal(
        `proof: The related resource ${at('/manual')} is another one than its digest says`,
      )
      expect(
        await readFirstDetail(
          await related({ id: at('/manual'), digestSRI: sriOf('Wash cold'), mediaType: 'image/png' }),
        ),
      ).to.match(/1 of its related resources cannot be compared: .* answers another media type/)
    })

    it('are held as they were loaded where they are contexts', async () => {
      const [url, mapping] = [at('/related'), JSON.stringify({ '@context': { size: 'https://brand.example/size' } })]
      put('/related', mapping, 'application/ld+json')
      const mapped = (text: string) =>
        issuer.proved(
          issuer.credential({
            '@context': ['https://www.w3.org/ns/credentials/v2', url],
            relatedResource: { id: url, digestSRI: sriOf(text) },
            credentialSubject: { size: 'L' },
          }),
          'eddsa-rdfc-2022',
          {},
          { [url]: JSON.parse(mapping) as object },
        )
      expect(await readFirstDetail(await mapped(mapping))).to.match(/; a related resource fits its digest$/)
      expect(await verifyHosted(await mapped(`${mapping} `))).to.match(/^proof: The related resource .* is another one/)
      expect(requestedPaths.filter((path) => path === '/related')).to.have.length(1)
    })

    it('name those that cannot be fetched, and fetch at most three, none for an invalid proof', async () => {
      const many = Array.from({ length: 9 }, (_, index) => ({ id: at(`/r${index}`), digestSRI: sriOf('x') }))
      expect(await readFirstDetail(await related(...many))).to.match(
        /; 9 of its related resources cannot be compared: .* answers with an error$/,
      )
      expect(requestedPaths.filter((path) => path.startsWith('/r'))).to.have.length(3)
      expect(
        await readFirstDetail(
          await related(
            { id: `https://${closed}/`, digestSRI: sriOf('x') },
            { id: 'urn:isbn:1', digestSRI: sriOf('x') },
          ),
        ),
      ).to.match(/; 2 of .* is at an address that is not asked$/)
      requestedPaths.length = 0
      const unsigned = issuer.credential({ relatedResource: many })
      expect(await verifyHosted({ ...unsigned, proof: (await related(...many))['proof'] })).to.match(
        /^proof: The signature does not fit/,
      )
      expect(requestedPaths.filter((path) => path.startsWith('/r'))).to.have.length(0)
    })
  })
})
