import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import {
  callMcpTool,
  connectClient,
  getResultText,
  parseMessages,
  postJsonRpc,
  startBareSession,
} from '../../support/bridge/bridge-client.ts'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'
import {
  getRecordedHeader,
  parseRecordedBody,
  sendProblem,
  sendReply,
  startTestBridge,
  useFixtureBridge,
  type RecordedRequest,
} from '../../support/bridge/bridge-fixture.ts'
import { parseResult, sendModernRequest } from '../../support/bridge/modern-client.ts'

const caller = { 'x-api-key': 'one' }
const widget = { name: 'W', status: 'draft', fields: { a: 1, b: { c: [1, 2], d: null } } }
const reorderedWidget = { fields: { b: { d: null, c: [1, 2] }, a: 1 }, status: 'draft', name: 'W' }

const getKey = (seen: RecordedRequest) => getRecordedHeader(seen, 'idempotency-key')
const getWindow = (seen: RecordedRequest) => getRecordedHeader(seen, 'idempotency-window')

/** The document of the fixture, with a dry run, the header of the key, and a member named `again`, each for one tool. */
function createDocument() {
  const document = createBridgeDocument()
  const mint = document.paths['/v1/widgets/{id}/mint'] as { post: { parameters: unknown[] } }
  mint.post.parameters.push({ name: 'dryRun', in: 'query', schema: { type: 'boolean' } })
  const wait = document.paths['/v1/wait'] as { post: { parameters?: unknown[] } }
  wait.post.parameters = [{ name: 'idempotency-key', in: 'header', schema: { type: 'string' } }]
  const refuse = document.paths['/v1/refuse'] as {
    post: { requestBody: { content: Record<string, { schema: { properties: Record<string, unknown> } }> } }
  }
  refuse.post.requestBody.content['application/json']!.schema.properties['again'] = { type: 'string' }
  const check = document.paths['/v1/check'] as { post: { 'x-mcp-hints': object } }
  check.post['x-mcp-hints'] = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
  return document
}

describe('Bridge: the key of a write', () => {
  const { api, bridge } = useFixtureBridge()
  api.document = createDocument()
  const widgetId = '018f0000-0000-7000-8000-000000000001'
  const units = { id: widgetId, items: [{ serial: 's' }] }

  before(() => {
    api.setHandler('POST /v1/widgets', (_, response) => sendReply(response, 201, { id: widgetId, name: 'W' }))
    api.setHandler('PATCH /v1/widgets/x', (_, response) => sendReply(response, 200, { id: widgetId, name: 'W' }))
    api.setHandler('GET /v1/widgets', (_, response) => sendReply(response, 200, { data: [], total: 0 }))
    api.setHandler('POST /v1/check', (_, response) => sendReply(response, 200, [1]))
    api.setHandler(`POST /v1/widgets/${widgetId}/mint`, (_, response) => sendReply(response, 200, {}))
    for (const name of ['wait', 'refuse', 'echo'])
      api.setHandler(`POST /v1/${name}`, (_, response) => sendReply(response, 200, { ok: true }))
  })
  beforeEach(() => api.clearRecords())
  afterEach(() => expect(api.complaints).to.deep.equal([]))

  /** Calls a tool in a new session and returns the request that the API received. */
  async function recordCall(
    name: string,
    args: Record<string, unknown>,
    headers: Record<string, string> = caller,
    url = bridge.url,
  ): Promise<RecordedRequest> {
    const client = await connectClient(url, headers)
    try {
      const result = await callMcpTool(client, name, args)
      expect(result.isError, getResultText(result)).to.equal(undefined)
      return api.lastRequest
    } finally {
      await client.close()
    }
  }

  it('is the same for the same call: in any order of members, in each session, era and process', async () => {
    const seen = [await recordCall('create_widget', widget), await recordCall('create_widget', reorderedWidget)]
    await sendModernRequest(bridge.url, 'tools/call', { name: 'create_widget', arguments: widget }, { headers: caller })
    seen.push(api.lastRequest)
    const other = await startTestBridge(api.url)
    await other.ready
    seen.push(await recordCall('create_widget', widget, caller, other.url))
    await other.stop()
    expect(new Set(seen.map(getKey))).to.have.lengthOf(1)
    expect(new Set(seen.map(({ body }) => body.toString()))).to.have.lengthOf(1)
    expect(getKey(seen[0]!)).to.match(/^mcp-[\w-]{43}$/)
    expect(seen.map(getWindow)).to.deep.equal(['600', '600', '600', '600'])
    expect(parseRecordedBody(seen[1]!)).to.deep.equal(widget)
  })

  it('is another one for another caller, tool or argument', async () => {
    const seen = [
      await recordCall('create_widget', widget),
      await recordCall('create_widget', widget, { 'x-api-key': 'two' }),
      await recordCall('create_widget', widget, { authorization: 'one' }),
      await recordCall('create_widget', { ...widget, name: 'V' }),
      await recordCall('create_widget', { ...widget, fields: { a: 1, b: { c: [2, 1], d: null } } }),
      await recordCall('wait', {}),
      await recordCall('echo', { value: 'x' }),
      await recordCall('refuse', { as: 'x' }),
    ]
    expect(new Set(seen.map(getKey)))
      .to.have.lengthOf(seen.length)
      .and.not.include(null)
  })

  it('is absent from reads, from what may be wanted twice, from dry runs and from calls of nobody', async () => {
    const client = await connectClient(bridge.url, caller)
    await client.readResource({ uri: `${api.url}/v1/widgets` })
    const seen = [
      api.lastRequest,
      await recordCall('check', { body: {} }),
      await recordCall('update_widget', { id_path: 'x', name: 'V' }),
      await recordCall('mint_widget', { ...units, dryRun: true }),
      await recordCall('create_widget', widget, {}),
    ]
    await client.close()
    expect(seen.map(getKey)).to.deep.equal(seen.map(() => null))
    expect(seen.map(getWindow)).to.deep.equal(seen.map(() => null))
    expect(getKey(await recordCall('mint_widget', { ...units, dryRun: false }))).to.be.a('string')
  })

  it('is the caller’s own if it came along, for each change and no read', async () => {
    for (const own of [
      { 'idempotency-key': 'mine' },
      { 'idempotency-key': 'mine', 'idempotency-window': '60' },
    ] as Record<string, string>[]) {
      for (const [name, args] of [
        ['create_widget', widget],
        ['update_widget', { id_path: 'x', name: 'V' }],
      ] as const) {
        const seen = await recordCall(name, args, { ...caller, ...own })
        expect([getKey(seen), getWindow(seen)]).to.deep.equal(['mine', own['idempotency-window'] ?? null])
      }
      expect(getKey(await recordCall('check', { body: {} }, { ...caller, ...own }))).to.equal(null)
    }
    const { headers } = await startBareSession(bridge.url, '2025-11-25', caller)
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait', arguments: {} } }
    const twice = { ...headers, 'idempotency-key': ['a', 'b'] }
    expect((await postJsonRpc(bridge.url, call, twice)).status).to.equal(400)
  })

  it('is a new one with again: true, which is not sent', async () => {
    const seen = [
      await recordCall('create_widget', widget),
      await recordCall('create_widget', { ...widget, again: true }),
      await recordCall('create_widget', { ...widget, again: true }),
      await recordCall('create_widget', { ...widget, again: false }),
    ]
    const keys = seen.map(getKey)
    expect(new Set(keys)).to.have.lengthOf(3)
    expect(keys[3]).to.equal(keys[0])
    for (const one of seen) expect(parseRecordedBody(one)).to.deep.equal(widget)
    expect((await recordCall('wait', { again: true })).body.toString()).to.equal('')
  })

  it('leaves a member of the operation that is named again alone', async () => {
    const seen = [
      await recordCall('refuse', { as: 'x', again: 'y' }),
      await recordCall('refuse', { as: 'x', again: 'y' }),
    ]
    expect(parseRecordedBody(seen[0]!)).to.deep.equal({ as: 'x', again: 'y' })
    expect(getKey(seen[1]!)).to.equal(getKey(seen[0]!))
  })

  it('can be renewed by the tools that have one, and by no other', async () => {
    const client = await connectClient(bridge.url, caller)
    const { tools } = await client.listTools()
    const [withKey, others] = [
      ['create_widget', 'mint_widget', 'wait'],
      ['update_widget', 'check', 'delete_widget'],
    ]
    for (const { name, inputSchema } of tools) {
      const again = (inputSchema.properties as Record<string, { type?: string }>)['again']
      if (withKey.includes(name)) expect(again?.type, name).to.equal('boolean')
      if (others.includes(name)) expect(again, name).to.equal(undefined)
    }
    const refused = await callMcpTool(client, 'update_widget', { id_path: 'x', name: 'V', again: true })
    expect(getResultText(refused)).to.match(/^422 VALIDATION_FAILED.*again/s)
    expect(getResultText(await callMcpTool(client, 'wait', { again: 'yes' }))).to.match(
      /^422 VALIDATION_FAILED.*again/s,
    )
    await client.close()
  })

  const inProgress = { code: 'IDEMPOTENCY_IN_PROGRESS', detail: 'The first request is still running.' }
  const replayed = { 'idempotency-replayed': 'true' }

  it('makes a repeated call answer the first answer, and say so', async () => {
    api.setHandler('POST /v1/wait', (_, response) => sendReply(response, 200, { ok: 1 }, replayed))
    const client = await connectClient(bridge.url, caller)
    const result = await callMcpTool(client, 'wait')
    expect(result.structuredContent).to.deep.equal({ ok: 1 })
    expect(getResultText(result)).to.equal(
      '{"ok":1}\nThis is the answer to the same call of a moment ago; nothing was done twice. '
        + 'To do it once more, add again: true.',
    )
    await client.close()
    const own = await connectClient(bridge.url, { ...caller, 'idempotency-key': 'mine' })
    expect(getResultText(await callMcpTool(own, 'wait'))).to.contain('same Idempotency-Key; nothing was done twice')
    await own.close()
  })

  it('waits for the answer to the first call while that is still running', async () => {
    let busyAnswers = 2
    api.setHandler('POST /v1/wait', (_, response) => {
      if (busyAnswers-- > 0) sendProblem(response, 409, inProgress, { 'retry-after': '60' })
      else sendReply(response, 200, { ok: 2 }, replayed)
    })
    const client = await connectClient(bridge.url, caller)
    expect((await callMcpTool(client, 'wait')).structuredContent).to.deep.equal({ ok: 2 })
    expect(new Set(api.recordedRequests.map(getKey))).to.have.lengthOf(1)
    expect(api.recordedRequests).to.have.lengthOf(3)
    await client.close()
    busyAnswers = 1
    const own = await connectClient(bridge.url, { ...caller, 'idempotency-key': 'mine' })
    expect(getResultText(await callMcpTool(own, 'wait'))).to.match(/^409 IDEMPOTENCY_IN_PROGRESS/)
    await own.close()
  })

  it('stops waiting when the client is gone', async () => {
    api.setHandler('POST /v1/wait', (_, response) => sendProblem(response, 409, inProgress))
    const { headers } = await startBareSession(bridge.url, '2025-11-25', caller)
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait', arguments: {} } }
    const answer = postJsonRpc(bridge.url, call, headers)
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    await postJsonRpc(bridge.url, cancel, headers)
    expect((await answer).text).not.to.contain('jsonrpc')
    api.setHandler('POST /v1/wait', (_, response) => sendReply(response, 200, { ok: 3 }))
    const next = parseMessages(await postJsonRpc(bridge.url, call, headers))[0]
    expect(next).to.have.nested.property('result.structuredContent.ok', 3)
  })

  it('makes the next step after a lost answer the same call, where the document declares the header', async () => {
    const client = await connectClient(bridge.url, caller)
    const own = await connectClient(bridge.url, { ...caller, 'idempotency-key': 'mine' })
    const anonymous = await connectClient(bridge.url)
    const once = 'Repeat the same call: it is done at most once.'
    const unknown = 'It is not known whether the change was made'
    for (const [what, answer] of [
      ['502 of the bridge', (response: ServerResponse) => void response.destroy()],
      ['502', (response: ServerResponse) => sendProblem(response, 502, { detail: 'Away.' })],
      ['504', (response: ServerResponse) => sendProblem(response, 504, { detail: 'Late.' })],
    ] as const) {
      api.setHandler('POST /v1/wait', (_, response) => answer(response))
      api.setHandler('POST /v1/echo', (_, response) => answer(response))
      api.setHandler('PATCH /v1/widgets/x', (_, response) => answer(response))
      for (const [caller, name, args, step] of [
        [client, 'wait', {}, once],
        [client, 'wait', { again: true }, unknown],
        [own, 'wait', {}, unknown],
        [anonymous, 'wait', {}, unknown],
        [client, 'echo', { value: 'x' }, unknown],
        [client, 'update_widget', { id_path: 'x', name: 'W' }, unknown],
      ] as const) {
        const text = getResultText(await callMcpTool(caller, name, args))
        expect(text, `${what} of ${name} ${JSON.stringify(args)}`).to.contain(step)
        expect(text.includes(once)).to.equal(step === once)
      }
    }
    api.setHandler('POST /v1/wait', (_, response) => sendProblem(response, 500, { detail: 'Wrong.' }))
    expect(getResultText(await callMcpTool(client, 'wait'))).to.contain(unknown)
    await Promise.all([client, own, anonymous].map((one) => one.close()))
  })

  it('is taken by a client of the newest revision too', async () => {
    api.setHandler('POST /v1/wait', (_, response) => sendReply(response, 200, { ok: 4 }, replayed))
    const answer = await sendModernRequest(
      bridge.url,
      'tools/call',
      { name: 'wait', arguments: {} },
      { headers: caller },
    )
    const { content } = parseResult<{ content: { text: string }[] }>(answer)
    expect(content.at(-1)?.text).to.contain('again: true')
    expect(getKey(api.lastRequest)).to.match(/^mcp-/)
  })
})
