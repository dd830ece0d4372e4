import { deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { calculateJwkThumbprint, compactVerify, decodeProtectedHeader, importJWK, type JWK } from 'jose'
import { base58btc } from 'multiformats/bases/base58'
import { createApiClient } from '../../../support/client.ts'
import { buildCertifiedPassport, buildShop } from '../../../support/world.ts'
import { createAcceptOptions, getCredentialPath } from '../credentials/certified.ts'
import { proveDomain, startHosting, type TestHosting } from '../did-web/hosting.ts'
import { createDidDocument, createIssuer, type Vc } from '../suites/signers.ts'
import { describeFailedChecks, listFailedChecks, verifyByApi } from '../verify/verify.ts'

const host = 'musts.example'
const address = `https://${host}/list`

describe('W3C requirements on fetched documents', function () {
  this.timeout(60_000)
  const issuer = createIssuer()
  const maker = createIssuer(host)
  let hosting: TestHosting

  before(async () => {
    hosting = await startHosting(host)
  })
  after(() => hosting.stop())
  beforeEach(() => hosting.clear())

  const verifyHosted = (given: unknown) => describeFailedChecks(given, hosting.api)

  describe('status lists', () => {
    const entry = (more: Vc) => ({
      type: 'BitstringStatusListEntry',
      statusPurpose: 'revocation',
      statusListIndex: '1',
      statusListCredential: address,
      ...more,
    })
    /** Bits in which these values stand, in entries of this size. */
    const packed = (values: Record<number, number>, size = 1, bytes = 16_384 * size) => {
      const bits = Buffer.alloc(bytes)
      for (const [index, value] of Object.entries(values)) {
        for (let bit = 0; bit < size; bit++) {
          const at = Number(index) * size + bit
          if ((value >> (size - 1 - bit)) & 1) bits.writeUInt8(bits.readUInt8(at >> 3) | (0x80 >> (at & 7)), at >> 3)
        }
      }
      return bits
    }
    const encoded = (bits: Buffer) => `u${gzipSync(bits).toString('base64url')}`
    const texts = (...all: string[]) => all.map((message, at) => ({ status: `0x${at.toString(16)}`, message }))
    const publish = async (subject: Vc, more: Vc = {}) =>
      hosting.put(
        '/list',
        await issuer.proved(
          issuer.credential({
            id: address,
            type: ['VerifiableCredential', 'BitstringStatusListCredential'],
            credentialSubject: {
              id: `${address}#list`,
              type: 'BitstringStatusList',
              statusPurpose: 'revocation',
              encodedList: encoded(packed({ 1: 1 })),
              ...subject,
            },
            ...more,
          }),
        ),
      )
    const found = async (more: Vc) =>
      verifyHosted(await issuer.proved(issuer.credential({ credentialStatus: entry(more) })))
    const readStatusDetail = async (more: Vc) => {
      const { checks } = await verifyByApi(
        await issuer.proved(issuer.credential({ credentialStatus: entry(more) })),
        hosting.api,
      )
      return checks.find(({ check }) => check === 'status')?.detail
    }

    it('are read in entries of one bit or several, the highest first', async () => {
      await publish({})
      expect([await found({}), await found({ statusListIndex: '0' }), await found({ statusSize: 1 })]).to.deep.equal([
        'status: It is revoked by its issuer',
        '',
        'status: It is revoked by its issuer',
      ])
      const statusMessage = texts('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
      await publish({ statusSize: 3, encodedList: encoded(packed({ 5: 4, 131_071: 1 }, 3)) })
      for (const [index, detail] of [
        ['5', 'status: It is revoked by its issuer'],
        ['4', ''],
        ['6', ''],
        ['131071', 'status: It is revoked by its issuer'],
        ['131072', 'status: Its status has an index past the end of the list'],
      ] as const) {
        expect(await found({ statusSize: 3, statusMessage, statusListIndex: index }), index).to.equal(detail)
      }
      expect(await found({ statusListIndex: '5' })).to.equal('status: Its status list has entries of another size')
    })

    it('end whatever their purpose is about, but for messages and newer versions, which are told', async () => {
      await publish({ statusPurpose: ['revocation', 'recall', 'refresh'] })
      expect(await found({ statusPurpose: 'recall' })).to.equal('status: Its issuer has set its status "recall"')
      expect([
        await found({ statusPurpose: 'recall', statusListIndex: '2' }),
        await found({ statusPurpose: 'refresh' }),
      ]).to.deep.equal(['', ''])
      expect(await readStatusDetail({ statusPurpose: 'refresh' })).to.equal(
        'It has no status: nobody can revoke it. Its issuer has a newer version of it',
      )
      expect(await readStatusDetail({ statusPurpose: 'refresh', statusListIndex: '2' })).to.equal(
        'It has no status: nobody can revoke it',
      )
      expect(await found({ statusPurpose: 'suspension' })).to.equal('status: Its status list is for another purpose')
      const statusMessages = texts('waiting', 'on its way', 'arrived', 'lost')
      const several = { statusPurpose: 'message', statusSize: 2, statusMessage: statusMessages }
      await publish({
        statusPurpose: 'message',
        statusSize: 2,
        statusMessages,
        encodedList: encoded(packed({ 1: 2 }, 2)),
      })
      expect(await readStatusDetail(several)).to.equal(
        'It has no status: nobody can revoke it. Its issuer says of it: "arrived"',
      )
      expect(await readStatusDetail({ ...several, statusListIndex: '2' })).to.match(/Its issuer says of it: "waiting"$/)
    })

    it('of messages say how many bits a message has and what each value means', async () => {
      const statusMessages = texts('no', 'yes')
      for (const [subject, detail] of [
        [{ statusMessages }, /does not say of how many bits/],
        [{ statusSize: 1 }, /no list of messages/],
        [{ statusSize: 1, statusMessages: texts('no') }, /1 messages where 2/],
        [{ statusSize: 2, statusMessages }, /entries of another size/],
        [{ statusSize: 1, statusMessages: [{ status: '0x0' }, { message: 'x' }] }, /without its value/],
      ] as const) {
        await publish({ statusPurpose: 'message', ...subject })
        expect(await found({ statusPurpose: 'message' }))
          .to.match(/^status: /)
          .and.match(detail)
      }
    })

    it('name their type and one purpose or several, as text', async () => {
      for (const statusPurpose of [undefined, [], 5, ['revocation', 5]]) {
        await publish({ statusPurpose })
        expect(await found({}), String(statusPurpose)).to.equal('status: Its status list names no purpose')
      }
      for (const [subject, more] of [
        [{ type: 'StatusList2021' }, {}],
        [{ type: undefined }, {}],
        [{}, { type: ['VerifiableCredential'] }],
      ] as const) {
        await publish(subject, more)
        expect(await found({})).to.match(/^status: Its status list is no (Bitstring Status List|credential)$/)
      }
    })

    it('are the same to readers of JSON-LD, by the terms of the base context', async () => {
      const list = issuer.credential({
        id: address,
        type: ['VerifiableCredential', 'BitstringStatusListCredential'],
        credentialSubject: {
          id: `${address}#list`,
          type: 'BitstringStatusList',
          statusPurpose: 'revocation',
          encodedList: encoded(packed({ 1: 1 })),
        },
      })
      hosting.put('/list', await issuer.proved(list, 'eddsa-rdfc-2022'))
      const credential = await issuer.proved(issuer.credential({ credentialStatus: entry({}) }), 'eddsa-rdfc-2022')
      expect(await verifyHosted(credential)).to.equal('status: It is revoked by its issuer')
    })

    it('are packed with GZIP, in base64url without padding, and have 131,072 entries', async () => {
      const bits = packed({})
      const text = gzipSync(bits).toString('base64url')
      for (const [encodedList, detail] of [
        [text, /not encoded/],
        [`z${text}`, /not encoded/],
        [`m${gzipSync(bits).toString('base64')}`, /not encoded/],
        [`u${text}=`, /not encoded/],
        [`u${text}\n`, /not encoded/],
        [5, /not encoded/],
        [undefined, /not encoded/],
        ['u', /does not unpack/],
        [`u${deflateSync(bits).toString('base64url')}`, /does not unpack/],
        [`u${bits.subarray(0, 99).toString('base64url')}`, /does not unpack/],
        [`u${gzipSync(bits).subarray(0, -9).toString('base64url')}`, /does not unpack/],
        [encoded(bits.subarray(1)), /fewer than 131072 entries/],
      ] as const) {
        await publish({ encodedList })
        expect(await found({}), String(encodedList).slice(0, 30))
          .to.match(/^status: Its status list /)
          .and.match(detail)
      }
      const four = { statusSize: 2, statusMessage: texts('a', 'b', 'c', 'd') }
      await publish({ statusSize: 2, encodedList: encoded(bits) })
      expect(await found(four)).to.equal('status: Its status list has fewer than 131072 entries')
      await publish({})
      expect(await found({ statusListIndex: '9'.repeat(40) })).to.equal(
        'status: Its status has an index past the end of the list',
      )
    })
  })

  describe('keys published by a domain', () => {
    const raw = () => Buffer.from(maker.jwk.x, 'base64url')
    const multikey = (prefix: number[], bytes: Buffer) => Buffer.concat([Buffer.from(prefix), bytes])
    const publish = (method: Vc, document: Vc = {}) =>
      hosting.put(
        '/.well-known/did.json',
        createDidDocument(maker, {
          verificationMethod: [{ id: maker.method, controller: maker.did, ...method }],
          ...document,
        }),
        'application/did+json',
      )
    /** What is found wrong with the key, by either way to secure. */
    const keyOf = async () => {
      const [proof, token] = [await maker.proved(maker.credential()), await maker.token(maker.credential())]
      const both = [
        (await listFailedChecks(proof, hosting.api))['key'],
        (await listFailedChecks(token, hosting.api))['key'],
      ]
      expect(both[0]).to.equal(both[1])
      return both[0] ?? ''
    }

    it('are Multikeys in base58btc, of a type that is judged here, and nothing else', async () => {
      publish({ type: 'Multikey', publicKeyMultibase: maker.multikey })
      expect(await keyOf()).to.equal('')
      const right = multikey([0xed, 0x01], raw())
      for (const publicKeyMultibase of [
        `u${right.toString('base64url')}`,
        `m${right.toString('base64')}`,
        `f${right.toString('hex')}`,
        maker.multikey.slice(1),
        base58btc.encode(raw()),
        base58btc.encode(multikey([0xec, 0x01], raw())),
        base58btc.encode(multikey([0x80, 0x26], raw())),
        base58btc.encode(right.subarray(0, 33)),
        base58btc.encode(multikey([0xed, 0x01], Buffer.concat([raw(), Buffer.of(1)]))),
        'z',
        '',
      ]) {
        publish({ type: 'Multikey', publicKeyMultibase })
        expect(await keyOf(), publicKeyMultibase).to.match(
          /^The key is (no Ed25519 key|no Multikey|for agreeing on keys|of the code 0x\w+, a type that is not supported)/,
        )
      }
      for (const method of [
        { type: 'Ed25519VerificationKey2018', publicKeyBase58: 'x' },
        { type: 'Multikey', publicKeyMultibase: [maker.multikey] },
        { type: 'Multikey' },
      ]) {
        publish(method)
        expect(await keyOf()).to.match(/^The key is no Multikey and no JsonWebKey/)
      }
    })

    it('are JsonWebKeys with their material in publicKeyJwk, public and for signatures', async () => {
      for (const more of [{}, { alg: 'EdDSA', use: 'sig' }, { alg: 'Ed25519', kid: 'x' }]) {
        publish({ type: 'JsonWebKey', publicKeyJwk: { ...maker.jwk, ...more } })
        expect(await keyOf(), JSON.stringify(more)).to.equal('')
      }
      for (const [more, detail] of [
        [{ d: maker.jwk.x }, /shows the private half/],
        [{ use: 'enc' }, /not for signatures/],
        [{ alg: 'ES256' }, /not for signatures with EdDSA/],
        [{ x: `${maker.jwk.x}=` }, /no Ed25519/],
        [{ x: 'AA' }, /no Ed25519/],
        [{ crv: 'Ed448' }, /Ed448, a type that is not supported/],
        [{ kty: 'EC' }, /EC Ed25519, a type that is not supported/],
        [{ x: undefined }, /no Ed25519/],
      ] as const) {
        publish({ type: 'JsonWebKey', publicKeyJwk: { ...maker.jwk, ...more } })
        expect(await keyOf(), JSON.stringify(more)).to.match(detail)
      }
      publish({ type: 'JsonWebKey', ...maker.jwk })
      expect(await keyOf()).to.equal('The key is no Multikey and no JsonWebKey')
    })

    it('are over when they are revoked or expired, and not believed where that is no date', async () => {
      const good = { type: 'Multikey', publicKeyMultibase: maker.multikey }
      for (const [more, detail] of [
        [{ expires: '2026-01-02T00:00:00Z' }, /says that the key is over/],
        [{ revoked: '2026-01-02T00:00:00Z' }, /says that the key is over/],
        [{ expires: 'soon' }, /expires of the key is no date/],
        [{ revoked: true }, /revoked of the key is no date/],
        [{ expires: '2999-01-01T00:00:00Z' }, /^$/],
      ] as const) {
        publish({ ...good, ...more })
        expect(await keyOf(), JSON.stringify(more)).to.match(detail)
      }
    })

    it('are offered by organizations here as tokens name them, and as proofs do', async () => {
      const shop = await buildShop()
      const config = '/v1/dpp/certification-key/did-web-config'
      const {
        body: { didDocument },
      } = await shop.api.put(config, { domain: host })
      const { verificationMethod, assertionMethod } = didDocument as unknown as {
        verificationMethod: Vc[]
        assertionMethod: string[]
      }
      await proveDomain(shop, hosting, host)
      const id = await buildCertifiedPassport(shop)
      const { text: token } = await createApiClient().get(
        getCredentialPath(id),
        createAcceptOptions('application/vc+jwt'),
      )
      const { kid, iss } = decodeProtectedHeader(token) as Vc
      const named = verificationMethod.find((method) => method['id'] === kid)
      expect([iss, named?.['type'], assertionMethod.includes(String(kid))]).to.deep.equal([
        undefined,
        'JsonWebKey',
        true,
      ])
      expect(kid).to.equal(`did:web:${host}#${await calculateJwkThumbprint(named?.['publicKeyJwk'] as JWK)}`)
      await compactVerify(token, await importJWK(named?.['publicKeyJwk'] as JWK, 'EdDSA'))
      const proved = JSON.parse((await createApiClient().get(getCredentialPath(id))).text) as Vc & { proof: Vc }
      expect(
        verificationMethod.find((method) => method['id'] === proved.proof['verificationMethod'])?.['type'],
      ).to.equal('Multikey')
      for (const given of [token, proved]) expect(await verifyHosted(given)).to.equal('')
      expect(hosting.requestedPaths).to.include('/.well-known/did.json')
      await shop.api.put(config, { domain: null })
    })

    it('serve only for what their domain offers them for', async () => {
      publish(
        { type: 'Multikey', publicKeyMultibase: maker.multikey },
        { assertionMethod: [], authentication: [maker.method] },
      )
      expect(await keyOf()).to.match(/does not let the key make assertions/)
      publish({ type: 'Multikey', publicKeyMultibase: maker.multikey, controller: 'did:web:other.example' })
      expect(await keyOf()).to.match(/another controller/)
    })
  })
})
