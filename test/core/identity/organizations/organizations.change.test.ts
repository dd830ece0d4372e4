import { expect } from 'chai'
import { createOrganization } from '../../../../core/features/identity/index.ts'
import { getBody } from '../../dpp/passports/fixtures.ts'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { buildKey, buildMember, buildOrganization, buildShop, type Tenant } from '../../../support/world.ts'
import { codeOf, createUniqueName, getOperator, getOwnClient, signInMember } from '../people.ts'

const pathsOf = (answer: Answer) =>
  getBody<{ errors: { path: string }[] }>(answer)
    .errors.map(({ path }) => path)
    .sort()

describe('PATCH /v1/organizations/{id}', () => {
  let own: Tenant
  let address: string
  const change = (body: object, headers: Record<string, string> = {}) =>
    createApiClient(own.key).patch(address, body, { headers })
  beforeEach(async () => {
    own = await buildOrganization()
    address = `/v1/organizations/${own.organization}`
  })

  it('changes what is named and nothing else', async () => {
    const slug = createUniqueName('aster').toLowerCase()
    const { body: before } = await createApiClient(own.key).get(address)
    const values = { name: 'Aster & Fils', slug, timeZone: 'Europe/Paris', locale: 'fr-FR' }
    const changed = await change(values)
    expect(changed.status, changed.text).to.equal(200)
    expect(changed.body).to.deep.equal({ ...before, ...values, updatedAt: changed.body['updatedAt'] })
    expect(String(changed.body['updatedAt']) > String(before['updatedAt'])).to.equal(true)
    expect((await createApiClient(own.key).get(address)).body).to.deep.equal(changed.body)
    const again = await change(values)
    expect(again.body, 'the same again is no new version').to.deep.equal(changed.body)
  })

  it('takes a currency once: the same again and null change nothing, another is refused', async () => {
    expect((await change({ preferredCurrency: null })).body['preferredCurrency']).to.equal(null)
    expect((await change({ preferredCurrency: 'EUR' })).body['preferredCurrency']).to.equal('EUR')
    for (const same of ['EUR', null]) {
      const kept = await change({ preferredCurrency: same })
      expect([kept.status, kept.body['preferredCurrency']]).to.deep.equal([200, 'EUR'])
    }
    const other = await change({ name: 'Not stored', preferredCurrency: 'USD' })
    expect(codeOf(other)).to.deep.equal([422, 'ORG_PREFERRED_CURRENCY_SET'])
    expect(pathsOf(other)).to.deep.equal(['preferredCurrency'])
    expect((await createApiClient(own.key).get(address)).body['name']).not.to.equal('Not stored')
  })

  it('answers everything invalid with 400 and its path', async () => {
    for (const [body, paths] of [
      [{ timeZone: 'Europe/Atlantis', locale: 'FR' }, ['locale', 'timeZone']],
      [{ timeZone: '+02:00' }, ['timeZone']],
      [{ locale: 'xx' }, ['locale']],
      [{ preferredCurrency: 'GBP' }, ['preferredCurrency']],
      [{ slug: 'Not A Slug' }, ['slug']],
      [{ name: 'two\nlines' }, ['name']],
      [{ customerType: 'individual' }, ['customerType']],
      [
        { settings: { authConfig: { auth0: { domain: 'https://brand.example/' } } } },
        ['settings.authConfig.auth0.domain'],
      ],
      [{ settings: { authConfig: { google: { enabled: true } } } }, ['settings.authConfig.google.enabled']],
      [
        { settings: { authConfig: { auth0: { enabled: true } } } },
        ['clientId', 'clientSecret', 'domain'].map((name) => `settings.authConfig.auth0.${name}`),
      ],
      [{ settings: { authConfig: { password: { enabled: true } } } }, ['settings.authConfig.password']],
    ] as [object, string[]][]) {
      const refused = await change(body)
      expect(codeOf(refused), JSON.stringify(body)).to.deep.equal([400, 'INVALID_REQUEST'])
      expect(pathsOf(refused)).to.deep.equal(paths)
    }
  })

  it('refuses a slug that another organization has', async () => {
    const other = await createOrganization(await getOperator(), { name: createUniqueName('Taken'), owner: own.owner })
    expect(codeOf(await change({ slug: other.slug }))).to.deep.equal([409, 'ORG_SLUG_TAKEN'])
  })

  it('keeps a client secret and never answers it', async () => {
    const tenant = { domain: 'aster.eu.auth0.example', clientId: 'abc', clientSecret: 'a-secret-of-tests' }
    const changed = await change({ settings: { authConfig: { auth0: tenant } } })
    expect(changed.text).not.to.contain('a-secret-of-tests')
    const shown = { enabled: false, domain: tenant.domain, clientId: 'abc', hasClientSecret: true }
    expect(changed.body['settings']?.['authConfig']?.['auth0']).to.deep.equal(shown)
    const same = await change({ settings: { authConfig: { auth0: { clientSecret: 'a-secret-of-tests' } } } })
    expect(same.body, 'the same secret is no new version').to.deep.equal(changed.body)
    const other = await change({ settings: { authConfig: { auth0: { clientSecret: 'another' } } } })
    expect(String(other.body['updatedAt']) > String(changed.body['updatedAt'])).to.equal(true)
    const cleared = await change({ settings: { authConfig: { auth0: { domain: null, clientSecret: null } } } })
    expect(cleared.body['settings']?.['authConfig']?.['auth0']).to.deep.equal({
      enabled: false,
      clientId: 'abc',
      hasClientSecret: false,
    })
  })

  it('switches the ways in which buyers sign in', async () => {
    const shop = await buildShop()
    const patch = (authConfig: object) =>
      shop.api.patch(`/v1/organizations/${shop.organization}`, { settings: { authConfig } })
    const send = (body: object) =>
      createApiClient().post('/v1/auth/send-otp', { application: shop.application, ...body })
    const byMail = { type: 'email-otp', email: 'ada@people.example' }
    const byPhone = { type: 'phone-otp', phoneCallingCode: '+39', phone: '3331234567' }
    expect([(await send(byMail)).status, (await send(byPhone)).status]).to.deep.equal([204, 422])
    expect((await patch({ 'email-otp': { enabled: false }, 'phone-otp': { enabled: true } })).status).to.equal(200)
    expect([(await send(byMail)).status, (await send(byPhone)).status]).to.deep.equal([422, 204])
    const { body } = await createApiClient().get(`/v1/applications/${shop.application}`)
    expect(body['signInMethods']).to.deep.equal(['phone-otp'])
  })

  it('refuses to overwrite what changed since it was read', async () => {
    const read = await createApiClient(own.key).get(address)
    const headers = { 'if-match': String(read.headers['etag']) }
    expect((await change({ name: 'First' }, headers)).status).to.equal(200)
    expect(codeOf(await change({ name: 'Second' }, headers))).to.deep.equal([412, 'PRECONDITION_FAILED'])
  })

  it('is for the active organization, and for those who may change settings', async () => {
    const second = await createOrganization(await getOperator(), { name: createUniqueName('Second'), owner: own.owner })
    const owner = getOwnClient(await signInMember(own.owner, own.organization))
    const elsewhere = await owner.patch(`/v1/organizations/${second.id}`, { name: 'Elsewhere' })
    expect(codeOf(elsewhere)).to.deep.equal([403, 'ORG_CROSS_ACCESS_DENIED'])
    const editor = getOwnClient(await signInMember(await buildMember(own.organization, 'editor'), own.organization))
    const key = createApiClient((await buildKey(own.organization, { settings: ['read'] })).key)
    for (const { patch } of [editor, key])
      expect(codeOf(await patch(address, { name: 'No' }))).to.deep.equal([403, 'AUTH_INSUFFICIENT_PERMISSIONS'])
    expect((await owner.patch(address, { name: 'Yes' })).body['name']).to.equal('Yes')
  })

  it('lets one of two opposite choices of a currency through', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => change({ preferredCurrency: at % 2 ? 'EUR' : 'USD' })),
    )
    const { body } = await createApiClient(own.key).get(address)
    const taken = answers.filter(({ status }) => status === 200).map(({ body: one }) => one['preferredCurrency'])
    expect(new Set(taken)).to.deep.equal(new Set([body['preferredCurrency']]))
    expect(taken).to.have.length(5)
  })
})
