import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { CredentialStatus, Passport } from '../../../../core/features/dpp/index.ts'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { startSecondServer } from '../../../support/network/second-server.ts'
import {
  buildCertifiedPassport,
  buildKey,
  buildPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import {
  getBody,
  waitForJob,
  listEventTypes,
  listFaultPaths,
  readPassport,
  formatVerdict,
} from '../../dpp/passports/fixtures.ts'
import { createAcceptOptions, getCredentialPath, createBody } from '../credentials/certified.ts'
import { proveDomain, startHosting } from '../did-web/hosting.ts'
import { readActiveKey, listKeys, readPlatformSecret, revokeKey, readRotation, waitUntilAnswer } from '../keys/keys.ts'

type Purpose = 'revocation' | 'suspension'
interface Entry {
  statusListCredential: string
  statusPurpose: Purpose
  statusListIndex: string
}
interface Held {
  issuer: { id: string }
  credentialStatus: Entry[]
  proof: { verificationMethod: string }
}
interface ListCredential {
  issuer: string
  proof: { verificationMethod: string }
  credentialSubject: { encodedList: string; statusPurpose: string; ttl: number }
}

const held = async (id: string) => JSON.parse((await createApiClient().get(getCredentialPath(id))).text) as Held
const listOf = async (address: string, api?: string) =>
  JSON.parse((await createApiClient({}, api).get(new URL(address).pathname)).text) as ListCredential
/** The bit of an entry as a verifier reads it. */
async function bitOf({ statusListCredential, statusListIndex }: Entry, api?: string): Promise<boolean> {
  const { credentialSubject } = await listOf(statusListCredential, api)
  expect(credentialSubject.ttl).to.equal(300_000)
  const bits = gunzipSync(Buffer.from(credentialSubject.encodedList.slice(1), 'base64url'))
  const index = Number(statusListIndex)
  return ((bits[Math.floor(index / 8)] ?? 0) & (1 << (7 - (index % 8)))) !== 0
}
/** What a reader of the credential finds of it. */
async function statusOf({ credentialStatus }: Held, api?: string): Promise<Purpose[]> {
  const set = await Promise.all(credentialStatus.map((entry) => bitOf(entry, api)))
  return credentialStatus.filter((_, at) => set[at]).map(({ statusPurpose }) => statusPurpose)
}

describe('Status of credentials: revocation and suspension', () => {
  let shop: Shop

  before(async () => {
    shop = await buildShop()
  })

  const change = (id: string, purpose: Purpose, value: boolean, reason = 'recalled'): Promise<Answer> =>
    shop.api.post(`/v1/dpp/passports/${id}/status`, { purpose, value, reason })
  async function changed(id: string, purpose: Purpose, value: boolean, reason?: string): Promise<CredentialStatus> {
    const answer = await change(id, purpose, value, reason)
    expect(answer.status, answer.text).to.equal(200)
    return getBody<CredentialStatus>(answer)
  }
  const certify = async (id: string) => {
    const started = await shop.api.post(`/v1/dpp/passports/certify?filters[id][eq]=${id}`)
    return waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)
  }
  async function recolored(id: string, color: string) {
    const patched = await shop.api.patch(`/v1/dpp/passports/${id}`, { data: { color } })
    expect(patched.status, patched.text).to.equal(200)
    return waitForJob(shop.api, `/v1/jobs/${getBody<Passport>(patched).certifyJob?.id}`)
  }

  it('is suspended and lifted again, and readers of the list see it at once, in another process too', async () => {
    const id = await buildCertifiedPassport(shop)
    const credential = await held(id)
    const second = await startSecondServer(platform, {
      BASE_URL: platform.api,
      KEY_ENCRYPTION_KEY: readPlatformSecret(),
    })
    try {
      expect([await statusOf(credential), await statusOf(credential, second.api)]).to.deep.equal([[], []])
      const address = new URL(credential.credentialStatus[1]?.statusListCredential ?? '').pathname
      const before = await createApiClient().get(address)
      const statusAnswer = await changed(id, 'suspension', true, 'under examination')
      expect(statusAnswer).to.deep.include({
        passport: id,
        purpose: 'suspension',
        value: true,
        reason: 'under examination',
        revoked: false,
        suspended: true,
      })
      expect(Math.abs(Date.now() - new Date(String(statusAnswer.changedAt)).getTime())).to.be.lessThan(60_000)
      const after = await createApiClient().get(address, {
        headers: { 'if-none-match': String(before.headers['etag']) },
      })
      expect([after.status, after.headers['cache-control']]).to.deep.equal([200, 'public, no-cache'])
      expect([await statusOf(credential), await statusOf(credential, second.api)]).to.deep.equal([
        ['suspension'],
        ['suspension'],
      ])
      expect(await changed(id, 'suspension', false, 'nothing found')).to.include({
        value: false,
        suspended: false,
        reason: 'nothing found',
      })
      expect([await statusOf(credential), await statusOf(credential, second.api)]).to.deep.equal([[], []])
      const same = [await createApiClient().get(address), await createApiClient({}, second.api).get(address)]
      expect(same[0]?.bytes.equals(same[1]?.bytes ?? Buffer.alloc(0))).to.equal(true)
    } finally {
      second.kill()
      await second.ended
    }
  })

  it('changes nothing when it is set twice, and leaves one event', async () => {
    const id = await buildCertifiedPassport(shop)
    expect(await changed(id, 'suspension', false)).to.deep.equal({
      passport: id,
      purpose: 'suspension',
      value: false,
      reason: null,
      changedAt: null,
      revoked: false,
      suspended: false,
    })
    const first = await changed(id, 'suspension', true, 'one')
    expect(await changed(id, 'suspension', true, 'two')).to.deep.equal(first)
    const events = await listEventTypes(shop, id)
    // One of the certificate, one of the suspension.
    expect(events.filter((type) => type === 'update')).to.have.length(2)
    const both = await Promise.all([changed(id, 'revocation', true, 'a'), changed(id, 'revocation', true, 'b')])
    expect(both[0]).to.deep.equal(both[1])
    expect(both[0]).to.include({ revoked: true, suspended: true })
    expect((await listEventTypes(shop, id)).filter((type) => type === 'update')).to.have.length(3)
  })

  it('is changed of many passports of one list at the same time without losing any', async () => {
    const ids = [
      await buildCertifiedPassport(shop),
      await buildCertifiedPassport(shop),
      await buildCertifiedPassport(shop),
      await buildCertifiedPassport(shop),
    ]
    await Promise.all(ids.map((id) => changed(id, 'suspension', true)))
    await Promise.all([
      ...ids.slice(0, 2).map((id) => changed(id, 'suspension', false)),
      ...ids.slice(2).map((id) => changed(id, 'revocation', true)),
    ])
    expect(await Promise.all(ids.map(async (id) => statusOf(await held(id))))).to.deep.equal([
      [],
      [],
      ['revocation', 'suspension'],
      ['revocation', 'suspension'],
    ])
  })

  it('goes for old versions and for those that come later', async () => {
    const id = await buildCertifiedPassport(shop)
    const first = await held(id)
    await changed(id, 'suspension', true)
    expect(await recolored(id, 'blue')).to.include({ status: 'completed', failed: 0 })
    const later = await held(id)
    expect(later.credentialStatus[0]?.statusListIndex).not.to.equal(first.credentialStatus[0]?.statusListIndex)
    expect([await statusOf(first), await statusOf(later)]).to.deep.equal([['suspension'], ['suspension']])
    await changed(id, 'suspension', false)
    expect([await statusOf(first), await statusOf(later)]).to.deep.equal([[], []])
  })

  it('is final once it is revoked: nothing brings the credential back', async () => {
    const id = await buildCertifiedPassport(shop)
    const first = await held(id)
    await changed(id, 'revocation', true)
    const back = await change(id, 'revocation', false)
    expect([formatVerdict(back), listFaultPaths(back)]).to.deep.equal(['422 VALIDATION_FAILED', ['value']])
    expect((await certify(id)).result).to.include({ unchanged: 1 })
    const again = await recolored(id, 'green')
    expect(again).to.include({ status: 'failed', failed: 1 })
    expect(again.errors[0]).to.include({ path: 'status', code: 'revoked' })
    const shown = await readPassport(shop.api, id)
    expect([shown.certificationStatus, shown.certifyJob?.error]).to.deep.equal(['error', again.errors[0]?.message])
    expect([await statusOf(first), await held(id)]).to.deep.equal([['revocation'], first])
    await shop.api.patch(`/v1/dpp/passports/${id}`, { status: 'archived' })
    expect(await changed(id, 'suspension', true)).to.include({ revoked: true, suspended: true })
  })

  it('needs a credential of ours, and a passport of the caller', async () => {
    const draft = await buildPassport(shop, await buildSheet(shop))
    for (const purpose of ['revocation', 'suspension'] as const) {
      const answer = await change(draft.id, purpose, true)
      expect([formatVerdict(answer), listFaultPaths(answer)]).to.deep.equal(['422 VALIDATION_FAILED', ['id']])
    }
    const id = await buildCertifiedPassport(shop)
    const body = { purpose: 'revocation', value: true, reason: 'x' }
    const other = await buildShop()
    expect(formatVerdict(await other.api.post(`/v1/dpp/passports/${id}/status`, body))).to.equal('404 NOT_FOUND')
    expect(formatVerdict(await createApiClient().post(`/v1/dpp/passports/${id}/status`, body))).to.equal(
      '401 AUTH_UNAUTHENTICATED',
    )
    const { key } = await buildKey(shop.organization, { dpp: ['read', 'create'] })
    expect(formatVerdict(await createApiClient(key).post(`/v1/dpp/passports/${id}/status`, body))).to.equal(
      '403 AUTH_INSUFFICIENT_PERMISSIONS',
    )
    for (const wrong of [
      { purpose: 'message' },
      { value: 'true' },
      { reason: '' },
      { reason: ' ' },
      { reason: 'x'.repeat(501) },
      { more: 1 },
    ]) {
      const answer = await shop.api.post(`/v1/dpp/passports/${id}/status`, { ...body, ...wrong })
      expect([formatVerdict(answer), ...new Set(listFaultPaths(answer))]).to.deep.equal([
        '422 VALIDATION_FAILED',
        ...Object.keys(wrong),
      ])
    }
    expect(await statusOf(await held(id))).to.deep.equal([])
    const hosted = await buildCertifiedPassport(
      shop,
      createBody(shop, { certificateUri: 'https://certificates.example/1' }),
    )
    expect(listFaultPaths(await change(hosted, 'revocation', true))).to.deep.equal(['id'])
  })

  it("stands in lists of the credential's own issuer, also once its key was rotated", async () => {
    const own = await buildShop()
    const first = await held(await buildCertifiedPassport(own))
    const old = await readActiveKey(own.api)
    const { key } = await readRotation(own.api)
    await waitUntilAnswer(
      () => listKeys(own.api),
      (keys) => keys.some(({ id, status }) => id === key.id && status === 'active'),
    )
    const later = await held(await buildCertifiedPassport(own))
    expect([first.issuer.id, later.issuer.id]).to.deep.equal([old.did, key.did])
    for (const { issuer, credentialStatus } of [first, later]) {
      for (const { statusListCredential } of credentialStatus) {
        const list = await listOf(statusListCredential)
        expect([list.issuer, list.proof.verificationMethod.split('#')[0]]).to.deep.equal([issuer.id, issuer.id])
        const { text } = await createApiClient().get(
          new URL(statusListCredential).pathname,
          createAcceptOptions('application/vc+jwt'),
        )
        const { kid } = JSON.parse(Buffer.from(text.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }
        expect(kid.split('#')[0]).to.equal(issuer.id)
      }
    }
    // Nothing else speaks for a did:key: it stays the issuer, and the active key signs after it.
    await revokeKey(own.api, old.id)
    expect((await listOf(first.credentialStatus[0]?.statusListCredential ?? '')).issuer).to.equal(old.did)
  })

  it("stands in lists of the credential's own issuer, also once its organization has another domain", async () => {
    const own = await buildShop()
    const credentials: Held[] = []
    const [one, two] = [`${own.organization}.one.example`, `${own.organization}.two.example`]
    const hosting = await startHosting([one, two])
    try {
      for (const domain of [null, one, two]) {
        if (domain !== null) await proveDomain(own, hosting, domain)
        credentials.push(await held(await buildCertifiedPassport(own)))
      }
    } finally {
      await hosting.stop()
    }
    expect(credentials.map(({ issuer }) => issuer.id).slice(1)).to.deep.equal([`did:web:${one}`, `did:web:${two}`])
    for (const { issuer, credentialStatus } of credentials) {
      const list = await listOf(credentialStatus[0]?.statusListCredential ?? '')
      expect([list.issuer, list.proof.verificationMethod.split('#')[0]]).to.deep.equal([issuer.id, issuer.id])
    }
  })
})
