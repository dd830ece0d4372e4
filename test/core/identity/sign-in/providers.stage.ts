import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { ProviderName } from '../../../../core/features/identity/index.ts'
import { createApiClient, type Answer, type Client } from '../../../support/client.ts'
import {
  startIdentityProviders,
  type IdentityProviders,
  type ProvenPerson,
  type ProviderClient,
} from '../../../support/network/identity-providers.ts'
import { readSigningSettings, startSecondServer } from '../../../support/network/second-server.ts'
import { platform } from '../../../support/platform.ts'
import { buildShop, type Shop } from '../../../support/world.ts'
import { createEmail, getCookies } from '../people.ts'

/** An API process that can sign buyers in with Google, and with the tenants of the test. */
export interface ProviderStage {
  providers: IdentityProviders
  /** Address of that process. */
  base: string
  anyone: Client
  /** A shop whose buyers may sign in with Google and, if it has a tenant, with that. */
  buildShop(tenant?: string): Promise<ProviderShop>
  /** Changes the ways to sign in of a shop. */
  change(shop: Shop, authConfig: object): Promise<Answer>
  stop(): Promise<void>
}

export interface ProviderShop extends Shop {
  /** The page of its buyers. */
  page: string
  /** Its client at its tenant. */
  client: ProviderClient
}

const google = { clientId: 'tessera.apps.example', clientSecret: 'secret-of-google' }

export async function startProviderStage(
  tenants: readonly string[],
  closed: readonly string[] = [],
): Promise<ProviderStage> {
  const providers = await startIdentityProviders(tenants, closed)
  const server = await startSecondServer(platform, {
    ...providers.env,
    ...readSigningSettings(platform),
    GOOGLE_CLIENT_ID: google.clientId,
    GOOGLE_CLIENT_SECRET: google.clientSecret,
  })
  const base = server.api
  providers.google.clients.push({ ...google, redirectUri: `${base}/sign-in/callback/google` })
  const change = (shop: Shop, authConfig: object) =>
    createApiClient(shop.key, base).patch(`/v1/organizations/${shop.organization}`, { settings: { authConfig } })
  return {
    providers,
    base,
    anyone: createApiClient({}, base),
    change,
    async buildShop(tenant) {
      const shop = await buildShop()
      const { body } = await createApiClient().get(`/v1/applications/${shop.application}`)
      const client = {
        clientId: randomUUID(),
        clientSecret: randomUUID(),
        redirectUri: `${base}/sign-in/callback/auth0`,
      }
      if (tenant !== undefined) providers.getTenant(tenant).clients.push(client)
      const { clientId, clientSecret } = client
      const auth0 = tenant === undefined ? {} : { auth0: { enabled: true, domain: tenant, clientId, clientSecret } }
      const changed = await change(shop, { google: { enabled: true }, ...auth0 })
      expect(changed.status, changed.text).to.equal(200)
      return { ...shop, page: `/me?application=${body['slug']}`, client }
    },
    async stop() {
      server.kill()
      await server.ended
      await providers.stop()
    },
  }
}

/** A person whose address the provider has proven. */
export const createPerson = (email = createEmail('buyer')): ProvenPerson => ({
  sub: randomUUID(),
  email,
  email_verified: true,
})

/** A sign-in that a browser has begun. */
export interface BegunSignIn {
  provider: ProviderName
  /** Where the browser was sent. */
  location: string
  /** The cookie that it keeps. */
  cookie: string
}

/** Begins a sign-in, as a link on a page does. */
export async function beginSignIn(
  { anyone }: ProviderStage,
  shop: ProviderShop,
  { provider = 'google', redirect = shop.page }: { provider?: ProviderName; redirect?: string } = {},
): Promise<BegunSignIn> {
  const query = new URLSearchParams({ application: shop.application, redirect })
  const answer = await anyone.get(`/v1/auth/sign-in/${provider}?${query.toString()}`)
  expect(answer.status, answer.text).to.equal(302)
  return { provider, location: String(answer.headers['location']), cookie: getCookies(answer)[0] ?? '' }
}

/** Comes back from a provider, with the cookie of the sign-in that was begun. */
export const comeBack = ({ anyone }: ProviderStage, callback: URL, cookie: string): Promise<Answer> =>
  anyone.get(`${callback.pathname}${callback.search}`, { headers: { cookie } })

/** Signs somebody in from the link to the page that it leads to. */
export async function signInBy(
  stage: ProviderStage,
  shop: ProviderShop,
  person: ProvenPerson,
  options: { provider?: ProviderName; redirect?: string } = {},
): Promise<Answer> {
  const begun = await beginSignIn(stage, shop, options)
  return comeBack(stage, stage.providers.authorize(begun.location, person), begun.cookie)
}

/** Reads the session that an answer has opened. */
export async function readSession({ base }: ProviderStage, answer: Answer): Promise<Answer> {
  expect([answer.status, answer.text]).to.deep.equal([302, ''])
  const cookie = getCookies(answer)[0] ?? ''
  expect(cookie).to.match(/^tessera\.user=/)
  const session = await createApiClient({ cookie }, base).get('/v1/auth/session')
  expect(session.status, session.text).to.equal(200)
  return session
}
