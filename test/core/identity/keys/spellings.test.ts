import { expect } from 'chai'
import {
  buildBuyer,
  buildOrganization,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { createApiClient } from '../../../support/client.ts'
import { codeOf, getOwnClient, signInBuyer, signInMember } from '../people.ts'

/** Other spellings that readers of base64, cookies and addresses are known to pass over. */
const spellings = (token: string): string[] => [
  `${token}=`,
  `${token}==`,
  `=${token}`,
  `${token}.`,
  `${token}%3D`,
  `${token}%20`,
  `${token.slice(0, -1)}%${token.charCodeAt(token.length - 1).toString(16)}`,
  `${token.slice(0, 8)}=${token.slice(8)}`,
  `${token.slice(0, 8)} ${token.slice(8)}`,
  `"${token}"`,
  `${token}\t=`,
]

/** The same bytes in base64url with other unused bits at the end. */
function withOtherBits(part: string): string[] {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const bytes = Buffer.from(part, 'base64url')
  return [...alphabet]
    .map((last) => part.slice(0, -1) + last)
    .filter((other) => other !== part && Buffer.from(other, 'base64url').equals(bytes))
}

describe('Tokens and API keys in another spelling', () => {
  it('are refused as keys and as sessions, and end no session', async () => {
    const tenant = await buildOrganization()
    const token = String((await signInBuyer(tenant.application)).body['token'])
    const member = (await signInMember(tenant.owner, tenant.organization)).split('=')[1] ?? ''
    for (const key of spellings(tenant.key)) {
      for (const headers of [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }]) {
        expect((await createApiClient().get('/v1/applications', { headers })).status, JSON.stringify(headers)).to.equal(
          401,
        )
      }
    }
    for (const [name, plain] of [
      ['tessera.user', token],
      ['tessera.session', member],
    ] as const) {
      for (const other of spellings(plain)) {
        const headers = { authorization: `Bearer ${other}` }
        expect(codeOf(await createApiClient().get('/v1/auth/session', { headers })), other).to.deep.equal([
          401,
          'AUTH_UNAUTHENTICATED',
        ])
        expect((await createApiClient({ cookie: `${name}=${other}` }).get('/v1/auth/session')).status, other).to.equal(
          401,
        )
        await createApiClient().post('/v1/auth/sign-out', undefined, { headers })
        await getOwnClient(`${name}=${other}`).post('/v1/auth/sign-out')
      }
      expect((await createApiClient({ bearer: plain }).get('/v1/auth/session')).status, name).to.equal(200)
    }
  })

  it('are refused as magic tokens, on the page and for the claim', async () => {
    const shop: Shop = await buildShop()
    const buyer = await buildBuyer(shop)
    const { id } = await buildPublishedPassport(shop, await buildSheet(shop))
    const token = String((await shop.api.get(`/v1/dpp/passports/${id}/magic-token`)).body['token'])
    const [head = '', body = '', signature = ''] = token.split('.')
    const others = [
      ...spellings(token),
      ...withOtherBits(signature).map((other) => `${head}.${body}.${other}`),
      `${head}=.${body}.${signature}`,
      `${head}.${body}=.${signature}`,
      `${head}.${body}.${signature}\n`,
    ]
    expect(withOtherBits(signature)).to.have.length(3)
    for (const magicToken of others) {
      const answer = await buyer.post('/v1/dpp/claim/magicToken', { magicToken })
      expect(codeOf(answer), JSON.stringify(magicToken)).to.deep.equal([400, 'DPP_MAGIC_TOKEN_INVALID'])
      expect(
        (await createApiClient().get(`/claim?token=${encodeURIComponent(magicToken)}`)).status,
        magicToken,
      ).to.equal(400)
    }
    expect((await createApiClient().get(`/claim?token=${token}`)).status).to.equal(200)
  })
})
