import { expect } from 'chai'
import { createApiClient, type Client } from '../../../../support/client.ts'
import { readSigningSettings, startSecondServer, type SecondServer } from '../../../../support/network/second-server.ts'
import { platform } from '../../../../support/platform.ts'
import { startGoogle, type GoogleStandIn } from '../../../../support/wallets/google/google.ts'
import { createPhone, type Phone } from '../../../../support/wallets/google/phone.ts'
import { buildShop, type Shop } from '../../../../support/world.ts'
import { getBody } from '../../../dpp/passports/fixtures.ts'
import { createEmail, signInBuyer } from '../../../identity/people.ts'

/** The address that Google knows the platform by: it takes https only. */
export const publicAddress = 'https://cards.example'

/** A stand-in of Google Wallet, and an API process that speaks to it. */
export interface GoogleStage {
  google: GoogleStandIn
  server: SecondServer
  api: string
  phone: Phone
  stop(): Promise<void>
}

export async function startGoogleStage(env: NodeJS.ProcessEnv = {}): Promise<GoogleStage> {
  const google = await startGoogle()
  const server = await startSecondServer(platform, {
    ...readSigningSettings(platform),
    BASE_URL: publicAddress,
    PUBLIC_URL: publicAddress,
    GOOGLE_WALLET_URL: google.url,
    GOOGLE_OAUTH_URL: google.tokenUrl,
    GOOGLE_PAY_KEYS_URL: google.keysUrl,
    ...env,
  })
  return {
    google,
    server,
    api: server.api,
    phone: createPhone(google, server.api),
    async stop() {
      server.kill()
      await server.ended
      await google.stop()
    },
  }
}

export const credentialsPath = (application: string) =>
  `/v1/applications/${application}/wallet-credentials/google-wallet`

/** A shop whose cards the issuer of the stand-in gives out. */
export async function buildIssuingShop({ google, api }: GoogleStage, theme: object = {}): Promise<Shop> {
  const shop = await buildShop()
  const own = createApiClient(shop.key, api)
  const named = await own.patch(`/v1/applications/${shop.application}`, {
    theme,
    loyaltySettings: { googleWallet: { issuerId: google.issuerId } },
  })
  expect(named.status, named.text).to.equal(200)
  const set = await own.put(credentialsPath(shop.application), { serviceAccount: google.serviceAccount })
  expect(set.status, set.text).to.equal(200)
  return { ...shop, api: own }
}

export interface CardBuyer {
  account: string
  client: Client
}

/** A buyer who is signed in to the API that speaks to the stand-in. */
export async function buildCardBuyer(
  { api }: GoogleStage,
  { application }: Shop,
  email = createEmail('card'),
): Promise<CardBuyer> {
  const answer = await signInBuyer(application, email)
  expect(answer.status, answer.text).to.equal(200)
  const { token, account } = getBody<{ token: string; account: { id: string } }>(answer)
  return { account: account.id, client: createApiClient({ bearer: token }, api) }
}

export const passPath = '/v1/google-wallet/loyalty-pass'

/** Asks for the link to save the card. */
export async function getLink({ client }: CardBuyer): Promise<string> {
  const answer = await client.get(passPath)
  expect(answer.status, answer.text).to.equal(200)
  return String(answer.body['url'])
}

/** Reads whether an account is opted in to messages on its Google card, as its shop sees it. */
export async function readOptIn({ api }: Shop, { account }: CardBuyer): Promise<boolean> {
  const { body } = await api.get(`/v1/accounts/${account}`)
  return (body['loyalty'] as unknown as { optIn: { google: boolean } }).optIn.google
}
