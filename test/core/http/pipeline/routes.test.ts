import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { declareOperation, type RequestDetails } from '../../../../core/kernel/operation.ts'
import { boolean, integer, object, optional, string } from '../../../../core/kernel/schema.ts'
import { buyerCaller, memberCaller } from '../../../support/values/callers.ts'
import { waitUntil } from '../../../support/processes.ts'
import { serveRoutes, type ServedRoutes } from './routes.ts'

const document = { tag: 'Tests', summary: 'Read' }
const base = { method: 'GET', access: 'public', returns: { 200: object({}) }, document } as const
const id = '018f3f6e-7b1a-7c3d-9e2f-0123456789ab'

/** The details of the request that is handled. */
let details: RequestDetails | undefined
/** What the handler waits for. */
let held = Promise.resolve()

const operations = [
  declareOperation({ ...base, id: 'read_public_v1', path: '/v1/public' }).withReadHandler(async ({ request, work }) => {
    details = request
    // The signal exists from its first use.
    void request.signal
    await held
    expect(work.requestId).to.equal(request.id)
    return { id: request.id, address: request.address, target: request.target, credential: request.credential }
  }),
  declareOperation({ ...base, id: 'read_buyer_v1', path: '/v1/buyer', access: 'endUser' }).withReadHandler(
    async () => ({}),
  ),
  declareOperation({ ...base, id: 'read_page_v1', path: '/page', transport: { page: true } }).withReadHandler(
    async () => ({}),
  ),
  declareOperation({
    ...base,
    id: 'read_member_page_v1',
    path: '/member-page',
    access: 'member',
    transport: { page: 'member' },
  }).withReadHandler(async () => ({})),
  declareOperation({
    ...base,
    id: 'read_open_v1',
    path: '/v1/open/:id',
    access: { rule: 'public', isOpenToAllOrigins: true },
  }).withReadHandler(async ({ params }) => ({ params })),
  declareOperation({
    ...base,
    id: 'read_files_v1',
    path: '/v1/files/*rest',
    params: { rest: string('Any path.') },
  }).withReadHandler(async ({ params }) => ({ params })),
  declareOperation({
    ...base,
    id: 'read_query_v1',
    path: '/v1/query',
    query: { count: optional(integer('Any number.')), isReal: optional(boolean('Any.')) },
  }).withReadHandler(async ({ query }) => ({ ...query })),
  declareOperation({
    ...base,
    id: 'read_loose_query_v1',
    path: '/v1/loose',
    query: { count: optional(integer('Any number.')) },
    transport: { allowsUnknownQuery: true },
  }).withReadHandler(async ({ query }) => ({ ...query })),
  declareOperation({
    ...base,
    id: 'read_version_v1',
    path: '/v1/version',
    transport: { hasEtag: true },
  }).withReadHandler(async ({ precondition }) => {
    precondition({ version: 1 })
    return { version: 1 }
  }),
]

describe('Routes: what a request is given', () => {
  let served: ServedRoutes
  before(async () => {
    served = await serveRoutes(operations)
  })
  after(() => served.stop())
  beforeEach(() => {
    for (const seen of [served.preferredKinds, served.measurements, served.lines]) seen.length = 0
    held = Promise.resolve()
    details = undefined
  })

  const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const answer = await fetch(`${served.url}${path}`, { method, headers })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json')
    return { status: answer.status, headers: answer.headers, body: (isJson ? JSON.parse(text) : text) as never }
  }

  it('is the session of a buyer on the routes of buyers and on public pages, and else that of a member', async () => {
    const asBuyer = { 'x-api-key': JSON.stringify(buyerCaller) }
    const asMember = { 'x-api-key': JSON.stringify(memberCaller) }
    for (const [path, headers, kind] of [
      ['/v1/buyer', asBuyer, 'endUser'],
      ['/page', {}, 'endUser'],
      ['/member-page', asMember, 'member'],
      ['/v1/public', {}, 'member'],
    ] as const) {
      served.preferredKinds.length = 0
      expect((await get(path, headers)).status, path).to.equal(200)
      expect(served.preferredKinds, path).to.deep.equal([kind])
    }
    expect((await get('/v1/buyer', asMember)).status).to.equal(403)
  })

  it('is its own id, address, target and credential', async () => {
    const { headers, body } = await get('/v1/public', { 'x-request-id': 'my-request_1', 'x-credential': 'token' })
    expect(body).to.deep.equal({ id: 'my-request_1', address: '127.0.0.1', target: '/v1/public', credential: 'token' })
    expect(headers.get('x-request-id')).to.equal('my-request_1')
    expect(headers.get('x-content-type-options')).to.equal('nosniff')
    expect(headers.get('x-counted')).to.equal('127.0.0.1')
    for (const sent of ['a b', 'a'.repeat(65), 'a/b'])
      expect((await get('/v1/public', { 'x-request-id': sent })).headers.get('x-request-id'), sent).to.match(
        /^[0-9a-f-]{36}$/,
      )
    expect((await get('/v1/public?')).body).to.include({ target: '/v1/public' })
  })

  it('is a signal that is one and the same, and aborts when its client has gone', async () => {
    const release = Promise.withResolvers<void>()
    held = release.promise
    const client = connect(Number(new URL(served.url).port), '127.0.0.1')
    await once(client, 'connect')
    client.write('GET /v1/public HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    await waitUntil('the request is handled', () => details !== undefined)
    const signal = details?.signal
    expect(signal).to.be.instanceOf(AbortSignal)
    expect(details?.signal).to.equal(signal)
    expect(signal?.aborted).to.equal(false)
    client.destroy()
    await waitUntil('the signal aborts', () => signal?.aborted === true)
    release.resolve()
    await waitUntil('the request is over', () => served.measurements.length === 1)
  })

  it('is what its path and query say, in their types', async () => {
    expect((await get(`/v1/open/${id}`)).body).to.deep.equal({ params: { id } })
    expect((await get('/v1/open/other')).status).to.equal(400)
    expect((await get('/v1/files/a/b')).body).to.deep.equal({ params: { rest: 'a/b' } })
    expect((await get('/v1/query?count=5&isReal=true')).body).to.deep.equal({ count: 5, isReal: true })
    expect((await get('/v1/query?other=1')).status).to.equal(400)
    expect([(await get('/v1/loose?other=1&count=2')).status, (await get('/page?utm_source=x')).status]).to.deep.equal([
      200, 200,
    ])
  })

  it('is held to the version that it names', async () => {
    const { headers } = await get('/v1/version')
    const etag = headers.get('etag') ?? ''
    for (const [header, status] of [
      [etag, 200],
      [etag.replace(/"$/, '.br"'), 200],
      ['*', 200],
      ['"other"', 412],
      [`W/${etag}`, 412],
    ] as const)
      expect((await get('/v1/version', { 'if-match': header })).status, header).to.equal(status)
    expect((await get('/v1/version', { 'if-none-match': etag, 'accept-encoding': 'identity' })).status).to.equal(304)
    expect((await get('/v1/public', { 'if-none-match': '*' })).status).to.equal(200)
  })

  it('is measured and written in the log', async () => {
    await get('/v1/public')
    await get(`/v1/other/${'x'.repeat(10)}`, {}, 'POST')
    await get('/v1/open/other')
    await waitUntil('all are measured', () => served.measurements.length === 3)
    expect(served.measurements.map(({ operation, method, status }) => [operation, method, status])).to.deep.equal([
      ['read_public_v1', 'GET', 200],
      ['', 'POST', 404],
      ['read_open_v1', 'GET', 400],
    ])
    for (const { seconds } of served.measurements) expect(seconds).to.be.within(0, 60).and.not.equal(0)
    const lines = served.lines.filter(({ msg }) => msg === 'request')
    expect(lines.map(({ operation, path }) => [operation, path])).to.deep.equal([
      ['read_public_v1', undefined],
      ['', '/v1/other/xxxxxxxxxx'],
      ['read_open_v1', undefined],
    ])
    for (const { ms, requestId } of lines) {
      expect(Number.isInteger(ms)).to.equal(true)
      expect(requestId).to.match(/^[0-9a-f-]{36}$/)
    }
  })
})
