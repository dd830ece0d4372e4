import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { problemCodes } from '../../../../core/kernel/problem-codes.ts'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { waitUntil } from '../../../support/processes.ts'
import { createUniqueName } from '../../identity/people.ts'
import { buildKey, buildPublishedPassport, buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import { waitForJob, createSerial, formatVerdict } from '../../dpp/passports/fixtures.ts'

const unjudged = { skipsDocumentCheck: true }

describe('HTTP answers', function () {
  this.timeout(60_000)
  let shop: Shop
  let sheet: string
  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
  })

  describe('request id', () => {
    const idOf = async (given?: string) =>
      (
        await createApiClient().get('/v1/auth/session', {
          headers: given === undefined ? {} : { 'x-request-id': given },
        })
      ).headers['x-request-id']

    it('takes the id of the caller when it has 1 to 64 letters, digits, hyphens and underscores', async () => {
      for (const given of ['a', 'A-b_9', 'x'.repeat(64), randomUUID()]) expect(await idOf(given)).to.equal(given)
    })

    it('creates a new id otherwise', async () => {
      const ids = []
      for (const given of [undefined, '', 'x'.repeat(65), 'a b', 'a,b', 'ä', '<script>', 'a.b'])
        ids.push(await idOf(given))
      for (const id of ids) expect(id).to.match(/^[0-9a-f-]{36}$/)
      expect(new Set(ids).size).to.equal(ids.length)
    })

    it('stands on every route and in every problem', async () => {
      for (const path of [
        '/nowhere',
        '/health/live',
        '/health/ready',
        '/openapi.json',
        '/problems/NOT_FOUND',
        '/v1/applications',
        '/docs',
        '/claim',
        '/assets/tessera.css',
      ]) {
        const answer = await createApiClient().get(path, { ...unjudged, headers: { 'x-request-id': 'mine' } })
        expect(answer.headers['x-request-id'], path).to.equal('mine')
        expect(answer.headers['x-content-type-options'], path).to.equal('nosniff')
        if (String(answer.headers['content-type']).includes('problem+json'))
          expect(answer.body['requestId']).to.equal('mine')
      }
    })
  })

  describe('answers to state-changing requests', () => {
    it('lead to what was created or started', async () => {
      const made = [
        await shop.api.post('/v1/applications', { name: createUniqueName('Where') }),
        await shop.api.post('/v1/dpp/products', { application: shop.application, name: 'Where' }),
        await shop.api.post('/v1/dpp/passports', { product: sheet, fields: { serialNumber: createSerial() } }),
        await shop.api.post(`/v1/dpp/products/${sheet}/mint`, [{ serialNumber: createSerial() }]),
        await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${randomUUID()}`),
      ]
      expect(made.map(({ status }) => status)).to.deep.equal([201, 201, 201, 202, 202])
      for (const answer of made) {
        const there = await shop.api.get(String(answer.headers['location']))
        expect(there.status, String(answer.headers['location'])).to.equal(200)
        if (answer.status === 201) expect(there.body).to.deep.equal(answer.body)
        else expect(there.body['id']).to.equal(answer.body['jobId'])
      }
      await waitForJob(shop.api, String(made[3]?.headers['location']))
    })

    it('have no body, type and length with status 204', async () => {
      const { status, bytes, headers } = await createApiClient().post('/v1/auth/sign-out')
      expect([
        status,
        bytes.length,
        headers['content-type'],
        headers['content-length'],
        headers['transfer-encoding'],
      ]).to.deep.equal([204, 0, undefined, undefined, undefined])
    })

    it('show the deleted entity as it was', async () => {
      for (const [collection, body] of [
        ['/v1/applications', { name: 'Gone' }],
        ['/v1/dpp/products', { application: shop.application, name: 'Gone' }],
      ] as const) {
        const made = await shop.api.post(collection, body)
        const path = `${collection}/${made.body['id']}`
        const gone = await shop.api.delete(path)
        expect([gone.status, gone.text]).to.deep.equal([200, made.text])
        expect(formatVerdict(await shop.api.delete(path))).to.equal('404 NOT_FOUND')
      }
    })
  })

  describe('answers to HEAD', () => {
    it('are those to GET without their body', async () => {
      const { id } = await buildPublishedPassport(shop, sheet)
      for (const path of [
        `/v1/dpp/passports/${id}`,
        '/v1/dpp/passports',
        `/v1/dpp/passports/${randomUUID()}`,
        `/v1/dpp/passports/${id}/qr-code`,
        '/health/live',
        '/openapi.json',
        '/docs',
      ]) {
        const ask = (method: string) =>
          shop.api.send(method, path, undefined, { ...unjudged, headers: { 'x-request-id': 'same' } })
        const [get, head] = [await ask('GET'), await ask('HEAD')]
        expect([head.status, head.bytes.length], path).to.deep.equal([get.status, 0])
        expect(comparable(head), path).to.deep.equal(comparable(get))
      }
    })

    it('end at once for an event stream, which a client has to accept', async () => {
      const job = await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${randomUUID()}`)
      const answer = await shop.api.send('HEAD', `/v1/jobs/${job.body['jobId']}/sse`, undefined, unjudged)
      expect([answer.status, answer.headers['content-type']]).to.deep.equal([200, 'text/event-stream'])
      const headers = { accept: 'application/json' }
      expect(formatVerdict(await shop.api.get(`/v1/jobs/${job.body['jobId']}/sse`, { headers }))).to.equal(
        '406 NOT_ACCEPTABLE',
      )
    })
  })

  describe('answers for unknown routes', () => {
    it('are 404 for unknown addresses and for methods that an address does not have', async () => {
      for (const [method, path] of [
        ['POST', '/'],
        ['GET', '/v1'],
        ['GET', '/v2/applications'],
        ['GET', '/v1/nothing'],
        ['PUT', '/v1/applications'],
        ['POST', `/v1/applications/${randomUUID()}`],
        ['DELETE', '/v1/dpp/passports'],
        ['PATCH', '/health/live'],
        ['OPTIONS', '/v1/applications'],
        ['GET', '/v1/applications/'],
        ['GET', '/V1/applications'],
        ['POST', '/openapi.json'],
        ['GET', '/metrics'],
        ['TRACE', '/v1/applications'],
      ] as const) {
        const answer = await shop.api.send(method, path, undefined, unjudged)
        expect(formatVerdict(answer), `${method} ${path}`).to.equal('404 NOT_FOUND')
        expect(answer.headers['content-type']).to.equal('application/problem+json; charset=utf-8')
        expect(answer.body['instance']).to.equal(path)
      }
    })

    it('are 421 on every address of a host that nobody has proven', async () => {
      for (const path of ['/v1/applications', '/v1/nothing'])
        expect(
          formatVerdict(await shop.api.get(path, { ...unjudged, headers: { host: 'unproven.example' } })),
          path,
        ).to.equal('421 MISDIRECTED_REQUEST')
    })

    it('cannot be told from those of what is not there', async () => {
      const seen = await Promise.all(
        [`/v1/applications/${randomUUID()}`, `/v1/dpp/passports/${randomUUID()}`, '/v1/nothing'].map((path) =>
          createApiClient().get(path, unjudged),
        ),
      )
      const [first, ...others] = seen.map(({ body }) => ({ ...(body as object), instance: '', requestId: '' }))
      for (const other of others) expect(other).to.deep.equal(first)
    })
  })

  describe('answers of the HTTP server itself', () => {
    it('say that it lives and that it is ready', async () => {
      const live = await createApiClient().get('/health/live')
      expect([live.status, live.body]).to.deep.equal([200, { status: 'ok' }])
      let ready = await createApiClient().get('/health/ready')
      await waitUntil('it is ready', async () => {
        ready = await createApiClient().get('/health/ready')
        return ready.status === 200
      })
      expect([ready.status, ready.body, ready.headers['cache-control']]).to.deep.equal([
        200,
        { status: 'ok' },
        'no-store',
      ])
    })

    it('explain every code in a short page, where the type of a problem points', async () => {
      for (const [code, { title, meaning }] of Object.entries(problemCodes)) {
        const page = await createApiClient().get(`/problems/${code}`)
        expect([page.status, page.headers['content-type']]).to.deep.equal([200, 'text/html; charset=utf-8'])
        expect(page.text).to.contain(title).and.to.contain(code).and.to.contain(meaning.slice(0, 20))
        expect(page.headers['content-security-policy']).to.contain("default-src 'none'")
      }
      for (const none of ['NOTHING', 'constructor', '__proto__', 'not_found', '%3Cscript%3E']) {
        expect(formatVerdict(await createApiClient().get(`/problems/${none}`, unjudged)), none).to.equal(
          '404 NOT_FOUND',
        )
      }
      const refused = await createApiClient().get('/v1/applications')
      expect(refused.body['type']).to.equal(`${platform.api}/problems/AUTH_UNAUTHENTICATED`)
      expect((await createApiClient({}, '').get(String(refused.body['type']), unjudged)).status).to.equal(200)
    })

    it('show the document to every page, and only when it changed', async () => {
      const { status, headers } = await createApiClient().get('/openapi.json')
      expect([status, headers['access-control-allow-origin'], headers['cache-control']]).to.deep.equal([
        200,
        '*',
        'public, max-age=60',
      ])
      const again = await createApiClient().get('/openapi.json', {
        headers: { 'if-none-match': String(headers['etag']) },
      })
      expect([again.status, again.bytes.length, again.headers['etag']]).to.deep.equal([304, 0, headers['etag']])
    })
  })

  it('name the missing permission, and the scheme where a credential is missing', async () => {
    const weak = createApiClient((await buildKey(shop.organization, { dpp: ['read'] })).key)
    const refused = await weak.post('/v1/dpp/passports', { product: sheet })
    expect([formatVerdict(refused), refused.body['permission'], refused.body['instance']]).to.deep.equal([
      '403 AUTH_INSUFFICIENT_PERMISSIONS',
      { resource: 'dpp', action: 'create' },
      '/v1/dpp/passports',
    ])
    const unknown = await createApiClient().post('/v1/dpp/passports', { product: sheet })
    expect([formatVerdict(unknown), unknown.headers['www-authenticate']]).to.deep.equal([
      '401 AUTH_UNAUTHENTICATED',
      'Bearer',
    ])
  })
})

/** Fields of an answer that do not depend on when it was given. */
function comparable({ headers }: Answer): object {
  const { date: _date, connection: _connection, 'keep-alive': _alive, ...rest } = headers
  return rest
}
