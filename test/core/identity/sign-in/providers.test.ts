import { expect } from 'chai'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { proveDomain } from '../../../support/network/domains.ts'
import { countUsers } from '../../../support/rows/identity/users.ts'
import { codeOf, createEmail, createUniqueName, getCookies, getOperator, signInBuyer } from '../people.ts'
import {
  beginSignIn,
  comeBack,
  createPerson,
  readSession,
  signInBy,
  startProviderStage,
  type ProviderShop,
  type ProviderStage,
} from './providers.stage.ts'

const tenants = ['aster.auth0.example', 'birch.auth0.example']
const [asterTenant = '', birchTenant = ''] = tenants
const absent = '01a1f94a-0000-7000-8000-000000000000'

describe('GET /v1/auth/sign-in/google and /v1/auth/sign-in/auth0', function () {
  this.timeout(120_000)
  let stage: ProviderStage
  let aster: ProviderShop
  let birch: ProviderShop
  before(async () => {
    stage = await startProviderStage(tenants)
    ;[aster, birch] = await Promise.all([stage.buildShop(asterTenant), stage.buildShop(birchTenant)])
  })
  after(() => stage.stop())

  const begin = (provider: string, query: Record<string, string>, headers: Record<string, string> = {}) =>
    stage.anyone.get(`/v1/auth/sign-in/${provider}?${new URLSearchParams(query).toString()}`, { headers })
  const issuesOf = ({ body }: Answer) =>
    (body['errors'] as unknown as { path: string; code: string }[]).map(({ path, code }) => `${path} ${code}`)

  it('makes user, account and wallet at the first time, leads back and finds them again', async () => {
    for (const provider of ['google', 'auth0'] as const) {
      const person = createPerson()
      const first = await signInBy(stage, aster, person, { provider })
      expect(first.headers['location']).to.equal(aster.page)
      expect(getCookies(first)).to.include.members(['HttpOnly', 'SameSite=Lax', 'Path=/'])
      const { body } = await readSession(stage, first)
      expect(body['user']).to.deep.include({ email: person.email, phoneNumber: null })
      expect(body['account']?.['user']?.['email']).to.equal(person.email)
      expect(body['application']?.['id']).to.equal(aster.application)
      const again = await readSession(stage, await signInBy(stage, aster, person, { provider }))
      expect(again.body).to.deep.equal(body)
      const listed = await aster.api.get(`/v1/accounts?filters[user.email][eq]=${String(person.email)}`)
      expect(listed.body['total']).to.equal(1)
    }
    expect(stage.providers.requests.filter((path) => path.includes('.well-known/openid-configuration'))).to.deep.equal([
      'accounts.google.com/.well-known/openid-configuration',
      `${asterTenant}/.well-known/openid-configuration`,
    ])
  })

  it('asks Google for a choice of accounts, and for no more than an e-mail address', async () => {
    const { location, cookie } = await beginSignIn(stage, aster)
    const parameters = new URL(location).searchParams
    expect([parameters.get('scope'), parameters.get('prompt')]).to.deep.equal(['openid email', 'select_account'])
    expect(location + cookie).not.to.contain('secret-of-google')
  })

  it('takes an e-mail address that Google has proven for the person who has proven it by a code', async () => {
    const email = createEmail()
    const byCode = await signInBuyer(aster.application, email)
    const byGoogle = await readSession(stage, await signInBy(stage, aster, createPerson(email.toUpperCase())))
    expect(byGoogle.body['account']).to.deep.equal(byCode.body['account'])
    const elsewhere = await readSession(stage, await signInBy(stage, birch, createPerson(email)))
    expect(elsewhere.body['user']?.['id']).to.equal(byCode.body['user']?.['id'])
  })

  it('never joins the people of a tenant with anybody else who has their address', async () => {
    const email = createEmail()
    const byCode = await signInBuyer(aster.application, email)
    const users = [byCode.body['user']?.['id']]
    for (const shop of [aster, birch])
      users.push(
        (await readSession(stage, await signInBy(stage, shop, createPerson(email), { provider: 'auth0' }))).body[
          'user'
        ]?.['id'],
      )
    expect(new Set(users).size).to.equal(3)
    const again = await signInBuyer(aster.application, email)
    expect(again.body['user']?.['id'], 'a code signs in who has proven it').to.equal(users[0])
    const second = await readSession(stage, await signInBy(stage, aster, createPerson(email), { provider: 'auth0' }))
    expect(second.body['user']?.['id'], 'two users of a tenant with one proven address are one person').to.equal(
      users[1],
    )
  })

  it('makes one person of two sign-ins of somebody new at the same moment', async () => {
    for (const provider of ['google', 'auth0'] as const) {
      const person = createPerson()
      const answers = await Promise.all([1, 2, 3].map(() => signInBy(stage, aster, person, { provider })))
      const sessions = await Promise.all(answers.map((answer) => readSession(stage, answer)))
      expect(new Set(sessions.map(({ body }) => body['account']?.['id'])).size).to.equal(1)
      expect(await countUsers((await getOperator()).db, String(person.email))).to.equal(1)
    }
  })

  it('ends a sign-in once, also when its link is opened twice at the same moment', async () => {
    const begun = await beginSignIn(stage, aster)
    const callback = stage.providers.authorize(begun.location, createPerson())
    const answers = await Promise.all([1, 2].map(() => comeBack(stage, callback, begun.cookie)))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([302, 400])
    expect((await comeBack(stage, callback, begun.cookie)).status).to.equal(400)
  })

  it('takes back only who went out from this browser', async () => {
    const [own, other] = [await beginSignIn(stage, aster), await beginSignIn(stage, aster)]
    const callback = stage.providers.authorize(own.location, createPerson())
    for (const cookie of ['', other.cookie, `${own.cookie}x`, own.cookie.replace(/=.{4}/, '=AAAA')]) {
      const refused = await comeBack(stage, callback, cookie)
      expect(refused.status, cookie).to.equal(400)
      expect(refused.headers['set-cookie']).to.equal(undefined)
      expect(refused.text).to.contain('You are not signed in')
    }
    const elsewhere = new URL(callback)
    elsewhere.pathname = elsewhere.pathname.replace('google', 'auth0')
    expect((await comeBack(stage, elsewhere, own.cookie)).status, 'another provider').to.equal(400)
    expect((await comeBack(stage, callback, own.cookie)).status, 'and that one still works').to.equal(302)
  })

  it("takes no code of another organization's tenant or client", async () => {
    for (const other of [birch, await stage.buildShop(asterTenant)]) {
      const [own, theirs] = [
        await beginSignIn(stage, aster, { provider: 'auth0' }),
        await beginSignIn(stage, other, { provider: 'auth0' }),
      ]
      const callback = stage.providers.authorize(own.location, createPerson())
      const stolen = stage.providers.authorize(theirs.location, createPerson()).searchParams.get('code') ?? ''
      callback.searchParams.set('code', stolen)
      const refused = await comeBack(stage, callback, own.cookie)
      expect([refused.status, refused.headers['set-cookie']]).to.deep.equal([401, undefined])
      const state = new URL(theirs.location).searchParams.get('state') ?? ''
      callback.searchParams.set('state', state)
      expect((await comeBack(stage, callback, own.cookie)).status, 'nor its state').to.equal(400)
    }
    expect(stage.providers.getTenant(asterTenant).refusals).to.include('no code of this client')
  })

  it('leads to a page on a proven domain of the application, with the token in the fragment', async () => {
    const domain = `${createUniqueName('brand')}.example`
    await proveDomain(aster.api, aster.application, domain)
    const answer = await signInBy(stage, aster, createPerson(), { redirect: `https://${domain}/welcome?from=here#old` })
    const to = new URL(String(answer.headers['location']))
    expect([to.origin, to.pathname, to.search]).to.deep.equal([`https://${domain}`, '/welcome', '?from=here'])
    const fragment = new URLSearchParams(to.hash.slice(1))
    expect([...fragment.keys()]).to.deep.equal(['token', 'expiresAt'])
    const session = await createApiClient({ bearer: fragment.get('token') ?? '' }).get('/v1/auth/session')
    expect(session.body['application']?.['id']).to.equal(aster.application)
    const denied = await beginSignIn(stage, aster, { redirect: `https://${domain}/` })
    const callback = stage.providers.authorize(denied.location, createPerson())
    callback.searchParams.delete('code')
    callback.searchParams.set('error', 'access_denied')
    const back = await comeBack(stage, callback, denied.cookie)
    expect([back.headers['location'], back.headers['set-cookie']]).to.deep.equal([
      `https://${domain}/#error=access_denied`,
      undefined,
    ])
    const refused = await begin('google', { application: birch.application, redirect: `https://${domain}/` })
    expect([...codeOf(refused), issuesOf(refused)], "another's domain").to.deep.equal([
      422,
      'VALIDATION_FAILED',
      ['redirect not_allowed'],
    ])
  })

  it('leads nowhere else', async () => {
    for (const redirect of [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example',
      '/\t/evil.example',
      'javascript:alert(1)',
      'me',
      `https://user@${new URL(stage.base).host}/me`,
      `${stage.base.replace('http', 'https')}/me`,
    ]) {
      const refused = await begin('google', { application: aster.application, redirect })
      expect([...codeOf(refused), issuesOf(refused)], redirect).to.deep.equal([
        422,
        'VALIDATION_FAILED',
        ['redirect not_allowed'],
      ])
    }
    const own = await signInBy(stage, aster, createPerson(), { redirect: `${stage.base}/me?application=x` })
    expect(own.headers['location']).to.equal('/me?application=x')
  })

  it('answers what is wrong with a request before anybody is sent away', async () => {
    const redirect = '/me'
    expect(codeOf(await begin('google', { redirect }))).to.deep.equal([400, 'INVALID_REQUEST'])
    expect(codeOf(await begin('google', { application: aster.application }))).to.deep.equal([400, 'INVALID_REQUEST'])
    expect(codeOf(await begin('auth0', { application: absent, redirect }))).to.deep.equal([404, 'NOT_FOUND'])
    const app = { application: aster.application, redirect }
    expect(codeOf(await begin('google', { ...app, network: 'Moon' }))).to.deep.equal([400, 'INVALID_REQUEST'])
    expect(codeOf(await begin('google', app, { 'x-network': 'Moon' }))).to.deep.equal([400, 'INVALID_REQUEST'])
    const unusable = await begin('google', { ...app, network: 'StellarTestnet' })
    expect([...codeOf(unusable), issuesOf(unusable)]).to.deep.equal([
      422,
      'VALIDATION_FAILED',
      ['network unusable_network'],
    ])
  })

  it('is a way that the organization switches on and off, with all that it needs', async () => {
    const shop = await stage.buildShop()
    const redirect = shop.page
    const attempt = (provider: string) => begin(provider, { application: shop.application, redirect })
    const off = await attempt('auth0')
    expect([...codeOf(off), issuesOf(off)]).to.deep.equal([422, 'VALIDATION_FAILED', ['application not_enabled']])
    const bare = await stage.change(shop, { auth0: { enabled: true } })
    expect([...codeOf(bare), issuesOf(bare)]).to.deep.equal([
      400,
      'INVALID_REQUEST',
      ['domain', 'clientId', 'clientSecret'].map((name) => `settings.authConfig.auth0.${name} required`),
    ])
    const tenant = { domain: asterTenant, clientId: 'a', clientSecret: 'b' }
    expect((await stage.change(shop, { auth0: { enabled: true, ...tenant } })).status).to.equal(200)
    const shown = await createApiClient().get(`/v1/applications/${shop.application}`)
    expect(shown.body['signInMethods']).to.deep.equal(['email-otp', 'google', 'auth0'])
    const lost = await stage.change(shop, { auth0: { clientSecret: null } })
    expect(issuesOf(lost)).to.deep.equal(['settings.authConfig.auth0.clientSecret required'])
    const moved = await stage.change(shop, { auth0: { domain: birchTenant } })
    expect(issuesOf(moved), 'a secret goes to no other tenant').to.deep.equal([
      'settings.authConfig.auth0.clientSecret required',
    ])
    const begun = await beginSignIn(stage, shop)
    await stage.change(shop, { google: { enabled: false } })
    expect(codeOf(await attempt('google'))).to.deep.equal([422, 'VALIDATION_FAILED'])
    const late = await comeBack(stage, stage.providers.authorize(begun.location, createPerson()), begun.cookie)
    expect([late.status, late.headers['set-cookie']]).to.deep.equal([422, undefined])
  })

  it('forgets a client secret with its tenant, and takes Google only where it is set up', async () => {
    const shop = await stage.buildShop()
    await stage.change(shop, { auth0: { domain: asterTenant, clientId: 'a', clientSecret: 'b' } })
    const moved = await stage.change(shop, { auth0: { domain: birchTenant } })
    expect(moved.body['settings']?.['authConfig']?.['auth0']?.['hasClientSecret']).to.equal(false)
    const there = await createApiClient().get(`/v1/auth/sign-in/google?application=${shop.application}&redirect=/me`, {
      skipsDocumentCheck: true,
    })
    expect([there.status, there.body['code']], 'another installation').to.deep.equal([503, undefined])
  })

  it("is on the buyers' pages as links, in their language", async () => {
    const { text } = await stage.anyone.get(aster.page)
    const links = [...text.matchAll(/href="(\/v1\/auth\/sign-in\/[^"]+)"[^>]*>([^<]+)</g)]
    expect(links.map(([, , label]) => label?.replace(/ at .*/, ''))).to.deep.equal([
      'Continue with Google',
      'Continue with your account',
    ])
    const followed = await stage.anyone.get(String(links[0]?.[1]).replaceAll('&amp;', '&'))
    expect(followed.status, followed.text).to.equal(302)
    const french = await stage.anyone.get(`${aster.page}&lang=fr`)
    expect(french.text).to.contain('Continuer avec Google').and.contain(encodeURIComponent('&lang=fr'))
  })
})
