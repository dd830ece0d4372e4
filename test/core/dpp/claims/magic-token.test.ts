import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { expireMagicToken, readMagicToken } from '../../../support/rows/dpp/claims.ts'
import { getOperator } from '../../identity/people.ts'
import {
  buildBuyer,
  buildKey,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { formatVerdict } from '../passports/fixtures.ts'

const read = (part: string | undefined) =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Record<string, unknown>
const write = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('GET /v1/dpp/passports/{id}/magic-token: magic tokens', () => {
  let shop: Shop
  let sheet: string

  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
  })

  const token = (id: unknown, by = shop.api) => by.get(`/v1/dpp/passports/${id}/magic-token`)

  it('are signed, name their passport, and last 90 days', async () => {
    const { id } = await buildPublishedPassport(shop, sheet)
    const { body, headers, status } = await token(id)
    expect(status).to.equal(200)
    expect(headers['cache-control']).to.equal('no-store')
    expect(body.url).to.equal(`${platform.api}/claim?token=${body.token}`)
    const [header, payload] = String(body.token).split('.')
    expect(read(header)).to.deep.equal({ alg: 'HS256', typ: 'JWT' })
    const { jti, passport, iat, exp } = read(payload)
    expect(passport).to.equal(id)
    expect(Buffer.from(String(jti), 'base64url')).to.have.length(16)
    expect(Number(exp) - Number(iat)).to.equal(90 * 86_400)
    expect(new Date(Number(exp) * 1000).toISOString()).to.equal(body.expiresAt)
  })

  it('stay the same until they are used or expire, also when many ask at once', async () => {
    const { id } = await buildPublishedPassport(shop, sheet)
    const answers = await Promise.all(Array.from({ length: 20 }, () => token(id)))
    expect(new Set(answers.map(({ body }) => body.token)).size).to.equal(1)
    await expireMagicToken((await getOperator()).db, id)
    const renewed = await token(id)
    expect(renewed.body.token).to.not.equal(answers[0]?.body.token)
    expect((await token(id)).body.token).to.equal(renewed.body.token)
    const old = await (await buildBuyer(shop)).post('/v1/dpp/claim/magicToken', { magicToken: answers[0]?.body.token })
    expect(formatVerdict(old)).to.equal('400 DPP_MAGIC_TOKEN_INVALID')
  })

  it('are for claimable passports alone', async () => {
    const draft = await buildPassport(shop, sheet)
    const archived = await buildPublishedPassport(shop, sheet)
    await shop.api.patch(`/v1/dpp/passports/${archived.id}`, { status: 'archived' })
    const closed = await buildSheet(shop)
    const onClosed = await buildPublishedPassport(shop, closed)
    await shop.api.patch(`/v1/dpp/products/${closed}`, { status: 'ARCHIVED' })
    for (const { id } of [draft, archived, onClosed])
      expect(formatVerdict(await token(id))).to.equal('409 DPP_PASSPORT_NOT_CLAIMABLE')
    await shop.api.patch(`/v1/dpp/products/${closed}`, { status: 'UNLISTED' })
    expect((await token(onClosed.id)).status).to.equal(200)
  })

  it('are for who may change passports of the organization', async () => {
    const { id } = await buildPublishedPassport(shop, sheet)
    const reader = createApiClient((await buildKey(shop.organization, { dpp: ['read', 'create', 'delete'] })).key)
    expect(formatVerdict(await token(id, reader))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
    expect(formatVerdict(await token(id, (await buildShop()).api))).to.equal('404 NOT_FOUND')
    expect(formatVerdict(await token(id, createApiClient()))).to.equal('401 AUTH_UNAUTHENTICATED')
  })

  it('are refused when anything about them was made up', async () => {
    const buyer = await buildBuyer(shop)
    const { id } = await buildPublishedPassport(shop, sheet)
    const other = await buildPublishedPassport(shop, sheet)
    const good = String((await token(id)).body.token)
    const [header, payload, signature] = good.split('.') as [string, string, string]
    const facts = read(payload)
    const signed = (head: unknown, body: unknown, key: string) => {
      const text = `${write(head)}.${write(body)}`
      return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
    }
    const forged = [
      'x',
      '..',
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${write({ alg: 'none' })}.${payload}.`,
      `${write({ alg: 'none' })}.${payload}.${signature}`,
      `${write({ alg: 'HS512', typ: 'JWT' })}.${payload}.${signature}`,
      `${header}.${write({ ...facts, passport: other.id })}.${signature}`,
      `${header}.${write({ ...facts, exp: 9e9 })}.${signature}`,
      signed({ alg: 'HS256', typ: 'JWT' }, facts, ''),
      signed({ alg: 'HS256', typ: 'JWT' }, facts, platform.apiKey),
      signed({ alg: 'HS256', typ: 'JWT', kid: '../../dev/null' }, facts, ''),
      `${good}A`,
      `${good.slice(0, -2)}`,
      good.toUpperCase(),
    ]
    for (const magicToken of forged) {
      const refused = await buyer.post('/v1/dpp/claim/magicToken', { magicToken })
      expect(`${magicToken.slice(0, 30)} ${formatVerdict(refused)}`).to.equal(
        `${magicToken.slice(0, 30)} 400 DPP_MAGIC_TOKEN_INVALID`,
      )
    }
    expect((await token(id)).body.token).to.equal(good)
  })

  it('leave nothing in the database that claims by itself', async () => {
    const { id } = await buildPublishedPassport(shop, sheet)
    const { body } = await token(id)
    const row = await readMagicToken((await getOperator()).db, id)
    expect(Object.keys(row)).to.have.members(['passport', 'jti', 'issued_at', 'expires_at', 'spent_by'])
    expect(JSON.stringify(row)).to.not.include(String(body.token).split('.')[2])
  })
})
