import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Misbehaviour } from '../../../support/network/identity-providers.ts'
import { countUsers } from '../../../support/rows/identity/users.ts'
import { createEmail, getOperator } from '../people.ts'
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

const now = () => Math.floor(Date.now() / 1000)

/** Answers that prove nobody. */
const refused: Record<string, Misbehaviour> = {
  'another nonce': { claims: (claims) => ({ ...claims, nonce: randomUUID() }) },
  'no nonce': { claims: ({ nonce: _, ...claims }) => claims },
  'another audience': { claims: (claims) => ({ ...claims, aud: 'somebody-else' }) },
  'an audience of many, made for another': {
    claims: (claims) => ({ ...claims, aud: [String(claims.aud), 'somebody-else'], azp: 'somebody-else' }),
  },
  'an audience of many, made for nobody': {
    claims: (claims) => ({ ...claims, aud: [String(claims.aud), 'somebody-else'] }),
  },
  'another issuer': { claims: (claims) => ({ ...claims, iss: 'https://accounts.evil.example' }) },
  'the issuer without its scheme': { claims: (claims) => ({ ...claims, iss: 'accounts.google.com' }) },
  'a token that has expired': { claims: (claims) => ({ ...claims, iat: now() - 400, exp: now() - 200 }) },
  'a token without an end': { claims: ({ exp: _, ...claims }) => claims },
  'a token of an hour ago': { claims: (claims) => ({ ...claims, iat: now() - 3600 }) },
  'a token of tomorrow': { claims: (claims) => ({ ...claims, nbf: now() + 86_400 }) },
  'a token of nobody': { claims: ({ sub: _, ...claims }) => claims },
  'the algorithm none': 'alg none',
  'a signature by the client secret': 'signed with the client secret',
  'a signature by another key': 'signed with a key of nobody',
  'no token': 'no ID token',
  'no JSON': 'no JSON',
}
/** Answers that prove somebody, but no e-mail address. */
const unproven: Record<string, Misbehaviour> = {
  'an unproven address': { claims: (claims) => ({ ...claims, email_verified: false }) },
  'an address that is proven in a text': { claims: (claims) => ({ ...claims, email_verified: 'true' }) },
  'an address without a word about it': { claims: ({ email_verified: _, ...claims }) => claims },
  'no address': { claims: ({ email: _, ...claims }) => claims },
  'an address that is none': { claims: (claims) => ({ ...claims, email: 'ada at example' }) },
  'a long address': { claims: (claims) => ({ ...claims, email: `${'a'.repeat(250)}@a.example` }) },
}
const unavailable: Record<string, Misbehaviour> = {
  'an error of its own': 'server error',
  'a redirect to a private address': { leadsTo: 'https://10.0.0.8/token' },
  'a redirect to another host': { leadsTo: 'https://oak.auth0.example/oauth/token' },
}

const hosts = ['oak.auth0.example', 'liar.auth0.example', 'plain.auth0.example', 'inside.auth0.example'] as const
const closedHost = 'closed.auth0.example'

describe('GET /sign-in/callback: providers that lie or break', function () {
  this.timeout(120_000)
  let stage: ProviderStage
  let shop: ProviderShop
  before(async () => {
    stage = await startProviderStage(hosts, [closedHost])
    shop = await stage.buildShop('oak.auth0.example')
  })
  after(() => stage.stop())

  for (const [status, kinds] of [
    [401, refused],
    [403, unproven],
    [503, unavailable],
  ] as const)
    it(`answers ${status} to ${Object.keys(kinds).join(', ')}; nobody is signed in or made`, async () => {
      const email = createEmail('victim')
      for (const provider of ['google', 'auth0'] as const)
        for (const [name, misbehaviour] of Object.entries(kinds)) {
          const issuer = provider === 'google' ? stage.providers.google : stage.providers.getTenant('oak.auth0.example')
          issuer.misbehaviour = misbehaviour
          const answer = await signInBy(stage, shop, createPerson(email), { provider })
          expect([answer.status, answer.headers['set-cookie']], `${provider}: ${name}`).to.deep.equal([
            status,
            undefined,
          ])
          expect(answer.text).to.contain('role="alert"').and.contain(`href="${shop.page}"`)
          expect(issuer.misbehaviour, 'the code was exchanged').to.equal(null)
        }
      expect(await countUsers((await getOperator()).db, email)).to.equal(0)
      expect(stage.providers.requests.filter((path) => path.startsWith('10.'))).to.deep.equal([])
    })

  it('waits for a provider that does not answer no longer than 5 s', async () => {
    stage.providers.google.misbehaviour = 'no answer'
    const started = performance.now()
    expect((await signInBy(stage, shop, createPerson())).status).to.equal(503)
    expect(performance.now() - started).to.be.within(4_500, 30_000)
  })

  it('takes the keys that a provider has now', async () => {
    await readSession(stage, await signInBy(stage, shop, createPerson()))
    stage.providers.google.rotateKeys()
    await readSession(stage, await signInBy(stage, shop, createPerson()))
  })

  it('refuses what a provider refuses: a wrong secret, a code that was used, an error, and no code', async () => {
    const tenant = stage.providers.getTenant('oak.auth0.example')
    const wrong = await stage.buildShop('oak.auth0.example')
    await stage.change(wrong, { auth0: { clientSecret: 'wrong' } })
    expect((await signInBy(stage, wrong, createPerson(), { provider: 'auth0' })).status).to.equal(503)
    const first = await beginSignIn(stage, shop, { provider: 'auth0' })
    const callback = stage.providers.authorize(first.location, createPerson())
    expect((await comeBack(stage, callback, first.cookie)).status).to.equal(302)
    const second = await beginSignIn(stage, shop, { provider: 'auth0' })
    callback.searchParams.set('state', new URL(second.location).searchParams.get('state') ?? '')
    expect((await comeBack(stage, callback, second.cookie)).status, 'a used code').to.equal(401)
    expect(tenant.refusals).to.deep.equal(['wrong client secret', 'the code was used before'])
    for (const [name, change] of Object.entries<(callback: URL) => void>({
      'no code': ({ searchParams }) => void searchParams.delete('code'),
      'an error': ({ searchParams }) => void searchParams.set('error', 'server_error'),
      'the answer of another issuer': ({ searchParams }) => void searchParams.set('iss', 'https://evil.example'),
    })) {
      const begun = await beginSignIn(stage, shop)
      const changed = stage.providers.authorize(begun.location, createPerson())
      change(changed)
      expect((await comeBack(stage, changed, begun.cookie)).status, name).to.equal(401)
    }
  })

  it('answers 503 where the provider has no document of its own, or only private addresses', async () => {
    stage.providers.getTenant('liar.auth0.example').document['issuer'] = 'https://oak.auth0.example/'
    stage.providers.getTenant('plain.auth0.example').document['authorization_endpoint'] = 'http://plain.auth0.example/'
    stage.providers.getTenant('inside.auth0.example').document['jwks_uri'] = 'https://127.0.0.1/keys'
    const begin = async (tenant: string) => {
      const own = await stage.buildShop(tenant)
      const query = new URLSearchParams({ application: own.application, redirect: own.page })
      const options = { skipsDocumentCheck: true }
      return { own, answer: await stage.anyone.get(`/v1/auth/sign-in/auth0?${query.toString()}`, options) }
    }
    for (const tenant of ['liar.auth0.example', 'plain.auth0.example', closedHost]) {
      const { answer } = await begin(tenant)
      expect([answer.status, answer.headers['set-cookie']], tenant).to.deep.equal([503, undefined])
      expect(answer.text).not.to.contain(tenant)
    }
    const { own } = await begin('inside.auth0.example')
    expect((await signInBy(stage, own, createPerson(), { provider: 'auth0' })).status, 'private keys').to.equal(503)
  })
})
