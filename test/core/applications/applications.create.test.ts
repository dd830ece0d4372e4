import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createShopName, createApplicationMaker, type ApplicationMaker } from './application-maker.ts'
import { listErrorPaths, type Tenant } from './tenants.ts'

describe('POST /v1/applications', () => {
  let own: Tenant
  let other: Tenant
  let create: ApplicationMaker['create']

  before(async () => {
    ;({ own, other, create } = await createApplicationMaker())
  })

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
      title: 'Bags',
      mode: 'dark',
      primaryColor: '#0a7d54',
      secondaryColor: '#FFF',
      logoUrl: 'https://example.com/logo.png',
      bgImageUrl: 'http://example.com/bg.png',
      googleFont: 'Open Sans',
    }
    const created = await own.api.post('/v1/applications', {
      name: createShopName(),
      domains: ['Shop.Example.COM', 'shop.example.com', 'Käthe.example', '*.example.com'],
      websiteUrl: 'https://example.com/',
      features: ['dpp', 'trust'],
      defaultNetwork: 'BaseSepolia',
      theme,
      loyaltySettings: {
        currency: 'EUR',
        currencyToPointRatio: 1.5,
        pointsConversionThreshold: 100,
        pointsConversionThresholdValue: 12.5,
        visitsWindowDays: 30,
        welcomeBonus: '9007199254740993',
        frequencyCapPer24h: 0,
        conversionWindowDays: 14,
        appleWallet: { passTypeIdentifier: 'pass.com.example.card', teamIdentifier: 'ABCDE12345' },
        googleWallet: { issuerId: '338800' },
      },
    })
    expect(created.status, created.text).to.equal(201)
    const { domains, websiteUrl, features, defaultNetwork, loyaltySettings } = created.body
    expect({ domains, websiteUrl, features, defaultNetwork, theme: created.body.theme }).to.deep.equal({
      domains: ['shop.example.com', 'xn--kthe-loa.example', '*.example.com'],
      websiteUrl: 'https://example.com/',
      features: ['dpp', 'trust'],
      defaultNetwork: 'BaseSepolia',
      theme,
    })
    expect(loyaltySettings).to.deep.equal({
      tokens: [],
      currency: 'EUR',
      currencyToPointRatio: 1.5,
      pointsConversionThreshold: '100',
      pointsConversionThresholdValue: '12.5',
      visitsWindowDays: 30,
      welcomeBonus: '9007199254740993',
      frequencyCapPer24h: 0,
      conversionWindowDays: 14,
      appleWallet: { passTypeIdentifier: 'pass.com.example.card', teamIdentifier: 'ABCDE12345' },
      googleWallet: { issuerId: '338800' },
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
    expect(refused.body.errors).to.deep.include({
      path: 'slug',
      code: 'application_slug_taken',
      message: 'Another application has this slug.',
    })
  })

  it('names the path of whatever is wrong', async () => {
    const wrong: [object, string][] = [
      [{ name: '' }, 'name'],
      [{ name: '   ' }, 'name'],
      [{ name: 'x'.repeat(201) }, 'name'],
      [{ slug: 'Big' }, 'slug'],
      [{ slug: '-a' }, 'slug'],
      [{ domains: ['https://example.com'] }, 'domains[0]'],
      [{ domains: ['a.example', 'example.com/shop'] }, 'domains[1]'],
      [{ domains: ['example.com:8080'] }, 'domains[0]'],
      [{ domains: ['exa mple.com'] }, 'domains[0]'],
      [{ domains: ['a..b'] }, 'domains[0]'],
      [{ websiteUrl: 'example.com' }, 'websiteUrl'],
      [{ websiteUrl: 'javascript:alert(1)' }, 'websiteUrl'],
      [{ websiteUrl: 'https://' }, 'websiteUrl'],
      [{ features: ['dpp', 'dpp'] }, 'features'],
      [{ features: ['chat'] }, 'features[0]'],
      [{ defaultNetwork: 'Mars' }, 'defaultNetwork'],
      [{ theme: { primaryColor: 'red' } }, 'theme.primaryColor'],
      [{ theme: { mode: 'dim' } }, 'theme.mode'],
      [{ theme: { googleFont: 'a;b' } }, 'theme.googleFont'],
      [{ theme: { colour: '#fff' } }, 'theme.colour'],
      [{ loyaltySettings: { currency: 'USDT' } }, 'loyaltySettings.currency'],
      [{ loyaltySettings: { welcomeBonus: -1 } }, 'loyaltySettings.welcomeBonus'],
      [{ loyaltySettings: { welcomeBonus: '1.5' } }, 'loyaltySettings.welcomeBonus'],
      [{ loyaltySettings: { currencyToPointRatio: 0 } }, 'loyaltySettings.currencyToPointRatio'],
      [{ loyaltySettings: { pointsConversionThresholdValue: 1e-9 } }, 'loyaltySettings.pointsConversionThresholdValue'],
      [{ loyaltySettings: { tokens: [] } }, 'loyaltySettings.tokens'],
      [{ dppSettings: { tokens: [] } }, 'dppSettings'],
      [{ organization: other.organization }, 'organization'],
      [{ id: randomUUID() }, 'id'],
    ]
    for (const [body, path] of wrong) {
      const refused = await own.api.post('/v1/applications', { name: 'Wrong', ...body })
      expect(refused.status, JSON.stringify(body)).to.equal(422)
      expect(listErrorPaths(refused), JSON.stringify(body)).to.include(path)
    }
    const missing = await own.api.post('/v1/applications', { slug: 'a' })
    expect(missing.status).to.equal(400)
    expect(missing.body.errors?.[0]).to.include({ path: 'name', code: 'required' })
  })

  it('needs application:create', async () => {
    const refused = await (
      await own.limited({ application: ['read', 'update', 'delete'] })
    ).post('/v1/applications', { name: 'No' })
    expect(refused.status).to.equal(403)
    expect(refused.body.permission).to.deep.equal({ resource: 'application', action: 'create' })
  })
})
