import { createPublicKey, generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto'
import { expect } from 'chai'
import { CompactSign } from 'jose'
import { base58btc } from 'multiformats/bases/base58'
import { createApiClient } from '../../../support/client.ts'
import { startHosting, type TestHosting } from '../did-web/hosting.ts'
import { createIssuer, type Vc } from '../suites/signers.ts'
import { postVerify } from './verify.ts'

interface VerdictAnswer {
  verified: boolean | null
  verdict: string
  checks: { check: string; ok: boolean | null; detail: string }[]
}

/** Codes of the multicodec table as unsigned varints. */
const codes = { 'P-256': [0x80, 0x24], 'P-384': [0x81, 0x24], secp256k1: [0xe7, 0x01] } as const
const lengths = { 'P-256': 32, 'P-384': 48, secp256k1: 32 } as const
type Curve = keyof typeof codes

/** A compressed point as did:key has it. Source: SEC 1, section 2.3.3. */
function multikeyOf(curve: Curve, key: KeyObject): string {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const last = Buffer.from(y, 'base64url').at(-1) ?? 0
  expect(Buffer.from(x, 'base64url')).to.have.length(lengths[curve])
  return base58btc.encode(
    Buffer.concat([Buffer.from(codes[curve]), Buffer.from([2 + (last & 1)]), Buffer.from(x, 'base64url')]),
  )
}

const algorithms: Record<Curve, string> = { 'P-256': 'ES256', 'P-384': 'ES384', secp256k1: 'ES256K' }

/** Somebody whose key is on another curve than ours are. @param did of its did:web; a did:key without one */
function newIssuerOn(curve: Curve, web?: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: curve })
  const multikey = multikeyOf(curve, publicKey)
  const did = web ?? `did:key:${multikey}`
  const method = `${did}#${web === undefined ? multikey : 'key-1'}`
  const credential = (more: Vc = {}): Vc => ({
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    id: `urn:uuid:${randomUUID()}`,
    type: ['VerifiableCredential'],
    issuer: did,
    validFrom: '2026-01-01T00:00:00Z',
    credentialSubject: { name: 'Bag' },
    ...more,
  })
  const header = { alg: algorithms[curve], typ: 'vc+jwt', kid: method }
  return {
    did,
    method,
    multikey,
    publicKey,
    credential,
    /** A curve that the library does not know is not signed with: whoever does not know the key never comes to that. */
    async token(given: Vc = credential()) {
      const payload = Buffer.from(JSON.stringify(given))
      if (curve !== 'secp256k1') return new CompactSign(payload).setProtectedHeader(header).sign(privateKey)
      const parts = [Buffer.from(JSON.stringify(header)), payload, Buffer.alloc(64, 1)]
      return parts.map((part) => part.toString('base64url')).join('.')
    },
  }
}

async function verifyVerdict(given: unknown, api = createApiClient()): Promise<VerdictAnswer> {
  const answer = await postVerify(given, api)
  expect(answer.status, answer.text).to.equal(200)
  return answer.body as unknown as VerdictAnswer
}
const outcomeOf = ({ checks }: VerdictAnswer, name: string) => checks.find(({ check }) => check === name)

describe('POST /v1/dpp/credentials/verify: verdicts', () => {
  it('verifies a token that is signed with ES256 under a did:key of P-256', async () => {
    const found = await verifyVerdict(await newIssuerOn('P-256').token())
    expect([found.verified, found.verdict], JSON.stringify(found.checks)).to.deep.equal([true, 'verified'])
  })

  it('finds a token of ES256 that was changed, or signed with another key', async () => {
    const issuer = newIssuerOn('P-256')
    const token = await issuer.token()
    const [head = '', , signature = ''] = token.split('.')
    const other = Buffer.from(JSON.stringify(issuer.credential({ validFrom: '2026-01-02T00:00:00Z' }))).toString(
      'base64url',
    )
    for (const forged of [
      [head, other, signature].join('.'),
      [...token.split('.').slice(0, 2), (await newIssuerOn('P-256').token()).split('.')[2]].join('.'),
    ]) {
      const found = await verifyVerdict(forged)
      expect([found.verified, found.verdict, outcomeOf(found, 'proof')?.ok]).to.deep.equal([false, 'failed', false])
    }
  })

  it('finds an algorithm that the key is not for', async () => {
    const issuer = newIssuerOn('P-256')
    const [, payload, signature] = (await issuer.token()).split('.')
    for (const alg of ['EdDSA', 'HS256', 'none', 'ES384']) {
      const head = Buffer.from(JSON.stringify({ alg, typ: 'vc+jwt', kid: issuer.method })).toString('base64url')
      expect((await verifyVerdict([head, payload, signature].join('.'))).verdict, alg).to.equal('failed')
    }
  })

  it('answers unknown, neither true nor false, for a type of key that it does not support', async () => {
    for (const curve of ['P-384', 'secp256k1'] as const) {
      const found = await verifyVerdict(await newIssuerOn(curve).token())
      expect([found.verified, found.verdict], curve).to.deep.equal([null, 'unknown'])
      expect(outcomeOf(found, 'key')).to.deep.include({ ok: null })
      expect(outcomeOf(found, 'key')?.detail).to.match(/not supported here: Ed25519 and P-256 are/)
      expect(found.checks.filter(({ check, ok }) => ok === false && check !== 'schema')).to.deep.equal([])
    }
  })

  it('answers unknown for a suite and a method of DIDs that it does not know', async () => {
    const issuer = createIssuer()
    const proved = (await issuer.proved(issuer.credential())) as Vc & { proof: Vc }
    const suite = await verifyVerdict({ ...proved, proof: { ...proved.proof, cryptosuite: 'ecdsa-rdfc-2019' } })
    expect([suite.verified, outcomeOf(suite, 'proof')?.ok]).to.deep.equal([null, null])
    const did = 'did:ebsi:zfEmvX5twhXjQJiCWsukvQA'
    const method = await verifyVerdict(await issuer.token(issuer.credential({ issuer: did }), { kid: `${did}#key-1` }))
    expect([method.verified, outcomeOf(method, 'issuer')?.ok]).to.deep.equal([null, null])
  })

  it('answers failed where one check fails, also where another one is unknown', async () => {
    const issuer = newIssuerOn('P-384')
    const found = await verifyVerdict(await issuer.token(issuer.credential({ validUntil: '2026-01-02T00:00:00Z' })))
    expect([found.verified, found.verdict, outcomeOf(found, 'validity')?.ok]).to.deep.equal([false, 'failed', false])
  })

  describe('issuer under did:web', () => {
    const host = 'verdicts.example'
    let hosting: TestHosting

    before(async () => {
      hosting = await startHosting(host, ['closed.example'])
    })
    after(() => hosting.stop())
    beforeEach(() => hosting.clear())

    it('verifies ES256 with a JWK of P-256', async () => {
      const did = `did:web:${host}`
      const issuer = newIssuerOn('P-256', did)
      const method = (jwk: Vc) => ({ id: issuer.method, type: 'JsonWebKey', controller: did, publicKeyJwk: jwk })
      const jwk = createPublicKey(issuer.publicKey.export({ format: 'pem', type: 'spki' })).export({
        format: 'jwk',
      }) as Vc
      const publish = (key: Vc) =>
        hosting.put('/.well-known/did.json', {
          id: did,
          verificationMethod: [method(key)],
          assertionMethod: [issuer.method],
        })
      publish(jwk)
      const token = await issuer.token()
      expect((await verifyVerdict(token, hosting.api)).verdict).to.equal('verified')
      publish({ ...jwk, y: jwk['x'] })
      expect((await verifyVerdict(token, hosting.api)).verdict, 'no point of the curve').to.equal('failed')
      publish({ ...jwk, crv: 'P-384' })
      expect((await verifyVerdict(token, hosting.api)).verdict, 'a curve that is not supported').to.equal('unknown')
    })

    it('answers unknown while its document is out of reach, and failed for one that lacks the key', async () => {
      const issuer = newIssuerOn('P-256', `did:web:${host}`)
      const token = await issuer.token()
      const away = await verifyVerdict(token, hosting.api)
      expect([away.verified, outcomeOf(away, 'issuer')?.ok, outcomeOf(away, 'proof')?.ok]).to.deep.equal([
        null,
        null,
        null,
      ])
      hosting.put('/.well-known/did.json', { id: issuer.did, verificationMethod: [], assertionMethod: [] })
      const there = await verifyVerdict(token, hosting.api)
      expect([there.verified, outcomeOf(there, 'issuer')?.ok, outcomeOf(there, 'key')?.ok]).to.deep.equal([
        false,
        true,
        false,
      ])
    })

    it('answers unknown while the list of its status is out of reach', async () => {
      const issuer = createIssuer()
      const entry = {
        type: 'BitstringStatusListEntry',
        statusPurpose: 'revocation',
        statusListIndex: '1',
        statusListCredential: `https://${host}/list`,
      }
      const found = await verifyVerdict(
        await issuer.proved(issuer.credential({ credentialStatus: entry })),
        hosting.api,
      )
      expect([found.verified, found.verdict, outcomeOf(found, 'status')?.ok]).to.deep.equal([null, 'unknown', null])
    })
  })
})
