import { expect } from 'chai'
import {
  startBareSession,
  postJsonRpc,
  sendRawRequest,
  defaultHeaders,
  type RawAnswer,
} from '../../support/bridge/bridge-client.ts'
import {
  startTestBridge,
  FixtureApi,
  parseRecordedBody,
  sendProblem,
  sendReply,
  type TestBridge,
} from '../../support/bridge/bridge-fixture.ts'
import {
  createEnvelope,
  sendModernRequest,
  createModernHeaders,
  dropUndefined,
} from '../../support/bridge/modern-client.ts'
import { defaultSessionLimits } from '../../../bridge/shared/session-cache.ts'

type Params = Record<string, unknown>

const png = Buffer.from('89504e470d0a1a0a0000000d', 'hex')
const rows = `serial,name\n${'1,wïdget\n'.repeat(40_000)}`

const times = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:01Z' }
const counts = { total: 1, completed: 0, failed: 0 }
const job = { id: 'j2', type: 'mint', status: 'pending', ...counts, result: null, errors: [], ...times }
const widget = '7c0f5a3e-1b1b-4b8e-9b6a-0a2f0c6f4c11'

/** Every kind of answer of the API, by the text the tool is given. */
const statuses = [401, 403, 404, 409, 422, 429, 500]

function answers(api: FixtureApi): void {
  api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, { value: 'ä "b"', list: [1.5, null, {}] }))
  api.setHandler('POST /v1/check', (_, response) => sendReply(response, 200, [1, 2]))
  api.setHandler('POST /v1/draw', (_, response) => sendReply(response, 200, png, { 'content-type': 'image/png' }))
  api.setHandler('POST /v1/pack', (_, response) => sendReply(response, 200, png, { 'content-type': 'application/zip' }))
  api.setHandler('POST /v1/table', (_, response) => sendReply(response, 200, rows, { 'content-type': 'text/csv' }))
  api.setHandler('POST /v1/forget', (_, response) => void response.writeHead(204).end())
  api.setHandler('POST /v1/note', (_, response) => sendReply(response, 200, '{"half":'))
  api.setHandler('POST /v1/upload', (_, response) =>
    sendReply(response, 200, 'plain', { 'content-type': 'text/plain' }),
  )
  api.setHandler('POST /v1/widgets/publish', (_, response) => started('j1', response))
  api.setHandler(`POST /v1/widgets/${widget}/mint`, (_, response) => started('j2', response))
  api.setHandler('GET /v1/jobs/j2', (_, response) => sendReply(response, 200, job))
  api.setHandler('GET /v1/widgets', (_, response) =>
    sendReply(response, 200, { data: [{ text: 'x'.repeat(300 * 1024) }], total: 1 }),
  )
  api.setHandler('GET /v1/widgets/image/image', (_, response) =>
    sendReply(response, 200, png, { 'content-type': 'image/png' }),
  )
  api.setHandler('GET /v1/widgets/rows/log', (_, response) =>
    sendReply(response, 200, rows, { 'content-type': 'text/csv' }),
  )
  api.setHandler('POST /v1/refuse', (seen, response) =>
    refuseAs(Number((parseRecordedBody(seen) as Params)['as']), response),
  )
  for (const status of statuses)
    api.setHandler(`GET /v1/widgets/${status}`, (_, response) => refuseAs(status, response))
}

const started = (jobId: string, response: Parameters<typeof sendReply>[0]) =>
  sendReply(response, 202, { jobId }, { location: `/v1/jobs/${jobId}` })

const refuseAs = (status: number, response: Parameters<typeof sendProblem>[0]) =>
  sendProblem(
    response,
    status,
    { code: `CODE_${status}`, detail: 'Not so.' },
    status === 429 ? { 'retry-after': '7' } : {},
  )

const call = (name: unknown, args?: unknown) =>
  ['tools/call', { name, ...(args !== undefined && { arguments: args }) }] as const
const prompt = { type: 'ref/prompt' }
const argument = { name: 'size', value: '' }
const read = (uri: unknown) => ['resources/read', { uri }] as const

/** Methods with parameters: good, wrong, unknown, and each answer of the API. */
function requests(api: string): (readonly [string, Params])[] {
  return [
    ...['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'].flatMap(
      (method) =>
        [
          [method, {}],
          [method, { cursor: 'x' }],
          [method, { extra: 1 }],
        ] as const,
    ),
    call('echo', { value: 'x' }),
    call('echo', { value: 7, other: null }),
    call('echo', []),
    call('echo'),
    call('check', { some: 'credential' }),
    call('draw'),
    call('pack'),
    call('table'),
    call('forget'),
    call('note', { body: 'x' }),
    call('upload', { body: 'eA==' }),
    call('publish_widgets', { filters: [] }),
    ...statuses.map((status) => call('refuse', { as: String(status) })),
    call('nothing'),
    call(undefined),
    call(7),
    read(`${api}/v1/widgets`),
    read(`${api}/v1/widgets/image/image`),
    read(`${api}/v1/widgets/rows/log`),
    read(`${api}/v1/widgets/rows/log#bytes=5-9`),
    read(`${api}/openapi.json#/components/schemas/Part`),
    ...statuses.map((status) => read(`${api}/v1/widgets/${status}`)),
    read(`${api}/nowhere`),
    read('https://elsewhere.example/x'),
    read(7),
    ['prompts/get', { name: 'prepare_demo_environment', arguments: { scenario: 'passport', runId: 'r1' } }],
    ['prompts/get', { name: 'prepare_demo_environment', arguments: { scenario: 'nothing' } }],
    ['prompts/get', { name: 'nothing' }],
    ['completion/complete', { ref: { ...prompt, name: 'prepare_demo_environment' }, argument }],
    ['completion/complete', { ref: { ...prompt, name: 'nothing' }, argument }],
    ['completion/complete', {}],
    ['no/such/method', {}],
  ]
}

interface Unusual {
  readonly headers?: Record<string, string | undefined>
  readonly [member: string]: unknown
}

const meta = (more: object) => ({ params: { _meta: { ...createEnvelope(), ...more } } })
const capable = (capabilities: unknown) => meta({ 'io.modelcontextprotocol/clientCapabilities': capabilities })
const client = (info: unknown) => meta({ 'io.modelcontextprotocol/clientInfo': info })
const named = { name: 'c', version: '1' }
const drawn = { method: 'tools/call', params: { name: 'draw', _meta: createEnvelope() } }
const drawAs = (name: string | undefined) => ({ ...drawn, headers: { 'mcp-method': 'tools/call', 'mcp-name': name } })

const unusual: Record<string, Unusual> = {
  'another member': { more: 1 },
  'another version of JSON-RPC': { jsonrpc: '1.0' },
  'no id': { id: undefined },
  'the id null': { id: null },
  'an id that is no whole number': { id: 1.5 },
  'an id that is too large': { id: 2 ** 60 },
  'no method': { method: undefined },
  'a result': { method: undefined, result: {} },
  'parameters that are no object': { params: [] },
  'no parameters': { params: undefined },
  'no _meta': { params: {} },
  'a _meta that is no object': { params: { _meta: 'x' } },
  'no capabilities': capable(undefined),
  'no version': meta({ 'io.modelcontextprotocol/protocolVersion': undefined }),
  'a version that is no text': meta({ 'io.modelcontextprotocol/protocolVersion': 7 }),
  'a version of the other era': meta({ 'io.modelcontextprotocol/protocolVersion': '2025-11-25' }),
  'a version that there is not': {
    ...meta({ 'io.modelcontextprotocol/protocolVersion': 'v999.0.0' }),
    headers: { 'mcp-protocol-version': 'v999.0.0' },
  },
  'another version in the header': { headers: { 'mcp-protocol-version': '2099-01-01' } },
  'an older version in the header': { headers: { 'mcp-protocol-version': '2025-11-25' } },
  'no version in the headers': { headers: { 'mcp-protocol-version': undefined } },
  'no Mcp-Method': { headers: { 'mcp-method': undefined } },
  'another Mcp-Method': { headers: { 'mcp-method': 'tools/call' } },
  'an Mcp-Method in another case': { headers: { 'mcp-method': 'Tools/List' } },
  'blanks around a header': { headers: { 'mcp-method': '  tools/list\t' } },
  'an Mcp-Name that nobody needs': { headers: { 'mcp-name': 'x' } },
  'no Mcp-Name': drawAs(undefined),
  'another Mcp-Name': drawAs('echo'),
  'an encoded Mcp-Name': drawAs('=?base64?ZHJhdw==?='),
  'an Mcp-Name that is not canonical base64': drawAs('=?base64?ZHJhdw?='),
  'an Mcp-Name of other base64': drawAs('=?base64?ZHJhdx==?='),
  'an Mcp-Name of bytes that are no text': drawAs('=?base64?/w==?='),
  'an Mcp-Name of markers only': drawAs('=?base64?='),
  'an Mcp-Name of a name that is no text': { ...drawAs('7'), params: { name: 7, _meta: createEnvelope() } },
  'capabilities that are no object': capable([]),
  'unknown capabilities': capable({ telepathy: 7, tasks: 'x' }),
  'every capability': capable({
    experimental: { x: {} },
    sampling: { context: {}, tools: {} },
    elicitation: { form: { applyDefaults: true }, url: {} },
    roots: { listChanged: false },
    extensions: { 'example.com/x': { y: [1] } },
  }),
  'an experiment that is no object': capable({ experimental: { x: 1 } }),
  'sampling that is no object': capable({ sampling: true }),
  'sampling with tools that are no object': capable({ sampling: { tools: [] } }),
  'elicitation that is no object': capable({ elicitation: [] }),
  'a form that is no object': capable({ elicitation: { form: 1 } }),
  'defaults of a form that are no boolean': capable({ elicitation: { form: { applyDefaults: 'yes' } } }),
  'roots that are null': capable({ roots: null }),
  'roots that change maybe': capable({ roots: { listChanged: 'maybe' } }),
  'an extension that is no object': capable({ extensions: { x: null } }),
  'a client with a name': client(named),
  'a client without a version': client({ name: 'c' }),
  'a client with everything': client({
    ...named,
    title: 'C',
    websiteUrl: 'https://c.example',
    description: 'D',
    icons: [{ src: 'i', mimeType: 'x', sizes: ['1x1'], theme: 'dark' }],
  }),
  'a client with a title that is no text': client({ ...named, title: 1 }),
  'a client with icons that are no list': client({ ...named, icons: {} }),
  'a client with an icon of no theme': client({ ...named, icons: [{ src: 'i', theme: 'pink' }] }),
  'a level of the log': meta({ 'io.modelcontextprotocol/logLevel': 'debug' }),
  'a level that there is not': meta({ 'io.modelcontextprotocol/logLevel': 'loud' }),
  'a token of text': meta({ progressToken: 't' }),
  'a token that is no whole number': meta({ progressToken: 0.5 }),
  'a task it belongs to': meta({ 'io.modelcontextprotocol/related-task': { taskId: 't' } }),
  'a task without an id': meta({ 'io.modelcontextprotocol/related-task': {} }),
  'another key': meta({ 'example.com/x': 1 }),
  ...Object.fromEntries(
    [
      'initialize',
      'ping',
      'logging/setLevel',
      'resources/subscribe',
      'tasks/list',
      'tasks/result',
      'subscriptions/listen',
      '__proto__',
    ].map((method) => [`the method ${method}`, { method, headers: { 'mcp-method': method } }]),
  ),
  'a notification': {
    id: undefined,
    method: 'notifications/cancelled',
    headers: { 'mcp-method': 'notifications/cancelled' },
  },
}

/** Of one connection, of one moment, or of one session; and the advice not to hold back what is there as a whole. */
const ownHeaders = ['date', 'connection', 'content-length', 'transfer-encoding', 'mcp-session-id', 'x-accel-buffering']

/** What a client sees of an answer beside its body, without what no two answers have in common. */
const seen = ({ status, headers }: RawAnswer) => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.includes(name))),
})

/** Where two texts part, with a little around it; null where they are the same. */
function parting(one: string, other: string): string[] | null {
  if (one === other) return null
  let at = 0
  while (one[at] === other[at]) at++
  return [one, other].map((text) => text.slice(Math.max(0, at - 60), at + 120))
}

/** The address of a kept answer is drawn anew for each. */
const hideKeptId = (text: string) => text.replaceAll(/(?<=tessera:\/\/answers\/)\d+-[\w-]{22}/g, 'kept')

/** What requests of a session say of themselves. */
const metas = [{}, { progressToken: 7 }, { progressToken: 0.5 }, { more: 1 }, 'x', null]

describe('Bridge: answers compared with those of the MCP SDK', () => {
  const api = new FixtureApi()
  let quick: TestBridge
  let whole: TestBridge

  before(async () => {
    answers(api)
    const url = await api.start()
    quick = await startTestBridge(url)
    whole = await startTestBridge(url, {}, { ...defaultSessionLimits, bypassSdk: false })
    await Promise.all([quick.ready, whole.ready])
  })
  after(async () => {
    await Promise.all([quick.stop(), whole.stop()])
    await api.stop()
  })

  async function demandSame(what: string, send: (bridge: TestBridge) => Promise<RawAnswer>): Promise<void> {
    const [one, other] = [await send(quick), await send(whole)]
    expect(parting(hideKeptId(one.text), hideKeptId(other.text)), what).to.equal(null)
    expect(seen(one), what).to.deep.equal(seen(other))
  }

  it('keeps JSON as the API wrote it', async () => {
    const body = ' {"2":1,"1":[1.50,1e2,9007199254740993], "value":"\\u00e4"}\n'
    api.setHandler('POST /v1/wait', (_, response) => sendReply(response, 200, body))
    const answer = await sendModernRequest(quick.url, ...call('wait'))
    expect(answer.text).to.contain(`"structuredContent":${body}`)
    expect(JSON.parse(answer.text)).to.deep.equal(
      JSON.parse((await sendModernRequest(whole.url, ...call('wait'))).text),
    )
  })

  it('are the same in revision 2026-07-28, for every method', async () => {
    for (const [method, params] of requests(api.url)) {
      for (const id of [7, 'a "b"'])
        await demandSame(`${method} ${JSON.stringify(params)}`, ({ url }) =>
          sendModernRequest(url, method, params, { id }),
        )
    }
  })

  for (const old of ['2025-11-25', '2025-06-18', '2025-03-26']) {
    it(`are the same in revision ${old}, for every method`, async () => {
      const sessions = new Map<TestBridge, Record<string, string>>()
      for (const bridge of [quick, whole]) sessions.set(bridge, (await startBareSession(bridge.url, old)).headers)
      const withMeta = requests(api.url)
        .slice(0, 20)
        .flatMap(([method, params]) => metas.map((_meta) => [method, { ...params, _meta }] as const))
      for (const [method, params] of [...requests(api.url), ...(old === '2025-11-25' ? withMeta : [])]) {
        const message = { jsonrpc: '2.0', id: 'a "b"', method, params }
        await demandSame(`${method} ${JSON.stringify(params)}`, (bridge) =>
          postJsonRpc(bridge.url, message, sessions.get(bridge)),
        )
      }
    })
  }

  it('are the same in revision 2026-07-28, for clients with elicitation and tasks', async () => {
    const deleting = { name: 'delete_widget', arguments: { id: 'x' } }
    const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    for (const [[method, params], capabilities] of [
      [call('delete_widget', { id: 'x' }), { elicitation: {} }],
      [call('delete_widget', { id: 7 }), { elicitation: {} }],
      [['tools/call', { ...deleting, requestState: 'v1.x.y', inputResponses: {} }], { elicitation: {} }],
      [['tools/call', { ...deleting, inputResponses: null }], { elicitation: {} }],
      [call('mint_widget', { id: widget, items: [{ serial: '1' }] }), tasks],
      [['tasks/get', { taskId: 'x' }], tasks],
      [['tasks/get', { taskId: 'x' }], {}],
      [['tasks/cancel', {}], tasks],
    ] as const)
      await demandSame(`${method} ${JSON.stringify(params)}`, async ({ url }) => {
        const answer = await sendModernRequest(url, method, params, { capabilities })
        // Sealed by each for itself.
        return { ...answer, text: answer.text.replaceAll(/"(requestState|taskId)":"[^"]+"/g, '"$1":"…"') }
      })
  })

  it('are the same in revision 2026-07-28, for malformed and unusual requests', async () => {
    for (const [what, { headers, ...members }] of Object.entries(unusual)) {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: createEnvelope() }, ...members }
      const given = dropUndefined({ ...defaultHeaders, ...createModernHeaders('tools/list'), ...headers })
      await demandSame(what, ({ url }) => sendRawRequest(url, { headers: given, body: JSON.stringify(message) }))
    }
  })
})
