import { createPublicKey } from 'node:crypto'
import { expect } from 'chai'
import { compactVerify, importJWK, UnsecuredJWT } from 'jose'
import { base58btc } from 'multiformats/bases/base58'
import { createApiClient } from '../../../support/client.ts'
import { listFaultPaths, formatVerdict } from '../../dpp/passports/fixtures.ts'
import { buildCertifiedPassport, buildShop } from '../../../support/world.ts'
import { createAcceptOptions, getCredentialPath } from '../credentials/certified.ts'
import { createIssuer, type Vc } from '../suites/signers.ts'
import { describeFailedChecks, listFailedChecks, verifyByApi, verifyPath } from '../verify/verify.ts'

const base = 'https://www.w3.org/ns/credentials/v2'
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('VC-JOSE-COSE: requirements on verified tokens', () => {
  const issuer = createIssuer()
  const credential = issuer.credential()

  it('ignores tokens that nothing secures', async () => {
    const unsecured = new UnsecuredJWT(credential).encode()
    expect(formatVerdict(await createApiClient().post(verifyPath, { credential: unsecured }))).to.equal(
      '422 VALIDATION_FAILED',
    )
    const [, payload, signature] = (await issuer.token(credential)).split('.')
    for (const alg of ['none', 'None', '', undefined, 'HS256', 'ES256', ['EdDSA']]) {
      const given = [encoded({ alg, typ: 'vc+jwt', kid: issuer.method }), payload, signature].join('.')
      expect(await describeFailedChecks(given), String(alg)).to.equal(
        'proof: The token is signed with another algorithm than Ed25519',
      )
    }
  })

  it('refuses a credential in a claim of its own', async () => {
    for (const name of ['vc', 'vp']) {
      for (const value of [credential, {}, null]) {
        expect(await describeFailedChecks(await issuer.token({ ...credential, [name]: value }))).to.match(
          new RegExp(`^proof: The token has a claim ${name}, `),
        )
      }
    }
    const { body } = await createApiClient().post(verifyPath, {
      credential: await issuer.token({ iss: issuer.did, vc: credential }),
    })
    expect(body.code).to.equal('VALIDATION_FAILED')
  })

  it('passes over headers and claims that it does not know', async () => {
    const more = {
      jti: String(credential['id']),
      sub: 'https://goods.example/1',
      iat: 1_767_225_600,
      aud: ['x'],
      acr: { deep: [1] },
    }
    const token = await issuer.token(
      { ...credential, ...more },
      { 'https://x.example/header': 1, x5t: 'abc', zip: 'no', colour: 'red' },
    )
    expect(await describeFailedChecks(token)).to.equal('')
  })

  it('takes the media types of its specification, or none, and no other', async () => {
    for (const header of [
      { typ: undefined },
      { typ: 'application/vc+jwt' },
      { typ: 'VC+JWT' },
      { cty: 'vc' },
      { cty: 'application/vc' },
      { cty: 'ld+json' },
    ]) {
      expect(await describeFailedChecks(await issuer.token(credential, header)), JSON.stringify(header)).to.equal('')
    }
    for (const typ of ['JWT', 'vp+jwt', 'vc', 'vc+sd-jwt', 'application/jose', 'bad+typ', '', 5, ['vc+jwt']]) {
      expect(await describeFailedChecks(await issuer.token(credential, { typ })), String(typ)).to.equal(
        'proof: The token says that it is something else than vc+jwt',
      )
    }
    for (const cty of ['vp', 'JWT', 'vc+jwt', 'application/vp', 5]) {
      expect(await describeFailedChecks(await issuer.token(credential, { cty })), String(cty)).to.equal(
        'proof: The token says that its content is something else than vc',
      )
    }
  })

  it('takes a key by half a name only from tokens that say who issued them', async () => {
    const half = `#${issuer.multikey}`
    for (const [more, header] of [
      [{ iss: issuer.did }, { kid: half }],
      [{}, { kid: half, iss: issuer.did }],
      [{ iss: issuer.did }, { kid: undefined }],
      [{}, { kid: issuer.method }],
    ] as const)
      expect(
        await describeFailedChecks(await issuer.token({ ...credential, ...more }, header)),
        JSON.stringify(header),
      ).to.equal('')
    for (const kid of [half, undefined, issuer.multikey, '', 5]) {
      expect(await listFailedChecks(await issuer.token(credential, { kid })), String(kid)).to.include.keys(
        'proof',
        'key',
      )
    }
  })

  it('wants the same issuer of the token as of the credential, as text or as an object', async () => {
    for (const named of [issuer.did, { id: issuer.did, name: 'Maker' }]) {
      const one = issuer.credential({ issuer: named })
      expect(await describeFailedChecks(await issuer.token({ ...one, iss: issuer.did }, { iss: issuer.did }))).to.equal(
        '',
      )
      for (const token of [
        await issuer.token({ ...one, iss: createIssuer().did }),
        await issuer.token(one, { iss: createIssuer().did }),
        await issuer.token({ ...one, iss: 5 }),
      ]) {
        expect(await describeFailedChecks(token)).to.equal('issuer: Its token names another issuer than the credential')
      }
    }
  })

  it('reads compact tokens, in an envelope too, and no other serialization', async () => {
    const token = await issuer.token(credential)
    const envelope = { '@context': base, id: `data:application/vc+jwt,${token}`, type: 'EnvelopedVerifiableCredential' }
    for (const given of [token, envelope, { ...envelope, type: ['EnvelopedVerifiableCredential'] }])
      expect(await describeFailedChecks(given)).to.equal('')
    const [header, payload, signature] = token.split('.')
    for (const given of [
      { payload, protected: header, signature },
      { payload, signatures: [{ protected: header, signature }] },
    ]) {
      expect([
        formatVerdict(await createApiClient().post(verifyPath, given)),
        listFaultPaths(await createApiClient().post(verifyPath, given))[0],
      ]).to.deep.equal(['422 VALIDATION_FAILED', 'type'])
    }
    for (const given of [`${token}.`, `${header}.${payload}`, `${token}=`, `${header}..${signature}`, `${token}~`]) {
      expect(formatVerdict(await createApiClient().post(verifyPath, { credential: given })), given.slice(-5)).to.equal(
        '422 VALIDATION_FAILED',
      )
    }
  })

  it('passes over a status and a schema of a kind that it does not know, and says so', async () => {
    const more = {
      '@context': [base, 'https://x.example/context'],
      credentialStatus: { id: 'https://x.example/status#1', type: 'StatusList2021Entry', statusListIndex: 'x' },
      credentialSchema: { id: 'https://x.example/schema', type: 'FutureSchema' },
    }
    const { checks, verified: holds } = await verifyByApi(await issuer.token(issuer.credential(more)))
    expect([holds, checks.find(({ check }) => check === 'status')?.detail]).to.deep.equal([
      true,
      'Its status is of a kind that is not known here, and is passed over',
    ])
  })

  it('evaluates the claims that it knows', async () => {
    for (const [more, found] of [
      [{ exp: 1_700_000_000 }, /^validity: exp is past/],
      [{ nbf: 32_503_680_000 }, /^validity: nbf is in the future/],
      [{ exp: '32503680000' }, /^validity: exp is no number/],
      [{ exp: 32_503_680_000, validUntil: '2026-01-02T00:00:00Z' }, /^validity: validUntil is past/],
      [{ exp: 32_503_680_000, nbf: 1_700_000_000 }, /^$/],
    ] as const)
      expect(await describeFailedChecks(await issuer.token(issuer.credential(more))), JSON.stringify(more)).to.match(
        found,
      )
  })
})

describe('VC-JOSE-COSE: requirements on issued tokens', () => {
  it('secures the credential itself, as another implementation reads it', async () => {
    const shop = await buildShop()
    const { text, headers } = await createApiClient().get(
      getCredentialPath(await buildCertifiedPassport(shop)),
      createAcceptOptions('application/vc+jwt'),
    )
    expect(headers['content-type']).to.equal('application/vc+jwt')
    const [head = '', body = ''] = text.split('.')
    const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as Vc
    expect(header).to.have.all.keys('alg', 'typ', 'cty', 'kid')
    expect(header).to.include({ alg: 'EdDSA', typ: 'vc+jwt', cty: 'vc' })
    expect(header['kid']).to.match(/^did:key:(z6Mk\w+)#\1$/)
    const multikey = base58btc.decode(String(header['kid']).split('#')[1] as `z${string}`)
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(multikey.subarray(2)).toString('base64url') }
    expect(createPublicKey({ format: 'jwk', key: jwk }).asymmetricKeyType).to.equal('ed25519')
    const { payload, protectedHeader } = await compactVerify(text, await importJWK(jwk, 'EdDSA'), {
      algorithms: ['EdDSA'],
    })
    expect(protectedHeader).to.deep.equal(header)
    const credential = JSON.parse(Buffer.from(payload).toString('utf8')) as Vc
    expect(Buffer.from(body, 'base64url').equals(Buffer.from(payload))).to.equal(true)
    expect(credential).to.not.have.any.keys('vc', 'vp', 'iss', 'proof')
    expect((credential['issuer'] as Vc)['id']).to.equal(String(header['kid']).split('#')[0])
    expect(credential['type']).to.include('VerifiableCredential')
  })
})
