import { expect } from 'chai'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { listStoredAcceptances } from '../../../support/rows/legal/acceptances.ts'
import { platform } from '../../../support/platform.ts'
import { buildBuyer, buildShop } from '../../../support/world.ts'
import { getBody } from '../../dpp/passports/fixtures.ts'
import {
  codeOf,
  createEmail,
  createUniqueName,
  getCookies,
  getOperator,
  getOwnClient,
  signInMember,
} from '../people.ts'

interface Acceptance {
  document: string
  version: string
}

const anyone = createApiClient()

async function listAcceptances(): Promise<Acceptance[]> {
  const documents = await anyone.get('/v1/legal/documents?audience=company')
  return getBody<{ id: string; version: string }[]>(documents).map(({ id, version }) => ({ document: id, version }))
}

describe('POST /v1/organizations', () => {
  let acceptances: Acceptance[]
  before(async () => {
    acceptances = await listAcceptances()
  })

  const buildPerson = async () => getOwnClient(await signInMember(createEmail('founder')))
  const countOwn = async (person: { get(path: string): Promise<Answer> }) =>
    (await person.get('/v1/organizations')).body['total']

  it('makes the person its owner and the organization the active one, with a slug from its name', async () => {
    const person = await buildPerson()
    const name = createUniqueName('Bergfreund Söhne')
    const made = await person.post('/v1/organizations', {
      name,
      customerType: 'company',
      preferredCurrency: 'EUR',
      acceptances,
    })
    expect(made.status, made.text).to.equal(201)
    expect(made.headers['location']).to.equal(`/v1/organizations/${made.body['id']}`)
    expect(made.body).to.include({ name, customerType: 'company', preferredCurrency: 'EUR', timeZone: 'UTC' })
    expect(made.body['slug']).to.match(/^bergfreund-sohne-/)
    expect((await person.get(`/v1/organizations/${made.body['id']}`)).body).to.deep.equal(made.body)
    const session = await person.get('/v1/auth/session')
    expect(session.body['organization']).to.include({ id: made.body['id'], role: 'owner' })
    const stored = await listStoredAcceptances((await getOperator()).db, { organization: String(made.body['id']) })
    expect(stored.map(({ document }) => document)).to.deep.equal(['privacy', 'processing', 'terms'])
    const members = await person.get(`/v1/organizations/${made.body['id']}/members`)
    expect(getBody<{ data: { role: string }[] }>(members).data.map(({ role }) => role)).to.deep.equal(['owner'])
  })

  it('lists the documents that a company has not accepted, and stores nothing', async () => {
    const person = await buildPerson()
    const body = { name: createUniqueName('Org'), customerType: 'company' }
    const [first, ...others] = acceptances
    for (const [given, missing] of [
      [undefined, acceptances],
      [[first], others],
    ] as const) {
      const refused = await person.post('/v1/organizations', { ...body, ...(given && { acceptances: given }) })
      expect(codeOf(refused)).to.deep.equal([422, 'LEGAL_ACCEPTANCE_REQUIRED'])
      const listed = getBody<{ missing: { id: string; url: string }[] }>(refused).missing
      expect(listed.map(({ id }) => id)).to.deep.equal(missing.map(({ document }) => document))
    }
    expect(await countOwn(person)).to.equal(0)
    const wrong = await person.post('/v1/organizations', {
      ...body,
      acceptances: [...acceptances, { document: 'terms', version: '0' }],
    })
    expect(codeOf(wrong)).to.deep.equal([422, 'VALIDATION_FAILED'])
    expect(wrong.body['errors']?.[0]?.['path']).to.equal('acceptances[3].version')
    expect(await countOwn(person)).to.equal(0)
  })

  it('takes what was accepted before: by an acceptance, or in the cookie of the sign-up', async () => {
    const person = await buildPerson()
    await person.post('/v1/legal/acceptances', { acceptances })
    const body = { customerType: 'company' }
    expect((await person.post('/v1/organizations', { ...body, name: createUniqueName('Org') })).status).to.equal(201)
    const session = await signInMember(createEmail('founder'))
    const intent = await anyone.post(
      '/v1/legal/signup-intent',
      { acceptances },
      { headers: { origin: new URL(platform.api).origin } },
    )
    const other = getOwnClient(`${session}; ${getCookies(intent)[0]}`)
    const made = await other.post('/v1/organizations', { ...body, name: createUniqueName('Org') })
    expect(made.status, made.text).to.equal(201)
  })

  it('needs no documents of an individual', async () => {
    const person = await buildPerson()
    const made = await person.post('/v1/organizations', { name: createUniqueName('Me'), customerType: 'individual' })
    expect([made.status, made.body['customerType']]).to.deep.equal([201, 'individual'])
    expect((await person.get('/v1/legal/me')).body['audience']).to.equal('individual')
  })

  it('refuses a slug that is taken, and finds a free one by itself, also for ten at once', async () => {
    const [first, second] = [await buildPerson(), await buildPerson()]
    const slug = createUniqueName('taken').toLowerCase()
    const body = { name: slug, customerType: 'individual' }
    expect((await first.post('/v1/organizations', { ...body, slug })).body['slug']).to.equal(slug)
    const refused = await second.post('/v1/organizations', { ...body, slug })
    expect(codeOf(refused)).to.deep.equal([409, 'ORG_SLUG_TAKEN'])
    expect(await countOwn(second)).to.equal(0)
    const people = await Promise.all(Array.from({ length: 10 }, buildPerson))
    const made = await Promise.all(people.map((person) => person.post('/v1/organizations', body)))
    expect(made.map(({ status }) => status)).to.deep.equal(Array(10).fill(201))
    const slugs = made.map((answer) => String(answer.body['slug'])).sort()
    expect(slugs).to.deep.equal(Array.from({ length: 10 }, (_, at) => `${slug}-${at + 2}`).sort())
  })

  it('lets a person sign up three, also of ten at once', async () => {
    const person = await buildPerson()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        person.post('/v1/organizations', { name: createUniqueName('Org'), customerType: 'individual' }),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).to.have.length(3)
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(codeOf(answer)).to.deep.equal([409, 'ORG_LIMIT'])
    expect(await countOwn(person)).to.equal(3)
  })

  it('stores one when it is sent again under its key', async () => {
    const person = await buildPerson()
    const body = { name: createUniqueName('Org'), customerType: 'individual' }
    const key = { 'idempotency-key': createUniqueName('key') }
    const [first, second] = [
      await person.post('/v1/organizations', body, key),
      await person.post('/v1/organizations', body, key),
    ]
    expect([first.status, second.status]).to.deep.equal([201, 201])
    expect(second.body['id']).to.equal(first.body['id'])
    expect(await countOwn(person)).to.equal(1)
  })

  it('is for people who work here: no key and no buyer', async () => {
    const shop = await buildShop()
    const body = { name: createUniqueName('Org'), customerType: 'individual' }
    const buyer = await buildBuyer(shop)
    for (const api of [shop.api, buyer])
      expect(codeOf(await api.post('/v1/organizations', body))).to.deep.equal([403, 'AUTH_INSUFFICIENT_PERMISSIONS'])
    expect(codeOf(await anyone.post('/v1/organizations', body))).to.deep.equal([401, 'AUTH_UNAUTHENTICATED'])
    const person = await buildPerson()
    expect((await person.post('/v1/organizations', { name: 'x' })).status).to.equal(400)
    for (const wrong of [
      { ...body, name: '' },
      { ...body, customerType: 'club' },
      { ...body, slug: 'Not A Slug' },
      { ...body, preferredCurrency: 'GBP' },
      { ...body, owner: 'x' },
    ])
      expect((await person.post('/v1/organizations', wrong)).status, JSON.stringify(wrong)).to.equal(422)
  })
})
