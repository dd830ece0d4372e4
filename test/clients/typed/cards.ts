import { generateKeyPairSync } from 'node:crypto'
import type { Client } from 'tessera-client'
import { assertThat, unwrap, type Stage } from './stage.ts'

/** The card of a buyer, and the credentials of a wallet. @param buyer who has an account in the application */
export async function callCards(api: Client, buyer: Client, { application }: Stage): Promise<void> {
  const file = await unwrap(buyer.GET('/v1/apple-wallet/loyalty-pass', { parseAs: 'text' }))
  assertThat(file.startsWith('PK'), 'the card is an archive')
  const params = { path: { appId: application, channel: 'google-wallet' as const } }
  const path = '/v1/applications/{appId}/wallet-credentials/{channel}'
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const body = {
    serviceAccount: {
      client_email: 'cards@shop.iam.gserviceaccount.com',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    },
  }
  const set = await unwrap(api.PUT(path, { params, body }))
  assertThat(set.isConfigured && set.clientEmail === body.serviceAccount.client_email, 'the service account is kept')
  const read = await unwrap(api.GET(path, { params }))
  assertThat(read.updatedAt === set.updatedAt, 'it is read')
  // Here Google gets nothing, and the link is signed all the same.
  const named = { loyaltySettings: { googleWallet: { issuerId: '3388000000000000001' } } }
  await unwrap(api.PATCH('/v1/applications/{appId}', { params: { path: { appId: application } }, body: named }))
  const { url } = await unwrap(buyer.GET('/v1/google-wallet/loyalty-pass'))
  assertThat(url.startsWith('https://pay.google.com/gp/v/save/'), 'the link leads to Google')
  const removed = await unwrap(api.DELETE(path, { params }))
  assertThat(!removed.isConfigured, 'it is removed')
}
