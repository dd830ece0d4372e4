import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { client } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { database, insertAccount, paths, rows, tenant, type Tenant } from './tenants.ts'

const publicMembers = [
  'defaultNetwork', 'domains', 'features', 'id', 'name', 'signInMethods', 'slug', 'theme', 'websiteUrl',
]
const anyone = client()

describe('Applications', () => {
  let own: Tenant
  let other: Tenant

  before(async () => {
    own = await tenant()
    other = await tenant()
  })

  /** A name nobody else uses, so that its slug is free. */
  const freshName = () => `Shop ${randomUUID()}`

  async function create(body: object = {}): Promise<string> {
    const created = await own.api.post('/v1/applications', { name: freshName(), ...body })
    expect(created.status, created.text).to.equal(201)
    return String(created.body.id)
  }

  describe('creating', () => {
    it('needs a name only and fills in the rest', async () => {
      const name = `Käthe & Söhne ${randomUUID()}`
      const created = await own.api.post('/v1/applications', { name })
      expect(created.status).to.equal(201)
      expect(created.headers['location']).to.equal(`/v1/applications/${created.body.id}`)
      const { id, createdAt, updatedAt, ...rest } = created.body
      expect(rest).to.deep.equal({
        name,
        slug: `kathe-sohne-${name.slice(-36)}`.slice(0, 48).replace(/-$/, ''),
        organization: own.organization,
        domains: [],
        websiteUrl: null,
        features: [],
        defaultNetwork: 'EthereumAnvil',
        theme: {},
        dppSettings: { tokens: [] },
        loyaltySettings: { tokens: [], frequencyCapPer24h: 3, conversionWindowDays: 7 },
        signInMethods: ['email-otp'],
      })
      expect(createdAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(updatedAt).to.equal(createdAt)
      expect((await own.api.get(`/v1/applications/${id}`)).body).to.deep.equal(created.body)
    })

    it('takes every member and lowers the case of domains, each once', async () => {
      const theme = {
        title: 'Bags', mode: 'dark', primaryColor: '#0a7d54', secondaryColor: '#FFF', logoUrl: 'https://example.com/logo.png',
        bgImageUrl: 'http://example.com/bg.png', googleFont: 'Open Sans',
      }
      const created = await own.api.post('/v1/applications', {
        name: freshName(), domains: ['Shop.Example.COM', 'shop.example.com', 'localhost', '127.0.0.1'],
        websiteUrl: 'https://example.com/', features: ['dpp', 'trust'], defaultNetwork: 'BaseSepolia', theme,
        loyaltySettings: {
          currency: 'EUR', currencyToPointRatio: 1.5, pointsConversionThreshold: 100, pointsConversionThresholdValue: 12.5,
          visitsWindowDays: 30, welcomeBonus: '9007199254740993', frequencyCapPer24h: 0, conversionWindowDays: 14,
          appleWallet: { passTypeIdentifier: 'pass.com.example.card', teamIdentifier: 'ABCDE12345' }, googleWallet: { issuerId: '338800' },
        },
      })
      expect(created.status, created.text).to.equal(201)
      const { domains, websiteUrl, features, defaultNetwork, loyaltySettings } = created.body
      expect({ domains, websiteUrl, features, defaultNetwork, theme: created.body.theme }).to.deep.equal({
        domains: ['shop.example.com', 'localhost', '127.0.0.1'], websiteUrl: 'https://example.com/', features: ['dpp', 'trust'],
        defaultNetwork: 'BaseSepolia', theme,
      })
      expect(loyaltySettings).to.deep.equal({
        tokens: [], currency: 'EUR', currencyToPointRatio: 1.5, pointsConversionThreshold: '100', pointsConversionThresholdValue: '12.5',
        visitsWindowDays: 30, welcomeBonus: '9007199254740993', frequencyCapPer24h: 0, conversionWindowDays: 14,
        appleWallet: { passTypeIdentifier: 'pass.com.example.card', teamIdentifier: 'ABCDE12345' }, googleWallet: { issuerId: '338800' },
      })
    })

    it('gives equal names different slugs, also when they come at once', async () => {
      const name = `Twin ${randomUUID().slice(0, 8)}`
      const created = await Promise.all(Array.from({ length: 12 }, () => own.api.post('/v1/applications', { name })))
      expect(created.map(({ status }) => status)).to.deep.equal(new Array(12).fill(201))
      const slugs = created.map(({ body }) => String(body.slug))
      expect(new Set(slugs).size).to.equal(12)
      expect(slugs).to.include(name.toLowerCase().replace(' ', '-'))
    })

    it('refuses a slug that is taken, also by another organization', async () => {
      const slug = `taken-${randomUUID().slice(0, 8)}`
      await create({ slug })
      const refused = await other.api.post('/v1/applications', { name: 'Other', slug })
      expect(refused.status).to.equal(409)
      expect(refused.body.code).to.equal('APPLICATION_SLUG_TAKEN')
      expect(refused.body.errors).to.deep.include({ path: 'slug', code: 'application_slug_taken', message: 'Another application has this slug.' })
    })

    it('names the path of whatever is wrong', async () => {
      const wrong: [object, string][] = [
        [{ name: '' }, 'name'], [{ name: '   ' }, 'name'], [{ name: 'x'.repeat(201) }, 'name'], [{ slug: 'Big' }, 'slug'], [{ slug: '-a' }, 'slug'],
        [{ domains: ['https://example.com'] }, 'domains[0]'], [{ domains: ['a.example', 'example.com/shop'] }, 'domains[1]'],
        [{ domains: ['example.com:8080'] }, 'domains[0]'], [{ domains: ['exa mple.com'] }, 'domains[0]'], [{ domains: ['a..b'] }, 'domains[0]'],
        [{ websiteUrl: 'example.com' }, 'websiteUrl'], [{ websiteUrl: 'javascript:alert(1)' }, 'websiteUrl'], [{ websiteUrl: 'https://' }, 'websiteUrl'],
        [{ features: ['dpp', 'dpp'] }, 'features'], [{ features: ['chat'] }, 'features[0]'], [{ defaultNetwork: 'Mars' }, 'defaultNetwork'],
        [{ theme: { primaryColor: 'red' } }, 'theme.primaryColor'], [{ theme: { mode: 'dim' } }, 'theme.mode'],
        [{ theme: { googleFont: 'a;b' } }, 'theme.googleFont'], [{ theme: { colour: '#fff' } }, 'theme.colour'],
        [{ loyaltySettings: { currency: 'USDT' } }, 'loyaltySettings.currency'], [{ loyaltySettings: { welcomeBonus: -1 } }, 'loyaltySettings.welcomeBonus'],
        [{ loyaltySettings: { welcomeBonus: '1.5' } }, 'loyaltySettings.welcomeBonus'],
        [{ loyaltySettings: { currencyToPointRatio: 0 } }, 'loyaltySettings.currencyToPointRatio'],
        [{ loyaltySettings: { pointsConversionThresholdValue: 1e-9 } }, 'loyaltySettings.pointsConversionThresholdValue'],
        [{ loyaltySettings: { tokens: [] } }, 'loyaltySettings.tokens'], [{ dppSettings: { tokens: [] } }, 'dppSettings'],
        [{ organization: other.organization }, 'organization'], [{ id: randomUUID() }, 'id'],
      ]
      for (const [body, path] of wrong) {
        const refused = await own.api.post('/v1/applications', { name: 'Wrong', ...body })
        expect(refused.status, JSON.stringify(body)).to.equal(422)
        expect(paths(refused), JSON.stringify(body)).to.include(path)
      }
      const missing = await own.api.post('/v1/applications', { slug: 'a' })
      expect(missing.status).to.equal(400)
      expect(missing.body.errors?.[0]).to.include({ path: 'name', code: 'required' })
    })

    it('needs application:create', async () => {
      const refused = await (await own.limited({ application: ['read', 'update', 'delete'] })).post('/v1/applications', { name: 'No' })
      expect(refused.status).to.equal(403)
      expect(refused.body.permission).to.deep.equal({ resource: 'application', action: 'create' })
    })
  })

  describe('reading', () => {
    it('shows everyone the public members and the organization the rest', async () => {
      const id = await create({ domains: ['public.example'] })
      const callers = { anyone, foreign: other.api, poor: await own.limited({ dpp: ['read'] }) }
      for (const [name, caller] of Object.entries(callers)) {
        const answer = await caller.get(`/v1/applications/${id}`)
        expect(answer.status, name).to.equal(200)
        expect(Object.keys(answer.body).sort(), name).to.deep.equal(publicMembers)
      }
      const full = await (await own.limited({ application: ['read'] })).get(`/v1/applications/${id}`)
      expect(Object.keys(full.body).sort())
        .to.deep.equal([...publicMembers, 'createdAt', 'dppSettings', 'loyaltySettings', 'organization', 'updatedAt'].sort())
    })

    it('names the sign-in methods that the organization has enabled', async () => {
      const id = await create()
      const authConfig = {
        'email-otp': { enabled: false }, 'phone-otp': { enabled: true }, google: { enabled: false },
        auth0: { enabled: true, domain: 'tenant.example', clientSecret: 'hidden' },
      }
      const before = await database()('organizations').where({ id: own.organization }).first('settings') as { settings: object }
      await database()('organizations').where({ id: own.organization }).update({ settings: JSON.stringify({ authConfig }) })
      const answer = await anyone.get(`/v1/applications/${id}`)
      await database()('organizations').where({ id: own.organization }).update({ settings: JSON.stringify(before.settings) })
      expect(answer.body.signInMethods).to.deep.equal(['phone-otp', 'auth0'])
      expect(answer.text).not.to.include('hidden')
    })

    it('lists the contracts that were deployed for it', async () => {
      const id = await create()
      const transaction = randomUUID()
      await database()('chain_transactions').insert({
        id: transaction, network: 'EthereumAnvil', sender: transaction, nonce: 0, kind: 'deploy', status: 'final',
      })
      await database()('chain_contracts').insert({
        application: id, network: 'EthereumAnvil', name: 'Bags', symbol: 'BAGS', transaction,
        address: '0x00000000000000000000000000000000000000b1',
      })
      const { body } = await own.api.get(`/v1/applications/${id}`)
      await database()('chain_contracts').where({ application: id }).delete()
      await database()('chain_transactions').where({ id: transaction }).delete()
      expect((body.dppSettings as { tokens: object[] } | undefined)?.tokens)
        .to.deep.equal([{ address: '0x00000000000000000000000000000000000000b1', name: 'Bags', symbol: 'BAGS', network: 'EthereumAnvil' }])
    })

    it('answers 404 for an absent one and 400 for an id that is none', async () => {
      expect((await anyone.get(`/v1/applications/${randomUUID()}`)).status).to.equal(404)
      expect((await anyone.get('/v1/applications/seven')).status).to.equal(400)
    })

    it('carries an ETag and answers 304 while nothing changes', async () => {
      const id = await create()
      const { headers } = await own.api.get(`/v1/applications/${id}`)
      const again = await own.api.get(`/v1/applications/${id}`, { headers: { 'if-none-match': String(headers['etag']) } })
      expect(again.status).to.equal(304)
      expect(again.text).to.equal('')
    })

    it('lets pages of its domains read across origins, and no others', async () => {
      const host = `${randomUUID()}.example`
      const id = await create({ domains: [host] })
      const allowed = await anyone.get(`/v1/applications/${id}`, { headers: { origin: `https://${host}` } })
      expect(allowed.headers['access-control-allow-origin']).to.equal(`https://${host}`)
      expect(allowed.headers['access-control-allow-credentials']).to.equal(undefined)
      const refused = await anyone.get(`/v1/applications/${id}`, { headers: { origin: 'https://elsewhere.example' } })
      expect(refused.headers['access-control-allow-origin']).to.equal(undefined)
    })
  })

  describe('listing', () => {
    it('shows only the caller\'s own, newest first, in pages', async () => {
      const mine = await tenant()
      const ids: string[] = []
      for (const name of ['B', 'A', 'C']) ids.push(String((await mine.api.post('/v1/applications', { name })).body.id))
      const all = await mine.api.get('/v1/applications')
      expect(all.body).to.include({ total: 3, currentPage: 1, pageSize: 10, nextCursor: null })
      expect(rows(all).map(({ id }) => id)).to.deep.equal([...ids].reverse())
      const sorted = await mine.api.get('/v1/applications?sorters[0][field]=name&sorters[0][order]=asc&pageSize=2')
      expect(rows(sorted).map(({ name }) => name)).to.deep.equal(['A', 'B'])
      const rest = await mine.api.get(`/v1/applications?sorters[0][field]=name&sorters[0][order]=asc&pageSize=2&cursor=${sorted.body.nextCursor}`)
      expect(rows(rest).map(({ name }) => name)).to.deep.equal(['C'])
      const one = await mine.api.get(`/v1/applications?filters[id][eq]=${ids[1]}`)
      expect(one.body.total).to.equal(1)
      expect(rows(one)[0]).to.deep.equal((await mine.api.get(`/v1/applications/${ids[1]}`)).body)
      const createdAt = rows(all)[1]?.['createdAt']
      const since = await mine.api.get(`/v1/applications?filters[createdAt][gte]=${createdAt}`)
      expect(since.body.total).to.equal(2)
    })

    it('refuses fields and operators that it does not declare', async () => {
      for (const query of ['filters[slug][eq]=a', 'filters[id][ne]=018f3f6e-7b1a-7c3d-9e2f-0123456789ab', 'filters[id][eq]=7']) {
        expect((await own.api.get(`/v1/applications?${query}`)).body.code, query).to.equal('INVALID_FILTER')
      }
      expect((await own.api.get('/v1/applications?sorters[0][field]=slug')).body.code).to.equal('INVALID_SORTER')
      expect((await own.api.get('/v1/applications?pageSize=101')).body.code).to.equal('INVALID_PAGINATION')
    })

    it('needs a credential and application:read', async () => {
      expect((await anyone.get('/v1/applications')).status).to.equal(401)
      expect((await (await own.limited({ application: ['create'] })).get('/v1/applications')).status).to.equal(403)
    })
  })

  describe('changing', () => {
    it('merges objects, replaces arrays and clears with null', async () => {
      const id = await create({
        domains: ['a.example', 'b.example'], websiteUrl: 'https://a.example', theme: { title: 'Old', primaryColor: '#000000' },
        loyaltySettings: { welcomeBonus: 5, frequencyCapPer24h: 9, currency: 'EUR' },
      })
      const changed = await own.api.patch(`/v1/applications/${id}`, {
        domains: ['C.example'], websiteUrl: null, theme: { title: null, secondaryColor: '#fff' },
        loyaltySettings: { welcomeBonus: 7, frequencyCapPer24h: null },
      })
      expect(changed.status, changed.text).to.equal(200)
      expect(changed.body).to.deep.include({
        domains: ['c.example'], websiteUrl: null, theme: { primaryColor: '#000000', secondaryColor: '#fff' },
        loyaltySettings: { tokens: [], currency: 'EUR', welcomeBonus: '7', frequencyCapPer24h: 3, conversionWindowDays: 7 },
      })
      expect(String(changed.body.updatedAt) > String(changed.body.createdAt)).to.equal(true)
      expect((await own.api.get(`/v1/applications/${id}`)).body).to.deep.equal(changed.body)
    })

    it('leaves no trace of a patch that changes nothing', async () => {
      const id = await create({ theme: { title: 'Same' } })
      const before = await own.api.get(`/v1/applications/${id}`)
      const after = await own.api.patch(`/v1/applications/${id}`, { theme: { title: 'Same', mode: null } })
      expect(after.body).to.deep.equal(before.body)
      expect(await eventTypes(id)).to.deep.equal(['create'])
    })

    it('refuses a slug that is taken and wrong values', async () => {
      const slug = `held-${randomUUID().slice(0, 8)}`
      await create({ slug })
      const id = await create()
      expect((await own.api.patch(`/v1/applications/${id}`, { slug })).body.code).to.equal('APPLICATION_SLUG_TAKEN')
      const wrong = await own.api.patch(`/v1/applications/${id}`, { name: null, dppSettings: {} })
      expect(wrong.status).to.equal(422)
      expect(paths(wrong).sort()).to.deep.equal(['dppSettings', 'name'])
    })

    it('refuses to overwrite what changed since it was read', async () => {
      const id = await create()
      const etag = String((await own.api.get(`/v1/applications/${id}`)).headers['etag'])
      const first = await own.api.patch(`/v1/applications/${id}`, { name: 'First' }, { headers: { 'if-match': etag } })
      expect(first.status).to.equal(200)
      const second = await own.api.patch(`/v1/applications/${id}`, { name: 'Second' }, { headers: { 'if-match': etag } })
      expect(second.body.code).to.equal('PRECONDITION_FAILED')
      const third = await own.api.patch(`/v1/applications/${id}`, { name: 'Third' }, { headers: { 'if-match': String(first.headers['etag']) } })
      expect(third.body.name).to.equal('Third')
    })

    it('does not tell a foreign application from an absent one', async () => {
      const id = await create()
      for (const method of ['PATCH', 'DELETE']) {
        const body = method === 'PATCH' ? { name: 'Mine' } : undefined
        const foreign = await other.api.send(method, `/v1/applications/${id}`, body)
        const absent = await other.api.send(method, `/v1/applications/${randomUUID()}`, body)
        expect(foreign.status).to.equal(404)
        const same = ({ instance: _instance, requestId: _requestId, ...rest }: Record<string, unknown>) => rest
        expect(same(foreign.body)).to.deep.equal(same(absent.body))
      }
      expect((await own.api.get(`/v1/applications/${id}`)).status).to.equal(200)
    })
  })

  describe('deleting', () => {
    it('answers the application as it was and takes its sheets along', async () => {
      const id = await create()
      const sheet = await own.api.post('/v1/dpp/products', { application: id, name: 'Bag' })
      const before = await own.api.get(`/v1/applications/${id}`)
      const deleted = await own.api.delete(`/v1/applications/${id}`)
      expect(deleted.status).to.equal(200)
      expect(deleted.body).to.deep.equal(before.body)
      expect((await own.api.get(`/v1/applications/${id}`)).status).to.equal(404)
      expect((await own.api.get(`/v1/dpp/products/${sheet.body.id}`)).status).to.equal(404)
      expect((await own.api.delete(`/v1/applications/${id}`)).status).to.equal(404)
    })

    it('is refused while there are passports or accounts', async () => {
      const withPassport = await create()
      const sheet = await own.api.post('/v1/dpp/products', { application: withPassport, name: 'Bag' })
      const passport = await own.api.post('/v1/dpp/passports', { product: sheet.body.id, fields: {} })
      expect(passport.status, passport.text).to.equal(201)
      const refused = await own.api.delete(`/v1/applications/${withPassport}`)
      expect(refused.status).to.equal(409)
      expect(refused.body.code).to.equal('APPLICATION_IN_USE')
      await own.api.delete(`/v1/dpp/passports/${passport.body.id}`)
      expect((await own.api.delete(`/v1/applications/${withPassport}`)).status).to.equal(200)

      const withAccount = await create()
      await insertAccount(own.organization, withAccount)
      expect((await own.api.delete(`/v1/applications/${withAccount}`)).body.code).to.equal('APPLICATION_IN_USE')
    })

    it('while passports are created never leaves one without its application', async () => {
      for (let round = 0; round < 5; round += 1) {
        const id = await create()
        const sheet = await own.api.post('/v1/dpp/products', { application: id, name: 'Bag' })
        const [deleted, ...made] = await Promise.all([
          own.api.delete(`/v1/applications/${id}`),
          ...Array.from({ length: 4 }, () => own.api.post('/v1/dpp/passports', { product: sheet.body.id, fields: {} })),
        ])
        const statuses = made.map(({ status }) => status)
        expect(deleted?.status === 200 ? statuses.includes(201) : !statuses.includes(201), `${deleted?.status} ${statuses}`).to.equal(false)
        expect(statuses.filter((status) => ![201, 404].includes(status))).to.deep.equal([])
      }
    })

    it('needs application:delete', async () => {
      const id = await create()
      expect((await (await own.limited({ application: ['read', 'update'] })).delete(`/v1/applications/${id}`)).status).to.equal(403)
    })
  })

  it('leave an event of each change, with the name as it was then', async () => {
    const id = await create({ name: 'Before' })
    await own.api.patch(`/v1/applications/${id}`, { name: 'After' })
    await own.api.delete(`/v1/applications/${id}`)
    expect(await eventTypes(id)).to.deep.equal(['create', 'update', 'delete'])
    const events = rows(await own.api.get(`/v1/events?filters[application.id][eq]=${id}`))
    expect(events.map(({ subject, application }) => ({ subject, application }))).to.deep.equal([
      { subject: 'application', application: { id, name: 'After' } }, { subject: 'application', application: { id, name: 'After' } },
      { subject: 'application', application: { id, name: 'Before' } },
    ])
  })

  /** Types of an application's events, oldest first. */
  async function eventTypes(id: string): Promise<string[]> {
    const events = rows(await own.api.get(`/v1/events?filters[application.id][eq]=${id}`))
    return events.map(({ type }) => String(type)).reverse()
  }

  it('of the demo organization are there from the start', async () => {
    const { body } = await anyone.get(`/v1/applications/${platform.application}`)
    expect(body.id).to.equal(platform.application)
  })
})
