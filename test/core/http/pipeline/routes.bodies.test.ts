import { expect } from 'chai'
import type { WorkerThreadPool } from '../../../../core/http/apart/thread-pool.ts'
import { declareOperation, type OperationDeclaration } from '../../../../core/kernel/operation.ts'
import { textFilter } from '../../../../core/kernel/page.ts'
import { createProblem } from '../../../../core/kernel/problem.ts'
import { integer, list, object, optional, string, uuid } from '../../../../core/kernel/schema.ts'
import { keyCaller } from '../../../support/values/callers.ts'
import { serveRoutes, type ServedRoutes } from './routes.ts'

const text = object({ text: string('Any text.') })
const returns = { 200: object({}) }
const document = { tag: 'Tests', summary: 'Send' }
const base = { method: 'POST', access: 'public', body: text, returns, document } as const

const operations = [
  declareOperation({ ...base, id: 'send_v1', path: '/v1/send' }).withOutboundHandler(async ({ body }) => ({ body })),
  declareOperation({ ...base, id: 'change_v1', method: 'PATCH', path: '/v1/send' }).withOutboundHandler(
    async ({ body }) => ({ body }),
  ),
  declareOperation({
    ...base,
    id: 'send_400_v1',
    path: '/v1/send-400',
    transport: { invalidBodyStatus: 400 },
  }).withOutboundHandler(async ({ body }) => {
    if (body.text === 'refused') throw createProblem('VALIDATION_FAILED', 'No.', { path: 'text' })
    return { body }
  }),
  declareOperation({ ...base, id: 'send_form_v1', path: '/form', transport: { page: true } }).withOutboundHandler(
    async ({ body }) => ({ body }),
  ),
  declareOperation({
    ...base,
    id: 'send_default_v1',
    path: '/v1/default',
    body: object({ names: optional(list(string('Any name.'), 'Any names.')) }, { default: { names: [] } }),
  }).withOutboundHandler(async ({ body }) => {
    const before = JSON.stringify(body)
    body.names?.push('added')
    return { before }
  }),
  declareOperation({
    ...base,
    id: 'send_little_v1',
    path: '/v1/little',
    transport: { maxBodyBytes: 20 },
  }).withOutboundHandler(async ({ body }) => ({ body })),
  declareOperation({
    id: 'list_v1',
    method: 'GET',
    access: 'public',
    path: '/v1/list',
    list: { rowSchema: object({ id: uuid('Its id.') }), filters: { name: textFilter('eq') }, sorters: ['name'] },
    query: { size: optional(integer('Any size.')) },
    returns,
    document,
  }).withReadHandler(async ({ page, query }) => ({ page, query: { ...query } })),
  declareOperation({
    id: 'read_v1',
    method: 'GET',
    access: 'public',
    path: '/v1/read',
    returns,
    document,
  }).withReadHandler(async ({ page, body }) => ({ page, hasBody: body !== undefined })),
  declareOperation({
    ...base,
    id: 'start_v1',
    path: '/v1/start',
    access: 'signedIn',
    execution: { startsJobType: 'import' as never },
  }).withOutboundHandler(async ({ body }) => ({ body })),
  declareOperation({
    ...base,
    id: 'compute_v1',
    path: '/v1/compute',
    execution: { runsInThread: true },
  }).withOutboundHandler(async () => ({ here: true })),
]

describe('Routes: the bodies that they take', () => {
  let served: ServedRoutes
  let isRefused: boolean
  const tasks: string[] = []
  before(async () => {
    const workerThreads = {
      assertRoom: (owner: string) => {
        if (isRefused) throw createProblem('RATE_LIMITED', `No room for ${owner}.`)
      },
      runTask: async (operation: string, bytes: Buffer, owner: string) => {
        tasks.push(`${operation} ${bytes.toString()} ${owner}`)
        return { there: true }
      },
    } as unknown as WorkerThreadPool
    const queue = {
      assertNotRefusedRecently: (organization: string, jobType: string) => {
        if (isRefused) throw createProblem('RATE_LIMITED', `${jobType} of ${organization}`)
      },
    }
    served = await serveRoutes(operations, { queue, workerThreads })
  })
  after(() => served.stop())
  beforeEach(() => {
    isRefused = false
  })

  const send = async (
    path: string,
    body: string | undefined,
    headers: Record<string, string> = {},
    method = 'POST',
  ) => {
    const answer = await fetch(`${served.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body }),
    })
    const answered = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json')
    return { status: answer.status, body: (isJson ? JSON.parse(answered) : {}) as Record<string, never> }
  }
  const sent = { body: { text: 'a' } }
  const json = JSON.stringify(sent.body)
  const merge = { 'content-type': 'application/merge-patch+json' }
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin: 'http://localhost' }

  it('are JSON, a patch, or a form of our own pages', async () => {
    expect(await send('/v1/send', json)).to.deep.equal({ status: 200, body: sent })
    expect(await send('/v1/send', json, {}, 'PATCH')).to.deep.equal({ status: 200, body: sent })
    expect(await send('/v1/send', json, merge, 'PATCH')).to.deep.equal({ status: 200, body: sent })
    expect((await send('/v1/send', json, merge)).status).to.equal(415)
    expect(await send('/form', 'text=a', form)).to.deep.equal({ status: 200, body: sent })
    expect((await send('/form', json, { origin: form.origin })).status).to.equal(415)
    expect((await send('/form', 'text=a', { ...form, origin: 'https://foreign.example' })).status).to.equal(403)
  })

  it('have a code for what is wrong with them', async () => {
    for (const [path, body, status, code] of [
      ['/v1/send', '{"text":1}', 422, 'VALIDATION_FAILED'],
      ['/v1/send', '{}', 400, 'INVALID_REQUEST'],
      ['/v1/send', '{', 400, 'INVALID_JSON'],
      ['/v1/send', '', 400, 'INVALID_JSON'],
      ['/v1/send-400', '{"text":1}', 400, 'INVALID_REQUEST'],
      ['/v1/send-400', '{"text":"refused"}', 400, 'INVALID_REQUEST'],
      ['/v1/little', `{"text":"${'a'.repeat(20)}"}`, 413, 'PAYLOAD_TOO_LARGE'],
    ] as const) {
      const answer = await send(path, body)
      expect([answer.status, answer.body['code']], `${path} ${body}`).to.deep.equal([status, code])
    }
    expect(await send('/v1/send', JSON.stringify({ text: 'a'.repeat(2_000) }))).to.include({ status: 200 })
    for (const malformed of ['', '{'])
      expect((await send('/v1/send', malformed)).body['errors'], malformed).to.have.length(1)
    const { body } = await send('/v1/send-400', '{"text":"refused"}')
    expect([body['detail'], body['errors']]).to.deep.equal([
      'No.',
      [{ path: 'text', code: 'validation_failed', message: 'No.' }],
    ])
  })

  it('are the default where nothing is sent, which no handler changes for the next', async () => {
    for (let round = 0; round < 2; round++)
      expect((await send('/v1/default', '')).body).to.deep.equal({ before: '{"names":[]}' })
    expect((await send('/v1/default', '{"names":["a"]}')).body).to.deep.equal({ before: '{"names":["a"]}' })
    expect((await send('/v1/default', '{"names":1}')).status).to.equal(422)
  })

  it('are none on a route that reads, which may have a page', async () => {
    const listed = await send('/v1/list?pageSize=5&size=3&filters[name][eq]=a', undefined, {}, 'GET')
    expect(listed.body['query']).to.deep.equal({ size: 3 })
    expect(listed.body['page']).to.include({ pageSize: 5, currentPage: 1, isPageExplicit: true })
    const read = await send('/v1/read', undefined, {}, 'GET')
    expect(read.body).to.include({ hasBody: false })
    for (const path of ['/v1/read?pageSize=5', '/v1/list?other=1', '/v1/list?pageSize=0'])
      expect((await send(path, undefined, {}, 'GET')).status, path).to.equal(400)
  })

  it('are not read for a credential that is refused', async () => {
    const { status, body } = await send('/v1/send', '{', { 'x-refused': 'yes' })
    expect([status, body['code']]).to.deep.equal([401, 'AUTH_INVALID_API_KEY'])
  })

  it('are not read where a job of the caller was refused a moment ago, unless its key may have an answer', async () => {
    const headers = { 'x-api-key': JSON.stringify(keyCaller) }
    expect((await send('/v1/start', json, headers)).status).to.equal(200)
    isRefused = true
    const { status, body } = await send('/v1/start', '{', headers)
    expect([status, body['detail']]).to.deep.equal([429, 'import of o'])
    expect((await send('/v1/start', '{', { ...headers, 'idempotency-key': 'k' })).status).to.equal(400)
    expect((await send('/v1/send', json, headers)).status).to.equal(200)
  })

  it('go to a thread as they are, if there is room', async () => {
    tasks.length = 0
    expect(await send('/v1/compute', '{ "other": 1 }')).to.deep.equal({ status: 200, body: { there: true } })
    expect(tasks).to.deep.equal(['compute_v1 { "other": 1 } network 127.0.0.1'])
    isRefused = true
    const { status, body } = await send('/v1/compute', '{')
    expect([status, body['detail']]).to.deep.equal([429, 'No room for network 127.0.0.1.'])
    expect(tasks).to.have.length(1)
  })
})

describe('Operations: how they are declared', () => {
  it('have an access rule, and empty groups for what they leave out', () => {
    const { declaration } = operations[0] as { declaration: OperationDeclaration }
    expect([declaration.access, declaration.transport, declaration.execution]).to.deep.equal([
      { rule: 'public' },
      {},
      {},
    ])
    expect(operations.map(({ mode }) => mode)).to.include.members(['perform', 'read'])
  })
})
