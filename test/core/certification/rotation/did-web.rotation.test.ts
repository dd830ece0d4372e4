import { expect } from 'chai'
import type { Knex } from 'knex'
import type { DidWebConfig } from '../../../../core/features/certification/index.ts'
import type { Readiness } from '../../../../core/features/dpp/index.ts'
import { createApiClient } from '../../../support/client.ts'
import { getOperator, getOwnClient, signInMember, createUniqueName } from '../../identity/people.ts'
import { ageDomainCheck, ageMissingDocument } from '../../../support/rows/certification/did-web-domains.ts'
import { expireDocumentDeadline } from '../../../support/rows/certification/keys.ts'
import { countCertificateVersions } from '../../../support/rows/dpp/certificates.ts'
import { isWaitingToSign } from '../../../support/rows/queue/key-jobs.ts'
import { listOwnerMails } from '../../../support/rows/queue/owner-mails.ts'
import { buildCertifiedPassport, buildMember, buildShop, type Shop } from '../../../support/world.ts'
import { getBody, waitForJob, readPassport, formatVerdict } from '../../dpp/passports/fixtures.ts'
import { getCredentialPath, createBody } from '../credentials/certified.ts'
import { proveDomain, startHosting, type TestHosting } from '../did-web/hosting.ts'
import { readActiveKey, listKeys, revokeKey, rotateKey, readRotation, waitUntilAnswer } from '../keys/keys.ts'

const path = '/v1/dpp/certification-key/did-web-config'
const published = '/.well-known/did.json'
const hosts = ['rotated', 'late', 'gone', 'cleared', 'lost', 'crowded', 'succeeded', 'listed', 'left', 'again'].map(
  (name) => `${createUniqueName(name)}.example`,
)
const [
  domain = '',
  late = '',
  gone = '',
  cleared = '',
  lost = '',
  crowded = '',
  succeeded = '',
  listed = '',
  left = '',
  again = '',
] = hosts

describe('POST /v1/dpp/certification-key/rotate under did:web', () => {
  let shop: Shop
  let hosting: TestHosting
  let db: Knex

  before(async () => {
    hosting = await startHosting(hosts)
    ;({ db } = await getOperator())
  })
  after(() => hosting.stop())
  beforeEach(async () => {
    hosting.clear()
    shop = await buildShop()
  })

  const config = async () => getBody<DidWebConfig>(await shop.api.get(path))
  const verify = () => hosting.api.post(`${path}/verify`, undefined, { headers: { 'x-api-key': shop.key } })
  const statuses = async () => (await listKeys(shop.api)).map(({ status }) => status)
  /** Subjects of the mails that the shop's Owners were sent. */
  const mails = () => listOwnerMails(db, shop.organization)

  /** Findings about the document, as the readiness of a passport has them, and what the console says of it. */
  async function readReadiness(passport: unknown): Promise<{ ready: boolean; codes: string[]; console: string }> {
    const answer = await shop.api.get(`/v1/dpp/passports/${passport}/readiness`)
    expect(answer.status, answer.text).to.equal(200)
    const { ready, findings } = getBody<Readiness>(answer)
    const page = await getOwnClient(
      await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization),
    ).get('/console/imports')
    expect(page.status).to.equal(200)
    const [, head = ''] = /<strong>([^<]*DID document[^<]*)<\/strong>/.exec(page.text) ?? []
    return { ready, codes: findings.filter(({ path }) => path === 'issuer.id').map(({ code }) => code), console: head }
  }
  const nothing = { ready: true, codes: [], console: '' }

  it('makes the new key active only when the published document has it', async () => {
    await proveDomain(shop, hosting, domain)
    const old = await readActiveKey(shop.api)
    const { key, queuedJobs } = await readRotation(shop.api)
    expect([key.status, queuedJobs]).to.deep.equal(['pending', 0])
    expect((await config()).rotationDueAt).to.be.a('string')
    expect((await verify()).body, 'the document before is good for what is signed now').to.include({ status: 'ok' })
    expect([(await readActiveKey(shop.api)).id, await statuses()]).to.deep.equal([old.id, ['pending', 'active']])
    expect(formatVerdict(await rotateKey(shop.api))).to.equal('409 DPP_KEY_ROTATION_PENDING')
    hosting.put(published, (await config()).didDocument)
    await hosting.upkeep()
    expect([(await readActiveKey(shop.api)).id, await statuses()]).to.deep.equal([key.id, ['active', 'rotated']])
    expect((await config()).rotationDueAt).to.equal(null)
  })

  it('fails without the document within 24 hours: the old key stays active, the Owners are told once', async () => {
    await proveDomain(shop, hosting, late)
    const old = await readActiveKey(shop.api)
    const { key } = await readRotation(shop.api)
    await expireDocumentDeadline(db, key.id)
    const updates = () => shop.api.get('/v1/events?filters[subject][eq]=application&filters[type][eq]=update')
    const before = Number((await updates()).body.total)
    await hosting.upkeep()
    await hosting.upkeep()
    expect([(await readActiveKey(shop.api)).id, await statuses()]).to.deep.equal([old.id, ['revoked', 'active']])
    expect(await mails()).to.deep.equal(['The rotation of your certification key has failed'])
    expect((await updates()).body.total).to.equal(before + 1)
    expect((await readRotation(shop.api)).key.status, 'another try is free').to.equal('pending')
  })

  it('writes to the first twenty Owners of an organization that has more', async () => {
    await proveDomain(shop, hosting, crowded)
    for (let more = 0; more < 20; more++) await buildMember(shop.organization, 'owner')
    const { key } = await readRotation(shop.api)
    await expireDocumentDeadline(db, key.id)
    await hosting.upkeep()
    const subject = 'The rotation of your certification key has failed'
    expect((await mails()).filter((one) => one === subject)).to.have.length(20)
  })

  it('goes on where the domain is given up meanwhile', async () => {
    await proveDomain(shop, hosting, cleared)
    const { key } = await readRotation(shop.api)
    await shop.api.put(path, { domain: null })
    const active = await readActiveKey(shop.api)
    expect([active.id, active.did]).to.deep.equal([key.id, `did:key:${key.kid}`])
  })

  it('does not hold up a revocation: the waiting key takes the place of the active one at once', async () => {
    await proveDomain(shop, hosting, lost)
    const old = await readActiveKey(shop.api)
    const { key } = await readRotation(shop.api)
    await revokeKey(shop.api, old.id)
    expect([(await readActiveKey(shop.api)).id, await statuses()]).to.deep.equal([key.id, ['active', 'revoked']])
  })

  /** A job that certifies a passport, once it has come to the signing and waits. */
  async function waitingJob(): Promise<{ id: string; passport: string }> {
    const made = await shop.api.post('/v1/dpp/passports', createBody(shop))
    expect(made.status, made.text).to.equal(201)
    const passport = String(made.body.id)
    const started = await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${passport}`)
    expect(started.status, started.text).to.equal(202)
    const id = String(started.body.jobId)
    await waitUntilAnswer(
      () => isWaitingToSign(db, id),
      (isWaiting) => isWaiting,
    )
    return { id, passport }
  }
  const signerOf = async (passport: string) => {
    const { text } = await createApiClient().get(getCredentialPath(passport))
    return (JSON.parse(text) as { proof: { verificationMethod: string } }).proof.verificationMethod
  }

  it('signs nothing with the key that took the place of a revoked one before the published document has it', async () => {
    await proveDomain(shop, hosting, succeeded)
    const certified = await buildCertifiedPassport(shop)
    await revokeKey(shop.api, (await readActiveKey(shop.api)).id)
    const { id: next, kid } = await readActiveKey(shop.api)
    expect(await mails()).to.deep.equal([`Your DID document at ${succeeded} lacks your new certification key`])
    expect(formatVerdict(await shop.api.post('/v1/dpp/passports/build-vc', createBody(shop)))).to.equal(
      '409 DPP_KEY_ROTATION_PENDING',
    )
    const { id: job, passport } = await waitingJob()
    await hosting.upkeep()
    expect(await countCertificateVersions(db, passport)).to.equal(0)
    expect(await readReadiness(certified)).to.include({
      ready: false,
      console: 'Nothing is signed until your DID document has the new key',
    })
    expect((await readReadiness(certified)).codes).to.deep.equal(['did_document_lacks_key'])
    hosting.put(published, (await config()).didDocument)
    await hosting.upkeep()
    await waitForJob(shop.api, `/v1/jobs/${job}`)
    expect((await readPassport(shop.api, passport)).certificationStatus).to.equal('certified')
    expect([await signerOf(passport), (await readActiveKey(shop.api)).id]).to.deep.equal([
      `did:web:${succeeded}#${kid}`,
      next,
    ])
    expect(await readReadiness(passport)).to.deep.equal(nothing)
    expect((await mails()).length, 'told once').to.equal(1)
  })

  it('signs under did:key where the domain is given up while the document lacks the key', async () => {
    await proveDomain(shop, hosting, left)
    await revokeKey(shop.api, (await readActiveKey(shop.api)).id)
    const { id: job, passport } = await waitingJob()
    await shop.api.put(path, { domain: null })
    await waitForJob(shop.api, `/v1/jobs/${job}`)
    const { did, kid } = await readActiveKey(shop.api)
    expect(await signerOf(passport)).to.equal(`${did}#${kid}`)
  })

  it('signs status lists with another key that the document has while it lacks the active one', async () => {
    await proveDomain(shop, hosting, listed)
    const first = await readActiveKey(shop.api)
    const { text } = await createApiClient().get(getCredentialPath(await buildCertifiedPassport(shop)))
    const [{ statusListCredential = '' } = {}] = (
      JSON.parse(text) as { credentialStatus: { statusListCredential: string }[] }
    ).credentialStatus
    const { key } = await readRotation(shop.api)
    hosting.put(published, (await config()).didDocument)
    await hosting.upkeep()
    await waitUntilAnswer(
      () => readActiveKey(shop.api),
      ({ id }) => id === key.id,
    )
    await revokeKey(shop.api, key.id)
    const list = await createApiClient().get(new URL(statusListCredential).pathname)
    const { proof } = JSON.parse(list.text) as { proof: { verificationMethod: string } }
    expect(proof.verificationMethod).to.equal(`did:web:${listed}#${first.kid}`)
  })

  it('tells of a document that is gone for a day, and signing goes on under the same identifier', async () => {
    await proveDomain(shop, hosting, gone)
    const passport = await buildCertifiedPassport(shop)
    hosting.clear()
    await ageDomainCheck(db, gone)
    await hosting.upkeep()
    expect([typeof (await config()).missingSince, await mails()]).to.deep.equal(['string', []])
    expect(await readReadiness(passport), 'within the day').to.deep.equal(nothing)
    await ageMissingDocument(db, gone)
    await hosting.upkeep()
    await hosting.upkeep()
    expect(await mails()).to.deep.equal([`Your DID document is missing at ${gone}`])
    expect(await readReadiness(passport)).to.deep.equal({
      ready: false,
      codes: ['did_document_missing'],
      console: 'Your DID document is missing',
    })
    const member = await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization)
    const { text } = await getOwnClient(member).get('/console/imports', undefined, { 'accept-language': 'fr' })
    expect(text).to.contain('<strong>Votre document DID manque</strong>')
    expect(
      /role="alert">.*?<time[^>]* data-shown="instant">/s.test(text),
      'the time in the zone of the reader',
    ).to.equal(true)
    expect([(await config()).did, (await readActiveKey(shop.api)).did]).to.deep.equal([
      `did:web:${gone}`,
      `did:web:${gone}`,
    ])
    hosting.put(published, (await config()).didDocument)
    await hosting.upkeep()
    expect((await config()).missingSince).to.equal(null)
    expect(await readReadiness(passport)).to.deep.equal(nothing)
  })

  it('tells of a document that is gone for a day also where a key was revoked that had waited for it', async () => {
    await proveDomain(shop, hosting, again)
    await revokeKey(shop.api, (await readActiveKey(shop.api)).id)
    await revokeKey(shop.api, (await readActiveKey(shop.api)).id)
    hosting.put(published, (await config()).didDocument)
    await hosting.upkeep()
    hosting.clear()
    await ageDomainCheck(db, again)
    await hosting.upkeep()
    await ageMissingDocument(db, again)
    await hosting.upkeep()
    const lacks = `Your DID document at ${again} lacks your new certification key`
    expect(await mails()).to.deep.equal([lacks, lacks, `Your DID document is missing at ${again}`])
  })
})
