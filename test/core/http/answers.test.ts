import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { codes } from '../../../core/kernel/codes.ts'
import { client, type Answer } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { newKey, unique } from '../identity/people.ts'
import { ended, newPassport, newPublished, newSerial, newSheet, newShop, verdict, type Shop } from '../passports/fixtures.ts'

const unjudged = { unjudged: true }

describe('Answers', function () {
  this.timeout(60_000)
  let shop: Shop
  let sheet: string
  before(async () => {
    shop = await newShop()
    sheet = await newSheet(shop)
  })

  describe('with a validator', () => {
    it('have a strong ETag of what this caller sees, vary with the credential, and are private unless anybody may see them', async () => {
      const { id } = await newPublished(shop, sheet, { reference: unique('private') })
      for (const path of [`/v1/dpp/passports/${id}`, `/v1/dpp/products/${sheet}`, `/v1/applications/${shop.application}`]) {
        const [mine, again, theirs] = [await shop.api.get(path), await shop.api.get(path), await client().get(path)]
        expect(mine.headers['etag'], path).to.match(/^"[A-Za-z0-9_-]{20,}"$/)
        expect(again.headers['etag']).to.equal(mine.headers['etag'])
        expect([mine.headers['vary'], theirs.headers['vary']]).to.deep.equal(['Authorization, Cookie, X-Api-Key', 'Authorization, Cookie, X-Api-Key'])
        expect([mine.headers['cache-control'], theirs.headers['cache-control']]).to.deep.equal(['private, no-cache', 'public, no-cache'])
        expect(theirs.headers['etag'] === mine.headers['etag']).to.equal(theirs.text === mine.text)
      }
    })

    it('are 304 without a body for who has them, until they change', async () => {
      const { id } = await newPassport(shop, sheet)
      const path = `/v1/dpp/passports/${id}`
      const read = (known: string) => shop.api.get(path, { headers: { 'if-none-match': known } })
      const etag = String((await shop.api.get(path)).headers['etag'])
      const same = await read(etag)
      expect([same.status, same.bytes.length, same.headers['etag'], same.headers['content-type']]).to.deep.equal([304, 0, etag, undefined])
      expect([same.headers['vary'], same.headers['cache-control']]).to.deep.equal(['Authorization, Cookie, X-Api-Key', 'private, no-cache'])
      const patched = await shop.api.patch(path, { reference: unique('changed') })
      const changed = await read(etag)
      expect([changed.status, changed.headers['etag']]).to.deep.equal([200, patched.headers['etag']])
      expect(changed.text).to.equal(patched.text)
    })

    for (const [what, path, change] of [
      ['a passport', async () => `/v1/dpp/passports/${(await newPassport(shop, sheet)).id}`, () => ({ reference: unique('match') })],
      ['a sheet', async () => `/v1/dpp/products/${await newSheet(shop)}`, () => ({ name: unique('match') })],
      ['an application', async () => `/v1/applications/${(await shop.api.post('/v1/applications', { name: 'match' })).body['id']}`, () => ({ name: unique('match') })],
    ] as const) {
      it(`of ${what} let a change through that knows them, and refuse one that does not: 412`, async () => {
        const at = await path()
        const patch = (match: string) => shop.api.patch(at, change(), { headers: { 'if-match': match } })
        const first = String((await shop.api.get(at)).headers['etag'])
        const second = await patch(first)
        expect(second.status, second.text).to.equal(200)
        const etag = String(second.headers['etag'])
        for (const stale of [first, `W/${etag}`, '"other"', etag.replaceAll('"', '')]) expect(verdict(await patch(stale)), stale).to.equal('412 PRECONDITION_FAILED')
        expect((await shop.api.get(at)).headers['etag']).to.equal(etag)
        expect((await patch(`"other", ${etag}`)).status).to.equal(200)
        expect((await patch('*')).status).to.equal(200)
        expect(verdict(await shop.api.patch(at.replace(/[^/]+$/, randomUUID()), change(), { headers: { 'if-match': '*' } }))).to.equal('404 NOT_FOUND')
      })
    }

    it('of a passport and a sheet guard their deletion too', async () => {
      for (const path of [`/v1/dpp/passports/${(await newPassport(shop, sheet)).id}`, `/v1/dpp/products/${await newSheet(shop)}`]) {
        const { headers, text } = await shop.api.get(path)
        expect(verdict(await shop.api.delete(path, { headers: { 'if-match': '"other"' } }))).to.equal('412 PRECONDITION_FAILED')
        const gone = await shop.api.delete(path, { headers: { 'if-match': String(headers['etag']) } })
        expect([gone.status, gone.text, gone.headers['etag']]).to.deep.equal([200, text, undefined])
        expect(verdict(await shop.api.get(path))).to.equal('404 NOT_FOUND')
      }
    })
  })

  describe('carry an id', () => {
    const idOf = async (given?: string) => (await client().get('/v1/auth/session', { headers: given === undefined ? {} : { 'x-request-id': given } })).headers['x-request-id']

    it('which is the one of the caller when it is 1 to 64 letters, digits, hyphens and underscores', async () => {
      for (const given of ['a', 'A-b_9', 'x'.repeat(64), randomUUID()]) expect(await idOf(given)).to.equal(given)
    })

    it('which is a new one otherwise', async () => {
      const ids = []
      for (const given of [undefined, '', 'x'.repeat(65), 'a b', 'a,b', 'ä', '<script>', 'a.b']) ids.push(await idOf(given))
      for (const id of ids) expect(id).to.match(/^[0-9a-f-]{36}$/)
      expect(new Set(ids).size).to.equal(ids.length)
    })

    it('on every route, and in every problem', async () => {
      for (const path of ['/nowhere', '/health/live', '/health/ready', '/openapi.json', '/problems/NOT_FOUND', '/v1/applications', '/docs', '/claim', '/assets/tessera.css']) {
        const answer = await client().get(path, { ...unjudged, headers: { 'x-request-id': 'mine' } })
        expect(answer.headers['x-request-id'], path).to.equal('mine')
        expect(answer.headers['x-content-type-options'], path).to.equal('nosniff')
        if (String(answer.headers['content-type']).includes('problem+json')) expect(answer.body['requestId']).to.equal('mine')
      }
    })
  })

  describe('to a change', () => {
    it('lead to what was created or started', async () => {
      const made = [
        await shop.api.post('/v1/applications', { name: unique('Where') }),
        await shop.api.post('/v1/dpp/products', { application: shop.application, name: 'Where' }),
        await shop.api.post('/v1/dpp/passports', { product: sheet, fields: { serialNumber: newSerial() } }),
        await shop.api.post(`/v1/dpp/products/${sheet}/mint`, [{ serialNumber: newSerial() }]),
        await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${randomUUID()}`),
      ]
      expect(made.map(({ status }) => status)).to.deep.equal([201, 201, 201, 202, 202])
      for (const answer of made) {
        const there = await shop.api.get(String(answer.headers['location']))
        expect(there.status, String(answer.headers['location'])).to.equal(200)
        if (answer.status === 201) expect(there.body).to.deep.equal(answer.body)
        else expect(there.body['id']).to.equal(answer.body['jobId'])
      }
      await ended(shop.api, String(made[3]?.headers['location']))
    })

    it('without content have no body, no type and no length', async () => {
      const { status, bytes, headers } = await client().post('/v1/auth/sign-out')
      expect([status, bytes.length, headers['content-type'], headers['content-length'], headers['transfer-encoding']]).to.deep.equal([204, 0, undefined, undefined, undefined])
    })

    it('of deletion show the entity as it was', async () => {
      for (const [collection, body] of [['/v1/applications', { name: 'Gone' }], ['/v1/dpp/products', { application: shop.application, name: 'Gone' }]] as const) {
        const made = await shop.api.post(collection, body)
        const path = `${collection}/${made.body['id']}`
        const gone = await shop.api.delete(path)
        expect([gone.status, gone.text]).to.deep.equal([200, made.text])
        expect(verdict(await shop.api.delete(path))).to.equal('404 NOT_FOUND')
      }
    })
  })

  describe('to a merge patch', () => {
    const theme = { title: 'Bags', mode: 'dark', primaryColor: '#0a7d54' }
    const newOne = async () => {
      const { body } = await shop.api.post('/v1/applications', { name: unique('Merge'), theme, domains: ['a.example', 'b.example'], websiteUrl: 'https://a.example' })
      return `/v1/applications/${body['id']}`
    }
    const patch = (path: string, body: unknown, type = 'application/json') => shop.api.patch(path, undefined, { raw: JSON.stringify(body), headers: { 'content-type': type } })

    it('change what it names, merge objects deeply and replace arrays', async () => {
      const path = await newOne()
      const before = (await shop.api.get(path)).body
      const changed = await patch(path, { theme: { mode: 'light', googleFont: 'Inter' }, domains: ['c.example'] }, 'application/merge-patch+json')
      expect(changed.status, changed.text).to.equal(200)
      expect(changed.body['theme']).to.deep.equal({ ...theme, mode: 'light', googleFont: 'Inter' })
      expect(changed.body['domains']).to.deep.equal(['c.example'])
      expect(changed.body['name']).to.equal(before['name'])
      expect((await shop.api.get(path)).text).to.equal(changed.text)
    })

    it('clear with null what may be empty, and refuse it for what may not', async () => {
      const path = await newOne()
      const cleared = await patch(path, { theme: { title: null }, websiteUrl: null })
      expect(cleared.body['theme']).to.deep.equal({ mode: 'dark', primaryColor: '#0a7d54' })
      expect(cleared.body['websiteUrl']).to.equal(null)
      for (const member of ['name', 'slug', 'domains']) expect(verdict(await patch(path, { [member]: null })), member).to.equal('422 VALIDATION_FAILED')
      expect((await patch(path, {})).text).to.equal(cleared.text)
    })

    it('merge the free fields of a passport by the same rule', async () => {
      const { id } = await newPassport(shop, sheet, { fields: { serialNumber: 'M', color: 'red', origin: { country: 'FR', year: 2020 } } })
      const changed = await patch(`/v1/dpp/passports/${id}`, { fields: { color: null, origin: { year: 2021 } } }, 'application/merge-patch+json; charset=utf-8')
      expect(changed.body['fields']).to.deep.equal({ serialNumber: 'M', origin: { country: 'FR', year: 2021 } })
    })

    it('do not take a JSON Patch for one', async () => {
      const path = await newOne()
      expect(verdict(await patch(path, [{ op: 'remove', path: '/name' }], 'application/json-patch+json'))).to.equal('415 UNSUPPORTED_MEDIA_TYPE')
      expect(verdict(await patch(path, [{ op: 'remove', path: '/name' }]))).to.equal('422 VALIDATION_FAILED')
    })
  })

  describe('to HEAD', () => {
    it('are those to GET without their body', async () => {
      const { id } = await newPublished(shop, sheet)
      for (const path of [`/v1/dpp/passports/${id}`, '/v1/dpp/passports', `/v1/dpp/passports/${randomUUID()}`, `/v1/dpp/passports/${id}/qr-code`, '/health/live', '/openapi.json', '/docs']) {
        const ask = (method: string) => shop.api.send(method, path, undefined, { ...unjudged, headers: { 'x-request-id': 'same' } })
        const [get, head] = [await ask('GET'), await ask('HEAD')]
        expect([head.status, head.bytes.length], path).to.deep.equal([get.status, 0])
        expect(comparable(head), path).to.deep.equal(comparable(get))
      }
    })

    it('of an event stream end at once and leave none open', async () => {
      const job = await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${randomUUID()}`)
      const answer = await shop.api.send('HEAD', `/v1/jobs/${job.body['jobId']}/sse`, undefined, unjudged)
      expect([answer.status, answer.headers['content-type']]).to.deep.equal([200, 'text/event-stream'])
    })
  })

  describe('of no route', () => {
    it('are 404 for unknown addresses and for methods that an address does not have', async () => {
      for (const [method, path] of [
        ['GET', '/'], ['GET', '/v1'], ['GET', '/v2/applications'], ['GET', '/v1/nothing'], ['PUT', '/v1/applications'], ['POST', `/v1/applications/${randomUUID()}`],
        ['DELETE', '/v1/dpp/passports'], ['PATCH', '/health/live'], ['OPTIONS', '/v1/applications'], ['GET', '/v1/applications/'], ['GET', '/V1/applications'],
        ['POST', '/openapi.json'], ['GET', '/metrics'], ['TRACE', '/v1/applications'],
      ] as const) {
        const answer = await shop.api.send(method, path, undefined, unjudged)
        expect(verdict(answer), `${method} ${path}`).to.equal('404 NOT_FOUND')
        expect(answer.headers['content-type']).to.equal('application/problem+json; charset=utf-8')
        expect(answer.body['instance']).to.equal(path)
      }
    })

    it('cannot be told from those of what is not there', async () => {
      const seen = await Promise.all([`/v1/applications/${randomUUID()}`, `/v1/dpp/passports/${randomUUID()}`, '/v1/nothing'].map((path) => client().get(path, unjudged)))
      const [first, ...others] = seen.map(({ body }) => ({ ...(body as object), instance: '', requestId: '' }))
      for (const other of others) expect(other).to.deep.equal(first)
    })
  })

  describe('of the server itself', () => {
    it('say that it lives and that it is ready', async () => {
      const live = await client().get('/health/live')
      expect([live.status, live.body]).to.deep.equal([200, { status: 'ok' }])
      const ready = await client().get('/health/ready')
      expect([ready.status, ready.body, ready.headers['cache-control']]).to.deep.equal([200, { status: 'ok' }, 'no-store'])
    })

    it('explain every code in a short page, where the type of a problem points', async () => {
      for (const [code, { title, meaning }] of Object.entries(codes)) {
        const page = await client().get(`/problems/${code}`)
        expect([page.status, page.headers['content-type']]).to.deep.equal([200, 'text/html; charset=utf-8'])
        expect(page.text).to.contain(title).and.to.contain(code).and.to.contain(meaning.slice(0, 20))
        expect(page.headers['content-security-policy']).to.contain("default-src 'none'")
      }
      for (const none of ['NOTHING', 'constructor', '__proto__', 'not_found', '%3Cscript%3E']) {
        expect(verdict(await client().get(`/problems/${none}`, unjudged)), none).to.equal('404 NOT_FOUND')
      }
      const refused = await client().get('/v1/applications')
      expect(refused.body['type']).to.equal(`${platform.api}/problems/AUTH_UNAUTHENTICATED`)
      expect((await client({}, '').get(String(refused.body['type']), unjudged)).status).to.equal(200)
    })

    it('show the document to every page, and only when it changed', async () => {
      const { status, headers } = await client().get('/openapi.json')
      expect([status, headers['access-control-allow-origin'], headers['cache-control']]).to.deep.equal([200, '*', 'public, max-age=60'])
      const again = await client().get('/openapi.json', { headers: { 'if-none-match': String(headers['etag']) } })
      expect([again.status, again.bytes.length, again.headers['etag']]).to.deep.equal([304, 0, headers['etag']])
    })
  })

  describe('to another site', () => {
    const host = `shop-${process.pid}.example`
    before(async () => {
      const changed = await shop.api.patch(`/v1/applications/${shop.application}`, { domains: [host] })
      expect(changed.status, changed.text).to.equal(200)
    })
    const from = (origin: string, path = '/v1/applications', method = 'GET', more = {}) =>
      client({ bearer: shop.key }).send(method, path, undefined, { ...unjudged, headers: { origin, ...more } })
    const preflight = (origin: string) => client().send('OPTIONS', '/v1/applications', undefined, {
      ...unjudged, headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type' },
    })

    it('are readable for the pages of an application, with a token and never with a cookie', async () => {
      for (const origin of [`https://${host}`, `https://${host}:8443`, `http://${host}`]) {
        const answer = await from(origin)
        expect([answer.status, answer.headers['access-control-allow-origin'], answer.headers['access-control-allow-credentials']]).to.deep.equal([200, origin, undefined])
        expect(answer.headers['vary']).to.contain('Origin')
        expect(answer.headers['access-control-expose-headers']).to.contain('Location').and.to.contain('RateLimit').and.to.contain('Idempotency-Replayed')
        const asked = await preflight(origin)
        expect([asked.status, asked.headers['access-control-allow-origin'], asked.headers['access-control-allow-credentials']]).to.deep.equal([204, origin, undefined])
        expect(asked.headers['access-control-allow-headers']).to.contain('Authorization').and.not.to.contain('X-Api-Key').and.not.to.contain('Cookie')
        expect(asked.headers['access-control-allow-methods']).to.contain('PATCH')
      }
      const refusal = await from(`https://${host}`, '/v1/applications?nonsense=1')
      expect([refusal.status, refusal.headers['access-control-allow-origin']]).to.deep.equal([400, `https://${host}`])
    })

    it('are not for any other page', async () => {
      for (const origin of ['https://evil.example', `https://${host}.evil.example`, `https://evil-${host}`, `https://sub.${host}`, 'null', 'nonsense', '*', `https://${host.replace('.', 'x')}`]) {
        const [answer, asked] = [await from(origin), await preflight(origin)]
        expect([answer.status, answer.headers['access-control-allow-origin'], asked.headers['access-control-allow-origin'], asked.headers['access-control-allow-methods']], origin)
          .to.deep.equal([200, undefined, undefined, undefined])
        expect(answer.headers['vary']).to.contain('Origin')
      }
    })

    it('keep their validators and their variance', async () => {
      const answer = await from(`https://${host}`, `/v1/applications/${shop.application}`)
      expect(answer.headers['vary']).to.equal('Origin, Authorization, Cookie, X-Api-Key')
    })
  })

  it('of a refusal name the missing pair, and the scheme where a credential is missing', async () => {
    const weak = client((await newKey(shop.organization, { dpp: ['read'] })).key)
    const refused = await weak.post('/v1/dpp/passports', { product: sheet })
    expect([verdict(refused), refused.body['permission'], refused.body['instance']]).to.deep.equal([
      '403 AUTH_INSUFFICIENT_PERMISSIONS', { resource: 'dpp', action: 'create' }, '/v1/dpp/passports',
    ])
    const unknown = await client().post('/v1/dpp/passports', { product: sheet })
    expect([verdict(unknown), unknown.headers['www-authenticate']]).to.deep.equal(['401 AUTH_UNAUTHENTICATED', 'Bearer'])
  })
})

/** Fields of an answer that do not depend on when it was given. */
function comparable({ headers }: Answer): object {
  const { date: _date, connection: _connection, 'keep-alive': _alive, ...rest } = headers
  return rest
}
