import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { createUniqueName } from '../../identity/people.ts'
import { formatVerdict } from '../../dpp/passports/fixtures.ts'
import { buildPassport, buildPublishedPassport, buildSheet, buildShop, type Shop } from '../../../support/world.ts'

describe('ETag and If-None-Match: answers with a validator', () => {
  let shop: Shop
  let sheet: string
  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
  })

  it('have a strong ETag of what this caller sees, vary with the credential, and are private unless anybody may see them', async () => {
    const { id } = await buildPublishedPassport(shop, sheet, { reference: createUniqueName('private') })
    for (const path of [
      `/v1/dpp/passports/${id}`,
      `/v1/dpp/products/${sheet}`,
      `/v1/applications/${shop.application}`,
    ]) {
      const [mine, again, theirs] = [
        await shop.api.get(path),
        await shop.api.get(path),
        await createApiClient().get(path),
      ]
      expect(mine.headers['etag'], path).to.match(/^"[A-Za-z0-9_-]{20,}"$/)
      expect(again.headers['etag']).to.equal(mine.headers['etag'])
      expect([mine.headers['vary'], theirs.headers['vary']]).to.deep.equal([
        'Authorization, Cookie, X-Api-Key',
        'Authorization, Cookie, X-Api-Key',
      ])
      expect([mine.headers['cache-control'], theirs.headers['cache-control']]).to.deep.equal([
        'private, no-cache',
        'public, no-cache',
      ])
      expect(theirs.headers['etag'] === mine.headers['etag']).to.equal(theirs.text === mine.text)
    }
  })

  it('are 304 without a body for who has them, until they change', async () => {
    const { id } = await buildPassport(shop, sheet)
    const path = `/v1/dpp/passports/${id}`
    const read = (known: string) => shop.api.get(path, { headers: { 'if-none-match': known } })
    const etag = String((await shop.api.get(path)).headers['etag'])
    const same = await read(etag)
    expect([same.status, same.bytes.length, same.headers['etag'], same.headers['content-type']]).to.deep.equal([
      304,
      0,
      etag,
      undefined,
    ])
    expect([same.headers['vary'], same.headers['cache-control']]).to.deep.equal([
      'Authorization, Cookie, X-Api-Key',
      'private, no-cache',
    ])
    const patched = await shop.api.patch(path, { reference: createUniqueName('changed') })
    const changed = await read(etag)
    expect([changed.status, changed.headers['etag']]).to.deep.equal([200, patched.headers['etag']])
    expect(changed.text).to.equal(patched.text)
  })

  for (const [what, path, change] of [
    [
      'a passport',
      async () => `/v1/dpp/passports/${(await buildPassport(shop, sheet)).id}`,
      () => ({ reference: createUniqueName('match') }),
    ],
    ['a sheet', async () => `/v1/dpp/products/${await buildSheet(shop)}`, () => ({ name: createUniqueName('match') })],
    [
      'an application',
      async () => `/v1/applications/${(await shop.api.post('/v1/applications', { name: 'match' })).body['id']}`,
      () => ({ name: createUniqueName('match') }),
    ],
  ] as const) {
    it(`accept a change of ${what} with the right If-Match and answer 412 to another one`, async () => {
      const at = await path()
      const patch = (match: string) => shop.api.patch(at, change(), { headers: { 'if-match': match } })
      const first = String((await shop.api.get(at)).headers['etag'])
      const second = await patch(first)
      expect(second.status, second.text).to.equal(200)
      const etag = String(second.headers['etag'])
      for (const stale of [first, `W/${etag}`, '"other"', etag.replaceAll('"', '')])
        expect(formatVerdict(await patch(stale)), stale).to.equal('412 PRECONDITION_FAILED')
      expect((await shop.api.get(at)).headers['etag']).to.equal(etag)
      expect((await patch(`"other", ${etag}`)).status).to.equal(200)
      expect((await patch('*')).status).to.equal(200)
      expect(
        formatVerdict(
          await shop.api.patch(at.replace(/[^/]+$/, randomUUID()), change(), { headers: { 'if-match': '*' } }),
        ),
      ).to.equal('404 NOT_FOUND')
    })
  }

  it('guard the deletion of a passport and a sheet too', async () => {
    for (const path of [
      `/v1/dpp/passports/${(await buildPassport(shop, sheet)).id}`,
      `/v1/dpp/products/${await buildSheet(shop)}`,
    ]) {
      const { headers, text } = await shop.api.get(path)
      expect(formatVerdict(await shop.api.delete(path, { headers: { 'if-match': '"other"' } }))).to.equal(
        '412 PRECONDITION_FAILED',
      )
      const gone = await shop.api.delete(path, { headers: { 'if-match': String(headers['etag']) } })
      expect([gone.status, gone.text, gone.headers['etag']]).to.deep.equal([200, text, undefined])
      expect(formatVerdict(await shop.api.get(path))).to.equal('404 NOT_FOUND')
    }
  })
})
