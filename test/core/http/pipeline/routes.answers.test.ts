import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import type { HealthReport } from '../../../../core/http/serve/system.ts'
import { declareOperation } from '../../../../core/kernel/operation.ts'
import { object, Type, type TSchema } from '../../../../core/kernel/schema.ts'
import { serveRoutes, type ServedRoutes } from './routes.ts'

const base = {
  method: 'GET',
  access: 'public',
  returns: { 200: object({}) },
  document: { tag: 'Tests', summary: 'Read' },
} as const
const operations = [
  declareOperation({ ...base, id: 'read_thing_v1', path: '/v1/things' }).withReadHandler(async () => ({})),
  declareOperation({
    ...base,
    id: 'read_open_v1',
    path: '/v1/open',
    access: { rule: 'public', isOpenToAllOrigins: true },
  }).withReadHandler(async () => ({})),
  declareOperation({ ...base, id: 'read_page_v1', path: '/page', transport: { page: true } }).withReadHandler(
    async () => {
      throw new Error('failed')
    },
  ),
]

describe('Routes: what is answered around them', () => {
  let served: ServedRoutes
  before(async () => {
    served = await serveRoutes(operations)
  })
  after(() => served.stop())

  const send = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const answer = await fetch(`${served.url}${path}`, { method, headers })
    return { status: answer.status, body: await answer.text(), get: (name: string) => answer.headers.get(name) }
  }

  it('is the health of the platform, with 503 only if it is down, and never stored', async () => {
    const reports: [HealthReport, number][] = [
      [{ status: 'ok' }, 200],
      [{ status: 'degraded', parts: ['redis'] }, 200],
      [{ status: 'down', parts: ['postgresql'] }, 503],
    ]
    for (const [report, status] of reports) {
      served.setHealth(report)
      const answer = await send('/health/ready')
      expect([answer.status, JSON.parse(answer.body), answer.get('cache-control')]).to.deep.equal([
        status,
        report,
        'no-store',
      ])
    }
    expect(JSON.parse((await send('/health/live')).body)).to.deep.equal({ status: 'ok' })
  })

  it('is the page of a code, and none of an unknown one', async () => {
    const page = await send('/problems/NOT_FOUND')
    expect([page.status, page.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8'])
    expect(page.get('content-security-policy')).to.contain("default-src 'none'")
    expect(page.body).to.contain('<code>NOT_FOUND</code>')
    expect((await send('/problems/OTHER')).status).to.equal(404)
  })

  it('is a problem as a page where a page was asked for, and else as JSON', async () => {
    const page = await send('/page')
    expect([page.status, page.get('content-type')]).to.deep.equal([500, 'text/html; charset=utf-8'])
    const other = await send('/v1/other')
    expect([other.status, other.get('content-type')]).to.deep.equal([404, 'application/problem+json; charset=utf-8'])
    expect(JSON.parse(other.body)).to.include({ type: 'http://localhost/problems/NOT_FOUND', instance: '/v1/other' })
  })

  const preflight = { 'access-control-request-method': 'GET' }

  it('is what a page of a proven domain may send and read', async () => {
    const origin = 'https://friend.example'
    const allowed = await send('/v1/things', { origin, ...preflight }, 'OPTIONS')
    expect([allowed.status, allowed.body]).to.deep.equal([204, ''])
    expect(allowed.get('access-control-allow-origin')).to.equal(origin)
    expect(allowed.get('access-control-allow-methods')).to.equal('GET, POST, PATCH, PUT, DELETE')
    expect(allowed.get('access-control-allow-headers')).to.contain('Authorization, Content-Type, Idempotency-Key')
    expect(allowed.get('access-control-max-age')).to.equal('600')
    expect(allowed.get('vary')).to.contain('Origin')
    const read = await send('/v1/things', { origin })
    expect([read.status, read.get('access-control-allow-origin')]).to.deep.equal([200, origin])
    expect(read.get('access-control-expose-headers')).to.contain('Retry-After')
    expect(read.get('access-control-allow-methods')).to.equal(null)
    expect(read.get('access-control-allow-credentials')).to.equal(null)
  })

  it('tells pages of other domains nothing, not even which routes there are', async () => {
    const origin = 'https://foreign.example'
    for (const path of ['/v1/things', '/v1/other']) {
      const refused = await send(path, { origin, ...preflight }, 'OPTIONS')
      expect([refused.status, refused.get('access-control-allow-origin')], path).to.deep.equal([204, null])
    }
    const read = await send('/v1/things', { origin })
    expect([read.status, read.get('access-control-allow-origin')]).to.deep.equal([200, null])
    expect(read.get('vary')).to.contain('Origin')
    expect((await send('/v1/things', {})).get('vary') ?? '').not.to.contain('Origin')
    // Without an origin or a method it is no preflight.
    expect((await send('/v1/things', preflight, 'OPTIONS')).status).to.equal(404)
    expect((await send('/v1/things', { origin }, 'OPTIONS')).status).to.equal(404)
  })

  it('lets every page read an open route, and its problems', async () => {
    const read = await send('/v1/open', { origin: 'https://foreign.example' })
    expect([read.status, read.get('access-control-allow-origin')]).to.deep.equal([200, '*'])
    const problem = await send('/v1/open?other=1')
    expect([problem.status, problem.get('access-control-allow-origin')]).to.deep.equal([400, '*'])
    expect(problem.get('access-control-expose-headers')).to.contain('X-Request-Id')
    expect((await send('/v1/things')).get('access-control-allow-origin')).to.equal(null)
    const options = await send('/v1/open', { origin: 'https://foreign.example', ...preflight }, 'OPTIONS')
    expect([options.status, options.get('allow'), options.get('access-control-allow-methods')]).to.deep.equal([
      204,
      'GET, HEAD, OPTIONS',
      'GET, HEAD',
    ])
  })

  it('is only sent when the rest of the body that was refused has come', async () => {
    const client = connect(Number(new URL(served.url).port), '127.0.0.1')
    await once(client, 'connect')
    client.write('POST /v1/other HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\n\r\nab')
    client.write('cd')
    client.write('GET /v1/things HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n')
    const answers = await text(client)
    expect(answers.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 404', 'HTTP/1.1 200'])
  })

  it('closes a connection whose Host is missing', async () => {
    const client = connect(Number(new URL(served.url).port), '127.0.0.1')
    await once(client, 'connect')
    client.write('GET /v1/things HTTP/1.1\r\n\r\n')
    const answer = await text(client)
    expect(answer)
      .to.match(/^HTTP\/1\.1 400 /)
      .and.to.match(/\r\nConnection: close\r\n/i)
  })
})

describe('Routes: their validators', () => {
  it('are compiled in advance, each in a turn of its own, or with the first request', async () => {
    const broken = declareOperation({
      ...base,
      id: 'read_broken_v1',
      path: '/v1/broken',
      query: { a: Type.Unsafe<string>({ type: 'string', unknownWord: 1 } as unknown as TSchema) },
    }).withReadHandler(async () => ({}))
    const served = await serveRoutes([...operations, broken])
    const compiled = await served.app.compileRoutes().catch((error: Error) => error.message)
    expect(compiled).to.contain('unknownWord')
    expect((await fetch(`${served.url}/v1/things`)).status).to.equal(200)
    expect((await fetch(`${served.url}/v1/broken`)).status).to.equal(500)
    await served.stop()
  })
})
