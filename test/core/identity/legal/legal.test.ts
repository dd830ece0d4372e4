import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { listStoredAcceptances, tamperWithAcceptances } from '../../../support/rows/legal/acceptances.ts'
import { readStoredUser } from '../../../support/rows/identity/users.ts'
import { buildBuyer, buildMember, buildOrganization } from '../../../support/world.ts'
import { getBody } from '../../dpp/passports/fixtures.ts'
import { codeOf, createEmail, getCookies, getOperator, getOwnClient, readCodeFor, signInMember } from '../people.ts'

interface Document {
  id: string
  version: string
  kind: string
  title: string
  url: string
}

const anyone = createApiClient()
const origin = { headers: { origin: new URL(platform.api).origin } }
const listDocuments = async () => getBody<Document[]>(await anyone.get('/v1/legal/documents?audience=company'))
const acceptAll = async () => ({
  acceptances: (await listDocuments()).map(({ id, version }) => ({ document: id, version })),
})
const missingOf = (answer: Answer) =>
  getBody<{ audience: string; missing: Document[] }>(answer).missing.map(({ id }) => id)
const userOf = async (email: string) => (await readStoredUser((await getOperator()).db, email)).id

/** Keeps an intent, as the page of a sign-up does. @returns its cookie */
async function keepIntent(body: unknown): Promise<string> {
  const answer = await anyone.post('/v1/legal/signup-intent', body, origin)
  expect(answer.status, answer.text).to.equal(204)
  return getCookies(answer)[0] ?? ''
}

/** Signs a member in with cookies that their browser has. @returns the cookie of the session */
async function signInWith(email: string, cookie: string): Promise<string> {
  await anyone.post('/v1/auth/email-otp/send-verification-otp', { email, type: 'sign-in' })
  const { body } = await getOwnClient(cookie).post('/v1/auth/sign-in/email-otp', {
    email,
    otp: await readCodeFor(email),
  })
  return `tessera.session=${body['token']}`
}

describe('GET /v1/legal/documents', () => {
  it('lists the current documents of companies, each with a page that shows the text it was hashed from', async () => {
    const documents = await listDocuments()
    expect(documents.map(({ kind }) => kind).sort()).to.deep.equal(['dpa', 'privacy', 'terms'])
    for (const { url, title } of documents) {
      const page = await anyone.get(new URL(url).pathname + new URL(url).search, { skipsDocumentCheck: true })
      expect(page.status).to.equal(200)
      expect(page.text).to.contain(`<h1>${title}</h1>`)
    }
  })

  it('lists none for individuals, and refuses no audience and every other one', async () => {
    const individual = await anyone.get('/v1/legal/documents?audience=individual')
    expect([individual.status, individual.body]).to.deep.equal([200, []])
    for (const query of ['', '?audience=', '?audience=robot'])
      expect(codeOf(await anyone.get(`/v1/legal/documents${query}`)), query).to.deep.equal([400, 'INVALID_REQUEST'])
  })
})

describe('GET /legal/{document}', () => {
  it('is 404 for a document or a version that does not exist', async () => {
    for (const path of ['/legal/nothing', '/legal/terms?version=0', '/legal/..%2Fterms'])
      expect((await anyone.get(path, { skipsDocumentCheck: true })).status, path).to.equal(404)
  })
})

describe('POST /v1/legal/acceptances', () => {
  it('keeps document, version, hash, time and address, once and unchangeable', async () => {
    const { owner, organization } = await buildOrganization()
    const member = getOwnClient(await signInMember(owner))
    const started = Date.now()
    expect((await member.post('/v1/legal/acceptances', await acceptAll())).status).to.equal(204)
    const user = await userOf(owner)
    const { db } = await getOperator()
    const stored = await listStoredAcceptances(db, { user })
    expect(stored.map(({ document, version }) => [document, version])).to.deep.equal([
      ['privacy', '1'],
      ['processing', '1'],
      ['terms', '1'],
    ])
    const file = new URL('../../../../core/features/identity/legal/documents/terms.md', import.meta.url)
    const [, text = ''] = readFileSync(file, 'utf8').split(/\n---\n+/)
    expect(stored.at(-1)).to.include({ sha256: createHash('sha256').update(text).digest('hex'), organization: null })
    expect(stored.at(-1)?.address).to.match(/127\.0\.0\.1|::1/)
    for (const { acceptedAt } of stored) expect(acceptedAt.getTime()).to.be.within(started - 1000, Date.now() + 1000)
    await member.post('/v1/auth/organization/set-active', { organizationId: organization })
    expect((await member.post('/v1/legal/acceptances', await acceptAll())).status).to.equal(204)
    expect(await listStoredAcceptances(db, { user })).to.deep.equal(stored)
    for (const said of await tamperWithAcceptances(db, user))
      expect(said).to.contain('acceptances are neither changed nor deleted')
    expect(await listStoredAcceptances(db, { user })).to.deep.equal(stored)
  })

  it('refuses an unknown document and another version than the current one, and keeps nothing', async () => {
    const email = createEmail('reader')
    const member = getOwnClient(await signInMember(email))
    const good = (await acceptAll()).acceptances
    const refused = await member.post('/v1/legal/acceptances', {
      acceptances: [...good, { document: 'nothing', version: '1' }, { document: 'terms', version: '0' }],
    })
    expect(codeOf(refused)).to.deep.equal([422, 'VALIDATION_FAILED'])
    const errors = getBody<{ errors: { path: string; code: string }[] }>(refused).errors
    expect(errors.map(({ path, code }) => [path, code])).to.deep.equal([
      ['acceptances[3].document', 'unknown'],
      ['acceptances[4].version', 'not_current'],
    ])
    expect(await listStoredAcceptances((await getOperator()).db, { user: await userOf(email) })).to.deep.equal([])
    for (const [body, status] of [
      [{}, 400],
      [{ acceptances: [{ document: 'terms' }] }, 400],
      [{ acceptances: [] }, 422],
      [{ acceptances: Array(21).fill(good[0]) }, 422],
    ] as const)
      expect((await member.post('/v1/legal/acceptances', body)).status, JSON.stringify(body)).to.equal(status)
  })
})

describe('GET /v1/legal/me', () => {
  it('lists what a member of a company has not accepted, and nothing without an organization', async () => {
    const { organization } = await buildOrganization()
    const email = await buildMember(organization, 'viewer')
    const member = getOwnClient(await signInMember(email))
    expect((await member.get('/v1/legal/me')).body).to.deep.equal({ audience: 'individual', missing: [] })
    await member.post('/v1/auth/organization/set-active', { organizationId: organization })
    const before = await member.get('/v1/legal/me')
    expect(before.body).to.deep.equal({ audience: 'company', missing: await listDocuments() })
    const [first, ...others] = (await acceptAll()).acceptances
    await member.post('/v1/legal/acceptances', { acceptances: [first] })
    expect(missingOf(await member.get('/v1/legal/me'))).to.deep.equal(others.map(({ document }) => document))
  })

  it('asks nothing of a buyer', async () => {
    const { application } = await buildOrganization()
    const buyer = await buildBuyer({ application })
    const state = await buyer.get('/v1/legal/me')
    expect(state.body).to.deep.equal({ audience: 'individual', missing: [] })
  })
})

describe('POST /v1/legal/signup-intent', () => {
  it('keeps in a signed cookie of 30 minutes what the first session takes over', async () => {
    const answer = await anyone.post('/v1/legal/signup-intent', await acceptAll(), origin)
    const [pair, ...attributes] = getCookies(answer)
    expect(attributes).to.include.members(['Path=/', 'Max-Age=1800', 'HttpOnly', 'SameSite=Lax'])
    const email = createEmail('founder')
    await signInWith(email, pair ?? '')
    const { db } = await getOperator()
    const stored = await listStoredAcceptances(db, { user: await userOf(email) })
    expect(stored.map(({ document }) => document)).to.deep.equal(['privacy', 'processing', 'terms'])
    expect(stored[0]?.address).to.match(/127\.0\.0\.1|::1/)
  })

  it('serves one person: the next one who signs in with the same cookie has accepted nothing', async () => {
    const cookie = await keepIntent(await acceptAll())
    const emails = [createEmail('founder'), createEmail('guest')]
    for (const email of emails) await signInWith(email, cookie)
    const { db } = await getOperator()
    const counts = await Promise.all(
      emails.map(async (email) => (await listStoredAcceptances(db, { user: await userOf(email) })).length),
    )
    expect(counts).to.deep.equal([3, 0])
  })

  it('counts for nothing when it was changed, and the sign-in goes on', async () => {
    const [name, value = ''] = (await keepIntent(await acceptAll())).split('=')
    const [text = '', signature] = value.split('.')
    const changed = Buffer.from(text, 'base64url').toString().replace('terms', 'other')
    const forged = `${Buffer.from(changed).toString('base64url')}.${signature}`
    for (const wrong of [forged, `${text}.`, `${text}.${signature}x`, 'x.y', '']) {
      const email = createEmail('forger')
      const session = await signInWith(email, `${name}=${wrong}`)
      expect((await getOwnClient(session).get('/v1/auth/session')).status).to.equal(200)
      expect(await listStoredAcceptances((await getOperator()).db, { user: await userOf(email) })).to.deep.equal([])
    }
  })

  it('refuses an unknown document, an old version, and a page of another site', async () => {
    for (const acceptance of [
      { document: 'nothing', version: '1' },
      { document: 'terms', version: '0' },
    ]) {
      const refused = await anyone.post('/v1/legal/signup-intent', { acceptances: [acceptance] }, origin)
      expect(codeOf(refused)).to.deep.equal([422, 'VALIDATION_FAILED'])
      expect(refused.headers['set-cookie']).to.equal(undefined)
    }
    const foreign = await anyone.post('/v1/legal/signup-intent', await acceptAll(), {
      headers: { origin: 'https://other.example' },
    })
    expect(codeOf(foreign)).to.deep.equal([403, 'AUTH_ORIGIN_MISMATCH'])
  })
})
