import { expect } from 'chai'
import { calculateJwkThumbprint } from 'jose'
import type { CertificationKey, DidWebConfig } from '../../../../core/features/certification/index.ts'
import type { Client } from '../../../support/client.ts'
import { createApiClient } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { createUniqueName } from '../../identity/people.ts'
import { buildKey, buildShop, type Shop } from '../../../support/world.ts'
import { getBody, listFaultPaths, formatVerdict } from '../../dpp/passports/fixtures.ts'
import { readActiveKey, listKeys, revokeKey, readRotation } from '../keys/keys.ts'

const path = '/v1/dpp/certification-key/did-web-config'

const put = (api: Client, domain: unknown) => api.put(path, { domain })
async function read(api: Client): Promise<DidWebConfig> {
  const answer = await api.get(path)
  expect(answer.status, answer.text).to.equal(200)
  return getBody<DidWebConfig>(answer)
}

describe('PUT /v1/dpp/certification-key/did-web-config', () => {
  let shop: Shop
  let domain: string

  beforeEach(async () => {
    shop = await buildShop()
    domain = `${createUniqueName('org')}.example`
  })

  it('is off for a new organization, which signs under did:key', async () => {
    const { did } = await readActiveKey(shop.api)
    expect(await read(shop.api)).to.deep.equal({
      domain: null,
      status: null,
      did,
      didDocument: null,
      lastCheck: null,
      missingSince: null,
      rotationDueAt: null,
      active: null,
    })
    expect(did).to.match(/^did:key:z6Mk/)
  })

  it('gives the document to publish, with every key that is not revoked', async () => {
    const first = await readActiveKey(shop.api)
    const { key: second } = await readRotation(shop.api)
    const answer = await put(shop.api, domain)
    expect(answer.status, answer.text).to.equal(200)
    const did = `did:web:${domain}`
    const methods = async ({ kid, publicKeyJwk }: CertificationKey) => [
      { id: `${did}#${kid}`, type: 'Multikey', controller: did, publicKeyMultibase: kid },
      { id: `${did}#${await calculateJwkThumbprint(publicKeyJwk)}`, type: 'JsonWebKey', controller: did, publicKeyJwk },
    ]
    const documentOf = async (...keys: CertificationKey[]) => {
      const verificationMethod = (await Promise.all(keys.map(methods))).flat()
      return {
        '@context': [
          'https://www.w3.org/ns/did/v1',
          'https://w3id.org/security/multikey/v1',
          'https://w3id.org/security/jwk/v1',
        ],
        id: did,
        verificationMethod,
        assertionMethod: verificationMethod.map(({ id }) => id),
        service: [
          { id: `${did}#keys`, type: 'IssuerKeys', serviceEndpoint: `${platform.api}/v1/dpp/issuers/${did}/keys` },
        ],
      }
    }
    const rest = { lastCheck: null, missingSince: null, rotationDueAt: null, active: null }
    expect(answer.body).to.deep.equal({
      domain,
      status: 'pending',
      did: second.did,
      didDocument: await documentOf(second, first),
      ...rest,
    })
    expect(await read(shop.api)).to.deep.equal(answer.body)
    expect(
      (await listKeys(shop.api)).map((key) => key.did),
      'as nobody has proven the domain',
    ).to.deep.equal([second.did, first.did])

    await revokeKey(shop.api, first.id)
    expect((await read(shop.api)).didDocument).to.deep.equal(await documentOf(second))
    const cleared = await put(shop.api, null)
    expect(cleared.body).to.deep.equal({ domain: null, status: null, did: second.did, didDocument: null, ...rest })
    expect((await readActiveKey(shop.api)).did).to.equal(`did:key:${second.kid}`)
  })

  it('takes a bare host, in small ASCII letters whatever way it is written', async () => {
    const word = createUniqueName('x')
    const spelled: [string, string][] = [
      [`${word.toUpperCase()}.Example`, `${word}.example`],
      [`bücher-${word}.example`, `${new URL(`http://bücher-${word}.example`).hostname}`],
      [`${word}。example`, `${word}.example`],
      [`xn--bcher-kva.${word}.example`, `xn--bcher-kva.${word}.example`],
      [`${'a'.repeat(63)}.${word}.example`, `${'a'.repeat(63)}.${word}.example`],
      ['localhost', 'localhost'],
    ]
    for (const [given, kept] of spelled) {
      const answer = await put(shop.api, given)
      expect([answer.status, answer.body?.['domain']], `${given} ${answer.text}`).to.deep.equal([200, kept])
    }
    await put(shop.api, null)
  })

  it('refuses what is no bare host', async () => {
    const wrong = [
      '',
      'https://a.example',
      'a.example/',
      'a.example/path',
      'a.example:443',
      'user@a.example',
      'a.example?q',
      'a.example#x',
      'a b.example',
      ' a.example',
      '127.0.0.1',
      '127.1',
      '0x7f.1',
      '2130706433',
      '１２７.0.0.1',
      '[::1]',
      '::1',
      'a..example',
      '.a.example',
      'a.example.',
      '-a.example',
      'a-.example',
      'a_b.example',
      `${'a'.repeat(64)}.example`,
      `${'a.'.repeat(126)}example`,
      '%61.example',
      'a.example%2f',
      'a\\b.example',
      'did:web:a.example',
      '*.example',
      'xn--a.example',
      'a.1',
      'a\u0000.example',
      7,
      ['a.example'],
      { host: 'a.example' },
    ]
    for (const value of wrong) {
      const answer = await put(shop.api, value)
      expect([formatVerdict(answer), listFaultPaths(answer)], `${JSON.stringify(value)} ${answer.text}`).to.deep.equal([
        '422 VALIDATION_FAILED',
        ['domain'],
      ])
    }
    expect(formatVerdict(await shop.api.put(path, {}))).to.equal('400 INVALID_REQUEST')
    expect(formatVerdict(await shop.api.put(path, { domain, more: 1 }))).to.equal('422 VALIDATION_FAILED')
    expect((await read(shop.api)).domain).to.equal(null)
  })

  it('is reserved for nobody while it is pending, also when several ask at the same time', async () => {
    const others = await Promise.all(Array.from({ length: 5 }, () => buildShop()))
    const verdicts = await Promise.all(others.map(async ({ api }) => formatVerdict(await put(api, domain))))
    expect(verdicts).to.deep.equal(Array.from({ length: 5 }, () => '200'))
    const configs = await Promise.all(others.map(({ api }) => read(api)))
    expect(new Set(configs.map(({ status }) => status))).to.deep.equal(new Set(['pending']))
    expect(configs.every(({ did }) => did.startsWith('did:key:'))).to.equal(true)
    expect(formatVerdict(await put(shop.api, domain.toUpperCase()))).to.equal('200')
  })

  it('can be read with dpp:read, changed and checked with dpp:update', async () => {
    const reader = createApiClient((await buildKey(shop.organization, { dpp: ['read'] })).key)
    const writer = createApiClient((await buildKey(shop.organization, { dpp: ['update'] })).key)
    expect(formatVerdict(await reader.get(path))).to.equal('200')
    expect(formatVerdict(await put(reader, domain))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
    expect(formatVerdict(await reader.post(`${path}/verify`))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
    expect(formatVerdict(await put(writer, domain))).to.equal('200')
    expect(formatVerdict(await writer.get(path))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
    expect(formatVerdict(await createApiClient().get(path))).to.equal('401 AUTH_UNAUTHENTICATED')
  })

  it('is not checked without a domain', async () => {
    expect(formatVerdict(await shop.api.post(`${path}/verify`))).to.equal('400 DPP_DID_WEB_DOMAIN_NOT_CONFIGURED')
    await put(shop.api, domain)
    await put(shop.api, null)
    expect(formatVerdict(await shop.api.post(`${path}/verify`))).to.equal('400 DPP_DID_WEB_DOMAIN_NOT_CONFIGURED')
  })
})
