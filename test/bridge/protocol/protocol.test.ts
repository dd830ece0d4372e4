import { expect } from 'chai'
import {
  startBareSession,
  connectClient,
  catchError,
  createInitializeRequest,
  parseMessages,
  postJsonRpc,
  sendRawRequest,
  defaultHeaders,
} from '../../support/bridge/bridge-client.ts'
import { useFixtureBridge, sendReply } from '../../support/bridge/bridge-fixture.ts'

const revisions = ['2025-11-25', '2025-06-18', '2025-03-26']

describe('Bridge: MCP protocol of the session era', () => {
  const { api, bridge } = useFixtureBridge()

  before(async () => {
    api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, { ok: true }))
    api.setHandler('POST /v1/widgets/publish', (_, response) =>
      sendReply(response, 202, { jobId: 'j1' }, { location: '/v1/jobs/j1' }),
    )
  })

  for (const revision of revisions) {
    it(`is spoken in revision ${revision}`, async () => {
      const { result, headers } = await startBareSession(bridge.url, revision)
      expect(result['protocolVersion']).to.equal(revision)
      expect(result['capabilities']).to.deep.equal({ tools: {}, resources: {}, prompts: {}, completions: {} })
      const answer = await postJsonRpc(bridge.url, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)
      expect(answer.status).to.equal(200)
      expect(parseMessages(answer)[0]).to.have.nested.property('result.tools').that.has.length(16)
      const prompts = await postJsonRpc(bridge.url, { jsonrpc: '2.0', id: 2, method: 'prompts/list' }, headers)
      expect(parseMessages(prompts)[0]).to.have.nested.property('result.prompts[0].name', 'prepare_demo_environment')
      const ref = { type: 'ref/prompt', name: 'prepare_demo_environment' }
      const params = { ref, argument: { name: 'size', value: '' } }
      const completed = await postJsonRpc(
        bridge.url,
        { jsonrpc: '2.0', id: 3, method: 'completion/complete', params },
        headers,
      )
      expect(parseMessages(completed)[0]).to.have.nested.property('result.completion.values').that.has.length(0)
    })
  }

  it('demands that a client takes both kinds of answer', async () => {
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    for (const accept of ['application/json', 'text/event-stream', '*/*']) {
      const answer = await postJsonRpc(
        bridge.url,
        { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        { ...headers, accept },
      )
      expect(answer.status, accept).to.equal(406)
    }
  })

  it('answers an unknown or older revision with the newest one it speaks', async () => {
    for (const requestedRevision of ['2024-11-05', '1999-01-01']) {
      expect((await startBareSession(bridge.url, requestedRevision)).result['protocolVersion']).to.equal('2025-11-25')
    }
  })

  it('refuses an MCP-Protocol-Version that it does not speak', async () => {
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    const answer = await postJsonRpc(
      bridge.url,
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { ...headers, 'mcp-protocol-version': '2024-11-05' },
    )
    expect(answer.status).to.equal(400)
  })

  it('shows an older client no kind of content that it does not know', async () => {
    for (const [revision, kinds] of [
      ['2025-03-26', ['text', 'text', 'text']],
      ['2025-06-18', ['text', 'text', 'resource_link']],
    ] as const) {
      const { headers } = await startBareSession(bridge.url, revision)
      const answer = await postJsonRpc(
        bridge.url,
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'publish_widgets', arguments: { filters: [] } },
        },
        headers,
      )
      const result = parseMessages(answer)[0]?.['result'] as {
        content: { type: string }[]
        structuredContent?: unknown
      }
      expect(result.content.map(({ type }) => type)).to.deep.equal(kinds)
      expect(JSON.stringify(result.content)).to.contain(`${api.url}/v1/jobs/j1`)
      expect(result.structuredContent === undefined).to.equal(revision === '2025-03-26')
    }
  })

  it('takes a batch only in the revision that has them', async () => {
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'echo', arguments: { value: 'x' } } },
    ]
    const old = await startBareSession(bridge.url, '2025-03-26')
    const answers = parseMessages(await postJsonRpc(bridge.url, batch, old.headers))
    expect(
      answers.flatMap((one) => (Array.isArray(one) ? (one as Record<string, unknown>[]) : [one])).map(({ id }) => id),
    ).to.have.members([1, 2])
    const recent = await startBareSession(bridge.url, '2025-06-18')
    expect((await postJsonRpc(bridge.url, batch, recent.headers)).status).to.equal(400)
  })

  it('needs a session for everything but initialize', async () => {
    expect((await postJsonRpc(bridge.url, { jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).to.equal(400)
    const unknown = await postJsonRpc(
      bridge.url,
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { 'mcp-session-id': 'nobody' },
    )
    expect(unknown.status).to.equal(404)
    expect(parseMessages(unknown)[0]).to.have.nested.property('error.code', -32001)
  })

  it('refuses a second initialize in a session', async () => {
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    expect((await postJsonRpc(bridge.url, createInitializeRequest('2025-11-25'), headers)).status).to.equal(400)
  })

  it('refuses a request id that is still in use', async () => {
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    let release = () => {}
    api.setHandler('POST /v1/wait', async (_, response) => {
      await new Promise<void>((resolve) => {
        release = resolve
      })
      sendReply(response, 200, {})
    })
    const waiting = { jsonrpc: '2.0', id: 'same', method: 'tools/call', params: { name: 'wait' } }
    const first = postJsonRpc(bridge.url, waiting, headers)
    while (!api.recordedRequests.some(({ url }) => url === '/v1/wait'))
      await new Promise((resolve) => setTimeout(resolve, 5))
    expect((await postJsonRpc(bridge.url, waiting, headers)).status).to.equal(400)
    release()
    expect(parseMessages(await first)[0]).to.include({ id: 'same' })
    expect(
      parseMessages(
        await postJsonRpc(bridge.url, { ...waiting, params: { name: 'echo', arguments: { value: 'x' } } }, headers),
      )[0],
    ).to.have.property('result')
  })

  it('takes the same id again once it was answered', async () => {
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    for (let turn = 0; turn < 5; turn++) {
      const answer = await postJsonRpc(
        bridge.url,
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { value: 'x' } } },
        headers,
      )
      expect(parseMessages(answer)[0]).to.have.nested.property('result.structuredContent.ok', true)
    }
  })

  it('ends a session on DELETE', async () => {
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    const before = bridge.countSessions()
    expect((await sendRawRequest(bridge.url, { method: 'DELETE', headers })).status).to.equal(200)
    expect(bridge.countSessions()).to.equal(before - 1)
    expect((await postJsonRpc(bridge.url, { jsonrpc: '2.0', id: 1, method: 'ping' }, headers)).status).to.equal(404)
    expect((await sendRawRequest(bridge.url, { method: 'DELETE', headers })).status).to.equal(404)
  })

  it('opens one event stream a session on GET', async () => {
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    const ended = new AbortController()
    const stream = await fetch(bridge.url, {
      headers: { ...headers, accept: 'text/event-stream' },
      signal: ended.signal,
    })
    expect(stream.status).to.equal(200)
    expect(stream.headers.get('content-type')).to.equal('text/event-stream')
    expect(
      (await sendRawRequest(bridge.url, { method: 'GET', headers: { ...headers, accept: 'text/event-stream' } }))
        .status,
    ).to.equal(409)
    ended.abort()
    expect(
      (await sendRawRequest(bridge.url, { method: 'GET', headers: { ...headers, accept: 'application/json' } })).status,
    ).to.equal(406)
  })

  it('declares only what it serves', async () => {
    const client = await connectClient(bridge.url)
    for (const method of ['logging/setLevel', 'resources/subscribe', 'tasks/list', 'server/discover']) {
      const { headers } = await startBareSession(bridge.url, '2025-11-25')
      expect(
        parseMessages(await postJsonRpc(bridge.url, { jsonrpc: '2.0', id: 1, method, params: {} }, headers))[0],
        method,
      ).to.have.nested.property('error.code', -32601)
    }
    expect((await catchError(client.listTools({ cursor: 'x' }))).code).to.equal(-32602)
    await client.close()
  })

  it('refuses what is not JSON-RPC without falling over', async () => {
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    for (const body of [
      '',
      '{',
      '[]',
      'null',
      '7',
      '{"jsonrpc":"1.0"}',
      '{"jsonrpc":"2.0","id":1}',
      Buffer.from([0x22, 0xff, 0x22]),
      '['.repeat(50_000),
    ]) {
      const { status } = await sendRawRequest(bridge.url, { headers: { ...defaultHeaders, ...headers }, body })
      expect(status, String(body).slice(0, 20)).to.be.oneOf([400, 202])
    }
    expect(
      parseMessages(await postJsonRpc(bridge.url, { jsonrpc: '2.0', id: 1, method: 'ping' }, headers))[0],
    ).to.deep.include({
      id: 1,
      result: {},
    })
  })

  it('shows output schemas to who asks for them in the address', async () => {
    const plain = await connectClient(bridge.url)
    const full = await connectClient(`${bridge.url}?schemas=full`)
    expect((await plain.listTools()).tools.filter((tool) => tool.outputSchema)).to.deep.equal([])
    expect((await full.listTools()).tools.filter((tool) => tool.outputSchema)).not.to.deep.equal([])
    await plain.close()
    await full.close()
  })
})
