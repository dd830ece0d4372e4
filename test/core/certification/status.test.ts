import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { Passport } from '../../../core/features/dpp/passports.schema.ts'
import type { CredentialStatus } from '../../../core/features/dpp/status.schema.ts'
import { client, type Answer } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { startSecond } from '../http/second.ts'
import { newKey } from '../identity/people.ts'
import { bodyOf, ended, eventsOf, faults, newPassport, newSheet, newShop, readPassport, verdict, type Shop } from '../passports/fixtures.ts'
import { accepting, credentialAt, newBody, newCertified } from './certified.ts'
import { proveDomain, startHosting } from './hosting.ts'
import { activeKeyOf, keysOf, platformSecret, revoke, rotated, until } from './keys.ts'

type Purpose = 'revocation' | 'suspension'
interface Entry { statusListCredential: string; statusPurpose: Purpose; statusListIndex: string }
interface Held { issuer: { id: string }; credentialStatus: Entry[]; proof: { verificationMethod: string } }
interface ListCredential { issuer: string; proof: { verificationMethod: string }; credentialSubject: { encodedList: string; statusPurpose: string; ttl: number } }

const held = async (id: string) => JSON.parse((await client().get(credentialAt(id))).text) as Held
const listOf = async (address: string, api?: string) =>
  JSON.parse((await client({}, api).get(new URL(address).pathname)).text) as ListCredential
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

describe('The status of credentials', () => {
  let shop: Shop

  before(async () => { shop = await newShop() })

  const change = (id: string, purpose: Purpose, value: boolean, reason = 'recalled'): Promise<Answer> =>
    shop.api.post(`/v1/dpp/passports/${id}/status`, { purpose, value, reason })
  async function changed(id: string, purpose: Purpose, value: boolean, reason?: string): Promise<CredentialStatus> {
    const answer = await change(id, purpose, value, reason)
    expect(answer.status, answer.text).to.equal(200)
    return bodyOf<CredentialStatus>(answer)
  }
  const certify = async (id: string) => {
    const started = await shop.api.post(`/v1/dpp/passports/certify?filters[id][eq]=${id}`)
    return ended(shop.api, `/v1/jobs/${started.body.jobId}`)
  }
  async function recolored(id: string, color: string) {
    const patched = await shop.api.patch(`/v1/dpp/passports/${id}`, { data: { color } })
    expect(patched.status, patched.text).to.equal(200)
    return ended(shop.api, `/v1/jobs/${bodyOf<Passport>(patched).certifyJob?.id}`)
  }

  it('is suspended and lifted again, and readers of the list see it at once, in another process too', async () => {
    const id = await newCertified(shop)
    const credential = await held(id)
    const second = await startSecond(platform, { BASE_URL: platform.api, KEY_ENCRYPTION_KEY: platformSecret() })
    try {
      expect([await statusOf(credential), await statusOf(credential, second.api)]).to.deep.equal([[], []])
      const address = new URL(credential.credentialStatus[1]?.statusListCredential ?? '').pathname
      const before = await client().get(address)
      const told = await changed(id, 'suspension', true, 'under examination')
      expect(told).to.deep.include({ passport: id, purpose: 'suspension', value: true, reason: 'under examination', revoked: false, suspended: true })
      expect(Math.abs(Date.now() - new Date(String(told.changedAt)).getTime())).to.be.lessThan(10_000)
      const after = await client().get(address, { headers: { 'if-none-match': String(before.headers['etag']) } })
      expect([after.status, after.headers['cache-control']]).to.deep.equal([200, 'public, no-cache'])
      expect([await statusOf(credential), await statusOf(credential, second.api)]).to.deep.equal([['suspension'], ['suspension']])
      expect(await changed(id, 'suspension', false, 'nothing found')).to.include({ value: false, suspended: false, reason: 'nothing found' })
      expect([await statusOf(credential), await statusOf(credential, second.api)]).to.deep.equal([[], []])
      const same = [await client().get(address), await client({}, second.api).get(address)]
      expect(same[0]?.bytes.equals(same[1]?.bytes ?? Buffer.alloc(0))).to.equal(true)
    } finally {
      second.kill()
      await second.ended
    }
  })

  it('said twice changes nothing and leaves one event', async () => {
    const id = await newCertified(shop)
    expect(await changed(id, 'suspension', false)).to.deep.equal({
      passport: id, purpose: 'suspension', value: false, reason: null, changedAt: null, revoked: false, suspended: false,
    })
    const first = await changed(id, 'suspension', true, 'one')
    expect(await changed(id, 'suspension', true, 'two')).to.deep.equal(first)
    const events = await eventsOf(shop, id)
    // One of the certificate, one of the suspension.
    expect(events.filter((type) => type === 'update')).to.have.length(2)
    const both = await Promise.all([changed(id, 'revocation', true, 'a'), changed(id, 'revocation', true, 'b')])
    expect(both[0]).to.deep.equal(both[1])
    expect(both[0]).to.include({ revoked: true, suspended: true })
    expect((await eventsOf(shop, id)).filter((type) => type === 'update')).to.have.length(3)
  })

  it('is changed of many passports of one list at the same time without losing any', async () => {
    const ids = [await newCertified(shop), await newCertified(shop), await newCertified(shop), await newCertified(shop)]
    await Promise.all(ids.map((id) => changed(id, 'suspension', true)))
    await Promise.all([...ids.slice(0, 2).map((id) => changed(id, 'suspension', false)), ...ids.slice(2).map((id) => changed(id, 'revocation', true))])
    expect(await Promise.all(ids.map(async (id) => statusOf(await held(id))))).to.deep.equal(
      [[], [], ['revocation', 'suspension'], ['revocation', 'suspension']])
  })

  it('goes for old versions and for those that come later', async () => {
    const id = await newCertified(shop)
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
    const id = await newCertified(shop)
    const first = await held(id)
    await changed(id, 'revocation', true)
    const back = await change(id, 'revocation', false)
    expect([verdict(back), faults(back)]).to.deep.equal(['422 VALIDATION_FAILED', ['value']])
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
    const draft = await newPassport(shop, await newSheet(shop))
    for (const purpose of ['revocation', 'suspension'] as const) {
      const answer = await change(draft.id, purpose, true)
      expect([verdict(answer), faults(answer)]).to.deep.equal(['422 VALIDATION_FAILED', ['id']])
    }
    const id = await newCertified(shop)
    const body = { purpose: 'revocation', value: true, reason: 'x' }
    const other = await newShop()
    expect(verdict(await other.api.post(`/v1/dpp/passports/${id}/status`, body))).to.equal('404 NOT_FOUND')
    expect(verdict(await client().post(`/v1/dpp/passports/${id}/status`, body))).to.equal('401 AUTH_UNAUTHENTICATED')
    const { key } = await newKey(shop.organization, { dpp: ['read', 'create'] })
    expect(verdict(await client(key).post(`/v1/dpp/passports/${id}/status`, body))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
    for (const wrong of [{ purpose: 'message' }, { value: 'true' }, { reason: '' }, { reason: ' ' }, { reason: 'x'.repeat(501) }, { more: 1 }]) {
      const answer = await shop.api.post(`/v1/dpp/passports/${id}/status`, { ...body, ...wrong })
      expect([verdict(answer), ...new Set(faults(answer))]).to.deep.equal(['422 VALIDATION_FAILED', ...Object.keys(wrong)])
    }
    expect(await statusOf(await held(id))).to.deep.equal([])
    const hosted = await newCertified(shop, newBody(shop, { certificateUri: 'https://certificates.example/1' }))
    expect(faults(await change(hosted, 'revocation', true))).to.deep.equal(['id'])
  })

  it("stands in lists of the credential's own issuer, also once its key was rotated", async () => {
    const own = await newShop()
    const first = await held(await newCertified(own))
    const old = await activeKeyOf(own.api)
    const { key } = await rotated(own.api)
    await until(() => keysOf(own.api), (keys) => keys.some(({ id, status }) => id === key.id && status === 'active'))
    const later = await held(await newCertified(own))
    expect([first.issuer.id, later.issuer.id]).to.deep.equal([old.did, key.did])
    for (const { issuer, credentialStatus } of [first, later]) {
      for (const { statusListCredential } of credentialStatus) {
        const list = await listOf(statusListCredential)
        expect([list.issuer, list.proof.verificationMethod.split('#')[0]]).to.deep.equal([issuer.id, issuer.id])
        const { text } = await client().get(new URL(statusListCredential).pathname, accepting('application/vc+jwt'))
        const { kid } = JSON.parse(Buffer.from(text.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }
        expect(kid.split('#')[0]).to.equal(issuer.id)
      }
    }
    // Nothing else speaks for a did:key: it stays the issuer, and the active key signs after it.
    await revoke(own.api, old.id)
    expect((await listOf(first.credentialStatus[0]?.statusListCredential ?? '')).issuer).to.equal(old.did)
  })

  it("stands in lists of the credential's own issuer, also once its organization has another domain", async () => {
    const own = await newShop()
    const credentials: Held[] = []
    const [one, two] = [`${own.organization}.one.example`, `${own.organization}.two.example`]
    const hosting = await startHosting([one, two])
    try {
      for (const domain of [null, one, two]) {
        if (domain !== null) await proveDomain(own, hosting, domain)
        credentials.push(await held(await newCertified(own)))
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
