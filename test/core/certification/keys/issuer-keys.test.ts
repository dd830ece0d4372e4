import { createRequire } from 'node:module'
import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import { contexts } from '@digitalbazaar/credentials-context'
import { createVerifyCryptosuite } from '@digitalbazaar/eddsa-jcs-2022-cryptosuite'
import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { getOperator, createUniqueName } from '../../identity/people.ts'
import { getBody, waitForJob, formatVerdict } from '../../dpp/passports/fixtures.ts'
import { ageRotation } from '../../../support/rows/certification/keys.ts'
import { buildCertifiedPassport, buildShop, type Shop } from '../../../support/world.ts'
import { getCredentialPath } from '../credentials/certified.ts'
import { proveDomain, startHosting, type TestHosting } from '../did-web/hosting.ts'
import { readActiveKey, listKeys, revokeKey, readRotation, waitUntilAnswer } from './keys.ts'
import { verifyByApi } from '../verify/verify.ts'

interface Entry {
  statusReference?: string
  statusListCredential: string
}
interface Held {
  issuer: { id: string }
  credentialStatus: Entry[]
  proof: { verificationMethod: string }
}
interface Key {
  kid: string
  dids: string[]
  status: string
  revokedAt: string | null
  compromisedAt: string | null
  receipts: { act: string; caip2: string; transactionHash: string }[]
}
interface List {
  '@context': string[]
  issuer: string
  proof: object
}
interface Vc {
  verifyCredential(what: object): Promise<{ verified: boolean; error?: unknown }>
}

const vc = createRequire(import.meta.url)('@digitalbazaar/vc') as Vc
const held = async (id: string) => JSON.parse((await createApiClient().get(getCredentialPath(id))).text) as Held
const pathOf = (address: string) => new URL(address).pathname
const listAt = async ({ credentialStatus }: Held) =>
  JSON.parse((await createApiClient().get(pathOf(credentialStatus[0]?.statusListCredential ?? ''))).text) as List
/** As a stranger finds them: by the address that the credential itself names. */
async function keysNamedIn({ credentialStatus }: Held): Promise<Key[]> {
  const answer = await createApiClient().get(
    pathOf(credentialStatus.find((entry) => entry.statusReference)?.statusReference ?? ''),
  )
  expect(answer.status, answer.text).to.equal(200)
  expect([answer.headers['access-control-allow-origin'], answer.headers['cache-control']]).to.deep.equal([
    '*',
    'public, max-age=60',
  ])
  return answer.body as unknown as Key[]
}
const rotateFor = async ({ api }: Shop) => {
  const { key } = await readRotation(api)
  await waitUntilAnswer(
    () => listKeys(api),
    (keys) => keys.some(({ id, status }) => id === key.id && status === 'active'),
  )
  return key
}

describe('GET /v1/dpp/issuers/{did}/keys', () => {
  it('tells a stranger of a revoked key and since when, with receipts', async () => {
    const shop = await buildShop()
    const credential = await held(await buildCertifiedPassport(shop))
    const key = await readActiveKey(shop.api)
    expect((await keysNamedIn(credential)).map(({ kid, status }) => [kid, status])).to.deep.equal([[key.kid, 'active']])
    const compromisedAt = '2026-01-02T03:04:05.000Z'
    await revokeKey(shop.api, key.id, { reason: 'lost', compromisedAt })
    const found = await waitUntilAnswer(
      () => keysNamedIn(credential),
      (keys) => keys.some(({ receipts }) => receipts.some(({ act }) => act === 'revokeKey')),
    )
    const revoked = found.find(({ kid }) => kid === key.kid)
    expect(revoked).to.include({ status: 'revoked', compromisedAt })
    expect(revoked?.receipts.map(({ act }) => act)).to.deep.equal(['registerKey', 'revokeKey'])
    for (const { caip2, transactionHash } of revoked?.receipts ?? []) {
      expect(caip2).to.equal('eip155:31337')
      expect(transactionHash).to.match(/^0x[0-9a-f]{64}$/)
    }
  })

  it('counts a second revocation that says an earlier moment, on the networks too', async () => {
    const shop = await buildShop()
    const credential = await held(await buildCertifiedPassport(shop))
    const { id, kid } = await readActiveKey(shop.api)
    const [late, early] = ['2026-03-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z']
    await revokeKey(shop.api, id, { reason: 'lost', compromisedAt: late })
    await revokeKey(shop.api, id, { reason: 'earlier', compromisedAt: early })
    await revokeKey(shop.api, id, { reason: 'later', compromisedAt: '2026-02-15T00:00:00.000Z' })
    const one = (keys: Key[]) => keys.find((key) => key.kid === kid)
    const found = await waitUntilAnswer(
      () => keysNamedIn(credential),
      (keys) => one(keys)?.receipts.filter(({ act }) => act === 'revokeKey').length === 2,
    )
    expect(one(found)?.compromisedAt).to.equal(early)
    await revokeKey(shop.api, id, { reason: 'never ours' })
    expect(one(await keysNamedIn(credential))?.compromisedAt).to.equal(null)
  })

  it('answers for nobody who only named a domain, and for no other DID', async () => {
    const shop = await buildShop()
    const domain = `${createUniqueName('named')}.example`
    await shop.api.put('/v1/dpp/certification-key/did-web-config', { domain })
    expect(formatVerdict(await createApiClient().get(`/v1/dpp/issuers/did:web:${domain}/keys`))).to.equal(
      '404 NOT_FOUND',
    )
    expect(formatVerdict(await createApiClient().get('/v1/dpp/issuers/did:ion:abc/keys'))).to.equal(
      '400 INVALID_REQUEST',
    )
  })
})

describe('GET /v1/dpp/status-lists/{id}', () => {
  const domain = `${createUniqueName('lists')}.example`
  let hosting: TestHosting
  before(async () => {
    hosting = await startHosting(domain)
  })
  after(() => hosting.stop())

  /** As a W3C verifier takes it, which resolves did:key by itself and the domain's document as it was published. */
  async function holds(list: List, methods: readonly object[] = []): Promise<boolean> {
    const documentLoader = async (url: string) => {
      const [did = '', kid] = url.split('#')
      const context = contexts.get(url) as object | undefined
      const method = did.startsWith('did:key:')
        ? {
            '@context': 'https://w3id.org/security/multikey/v1',
            id: `${did}#${did.slice(8)}`,
            type: 'Multikey',
            controller: did,
            publicKeyMultibase: did.slice(8),
          }
        : {
            '@context': 'https://w3id.org/security/multikey/v1',
            ...methods.find((one) => (one as { id: string }).id === url),
          }
      const controller = {
        '@context': 'https://www.w3.org/ns/did/v1',
        id: did,
        assertionMethod: did.startsWith('did:key:') ? [method] : methods,
      }
      return { contextUrl: null, documentUrl: url, document: context ?? (kid === undefined ? controller : method) }
    }
    const suite = new DataIntegrityProof({ cryptosuite: createVerifyCryptosuite() } as never)
    const { verified: good } = await vc.verifyCredential({ credential: list, suite, documentLoader })
    return good
  }

  it('keeps the issuer of its credentials after rotation, revocation and a change to did:web', async () => {
    const shop = await buildShop()
    const first = await held(await buildCertifiedPassport(shop))
    const old = await readActiveKey(shop.api)
    await rotateFor(shop)
    const afterRotation = await listAt(first)
    expect([afterRotation.issuer, await holds(afterRotation)]).to.deep.equal([first.issuer.id, true])
    await revokeKey(shop.api, old.id)
    const afterRevocation = await listAt(first)
    expect([afterRevocation.issuer, await holds(afterRevocation)]).to.deep.equal([first.issuer.id, true])
    expect(afterRevocation.proof).to.be.an('array').with.length(2)
    await proveDomain(shop, hosting, domain)
    const later = await held(await buildCertifiedPassport(shop))
    expect(later.issuer.id).to.equal(`did:web:${domain}`)
    expect((await listAt(later)).issuer).to.equal(later.issuer.id)
    const afterMove = await listAt(first)
    expect([afterMove.issuer, await holds(afterMove)]).to.deep.equal([first.issuer.id, true])
    await revokeKey(shop.api, (await readActiveKey(shop.api)).id)
    await proveDomain(shop, hosting, domain)
    const next = await held(await buildCertifiedPassport(shop))
    expect(next.credentialStatus[0]?.statusListCredential, 'a revoked key opens a new list').to.not.equal(
      later.credentialStatus[0]?.statusListCredential,
    )
  })
})

describe('GET /v1/dpp/passports/{id}/vc.jsonld?version=', () => {
  it('serves a superseded version with its receipt, and verify names the newer one', async () => {
    const shop = await buildShop()
    const id = await buildCertifiedPassport(shop)
    const before = await createApiClient().get(getCredentialPath(id))
    const receipt = await createApiClient().get(`/v1/dpp/passports/${id}/anchor`)
    const patched = await shop.api.patch(`/v1/dpp/passports/${id}`, { data: { color: 'blue' } })
    await waitForJob(shop.api, `/v1/jobs/${getBody<{ certifyJob: { id: string } }>(patched).certifyJob.id}`)
    const old = await createApiClient().get(`${getCredentialPath(id)}?version=1`)
    expect([old.status, old.text]).to.deep.equal([200, before.text])
    expect((await createApiClient().get(`/v1/dpp/passports/${id}/anchor?version=1`)).body).to.deep.equal(receipt.body)
    expect((await createApiClient().get(getCredentialPath(id))).text).to.not.equal(before.text)
    const found = await verifyByApi(JSON.parse(old.text))
    expect([found.verified, found.superseded]).to.deep.equal([true, true])
    expect(found.newer).to.match(new RegExp(`/v1/dpp/passports/${id}/vc\\.jsonld\\?version=2$`))
    expect(
      (await verifyByApi(JSON.parse((await createApiClient().get(pathOf(found.newer ?? '') + '?version=2')).text)))
        .superseded,
    ).to.equal(false)
    expect(formatVerdict(await createApiClient().get(`${getCredentialPath(id)}?version=3`))).to.equal('404 NOT_FOUND')
    await shop.api.patch(`/v1/dpp/passports/${id}`, { status: 'archived' })
    for (const path of [`${getCredentialPath(id)}?version=1`, `/v1/dpp/passports/${id}/anchor?version=1`]) {
      expect(formatVerdict(await createApiClient().get(path)), path).to.equal('404 NOT_FOUND')
    }
  })
})

describe('Credentials of a rotated certification key', () => {
  it('is valid for what was issued before the rotation, and for nothing after', async () => {
    const shop = await buildShop()
    const built = await held(await buildCertifiedPassport(shop))
    const { id } = await readActiveKey(shop.api)
    await rotateFor(shop)
    expect((await verifyByApi(built)).verdict).to.equal('verified')
    const { db } = await getOperator()
    await ageRotation(db, id)
    const late = await verifyByApi(built)
    expect([late.verdict, late.checks.find(({ check }) => check === 'key')?.detail.slice(0, 19)]).to.deep.equal([
      'failed',
      'Its key was rotated',
    ])
  })
})
