import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import {
  startBareSession,
  connectClient,
  parseMessages,
  postJsonRpc,
  sendRawRequest,
} from '../../support/bridge/bridge-client.ts'
import { startTestBridge, FixtureApi, sendReply, type TestBridge } from '../../support/bridge/bridge-fixture.ts'
import { sendModernRequest, parseResult } from '../../support/bridge/modern-client.ts'
import { waitUntil, assertQuick } from '../../support/processes.ts'
import { startRedisServer } from '../../support/database/redis-server.ts'
import { RequestBalancer } from '../../support/bridge/request-balancer.ts'

const widgetId = '018f0000-0000-7000-8000-000000000001'

const call = (id: number | string, name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

describe('Bridge: two processes behind a load balancer without stickiness', () => {
  const api = new FixtureApi()
  const balancer = new RequestBalancer()
  const secret = randomBytes(32).toString('base64')
  let redis: Awaited<ReturnType<typeof startRedisServer>>
  let bridges: TestBridge[] = []

  const start = async () => {
    const env = { MCP_SECRET: secret, REDIS_URL: redis.url, MCP_URL: balancer.url, TRUST_PROXY: 'true' }
    const bridge = await startTestBridge(api.url, env)
    await bridge.ready
    return bridge
  }
  const targets = () => {
    balancer.targets = bridges.map(({ url }) => url)
  }

  before(async () => {
    ;[redis] = await Promise.all([startRedisServer(), api.start(), balancer.start()])
    bridges = await Promise.all([start(), start()])
    targets()
  })
  after(async () => {
    await Promise.all(bridges.map((one) => one.stop()))
    await balancer.stop()
    await Promise.all([api.stop(), redis.stop()])
  })
  beforeEach(() => {
    api.clearRecords()
    balancer.onlyTarget = null
    balancer.requestCounts.length = 0
    api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, { ok: true }))
    api.setHandler('DELETE /v1/widgets/x', (_, response) => sendReply(response, 200, { id: 'x', name: 'x' }))
    api.setHandler(`GET /v1/widgets/${widgetId}/token`, () => undefined)
  })

  it('go on with each other’s sessions', async () => {
    const client = await connectClient(balancer.url, { 'x-api-key': 'k' })
    for (let turn = 0; turn < 6; turn++) {
      expect((await client.callTool({ name: 'echo', arguments: { value: 'x' } })).structuredContent).to.deep.equal({
        ok: true,
      })
      expect((await client.listTools()).tools).not.to.deep.equal([])
    }
    expect(Math.min(...balancer.requestCounts)).to.be.greaterThan(4)
    expect(bridges.map((one) => one.countSessions())).to.deep.equal([1, 1])
    await client.close()
  })

  it('show a session to nobody else, whichever of them is asked', async () => {
    const { headers } = await startBareSession(balancer.url, '2025-11-25', { 'x-api-key': 'mine' })
    for (let turn = 0; turn < 4; turn++) {
      const answer = await postJsonRpc(
        balancer.url,
        { jsonrpc: '2.0', id: 1, method: 'ping' },
        { ...headers, 'x-api-key': 'other' },
      )
      expect(answer.status).to.equal(404)
    }
    for (let turn = 0; turn < 4; turn++) {
      const answer = await postJsonRpc(balancer.url, { jsonrpc: '2.0', id: turn, method: 'ping' }, headers)
      expect(answer.status).to.equal(200)
    }
  })

  it('bring a person’s answer to the one that asked', async () => {
    const questionMessages: string[] = []
    const client = await connectClient(
      balancer.url,
      {},
      {
        answerQuestion: ({ message }) => {
          questionMessages.push(message)
          return { action: 'accept', content: { confirm: true } }
        },
      },
    )
    for (let turn = 1; turn <= 4; turn++) {
      const result = await client.callTool({ name: 'delete_widget', arguments: { id: 'x' } })
      expect(result.structuredContent).to.deep.include({ id: 'x' })
      expect(questionMessages).to.have.length(turn)
      // One request in between, so that call and answer fall to each of them in each way.
      if (turn % 2 === 0) await client.ping()
    }
    expect(api.recordedRequests).to.have.length(4)
    await client.close()
  })

  it('take what a person confirmed at one once at all', async () => {
    const params = { name: 'delete_widget', arguments: { id: 'x' } }
    const sending = { capabilities: { elicitation: {} } }
    const inputRequiredResult = parseResult<{ resultType: string; requestState: string }>(
      await sendModernRequest(balancer.url, 'tools/call', params, sending),
    )
    expect(inputRequiredResult.resultType).to.equal('input_required')
    const answered = {
      ...params,
      requestState: inputRequiredResult.requestState,
      inputResponses: { confirm: { action: 'accept', content: { confirm: true } } },
    }
    const results = []
    for (let turn = 0; turn < 4; turn++)
      results.push(JSON.parse((await sendModernRequest(balancer.url, 'tools/call', answered, sending)).text) as object)
    expect(results[0]).to.have.nested.property('result.structuredContent.id', 'x')
    expect(api.recordedRequests).to.have.length(1)
    expect(Math.min(...balancer.requestCounts)).to.be.greaterThan(1)
  })

  it('take an answer to a question only in the session that was asked', async () => {
    const { result: _, headers } = await asking({ 'x-api-key': 'mine' })
    const other = await startBareSession(balancer.url, '2025-11-25', { 'x-api-key': 'other' })
    balancer.onlyTarget = 0
    const call = openCall(headers, 'delete_widget', { id: 'x' })
    const id = await call.question()
    balancer.onlyTarget = 1
    const answer = { jsonrpc: '2.0', id, result: { action: 'accept', content: { confirm: true } } }
    expect((await postJsonRpc(balancer.url, answer, other.headers)).status).to.equal(202)
    expect((await postJsonRpc(balancer.url, answer, other.headers)).status).to.equal(202)
    expect(api.recordedRequests).to.deep.equal([])
    expect((await postJsonRpc(balancer.url, answer, headers)).status).to.equal(202)
    expect(await call.result()).to.have.nested.property('result.structuredContent.id', 'x')
    expect(api.recordedRequests).to.have.length(1)
  })

  it('say so when the one that asked is gone', async () => {
    const { headers } = await asking({})
    const id = '00000000-0000-4000-8000-000000000000.00000000-0000-4000-8000-000000000000'
    const answer = { jsonrpc: '2.0', id, result: { action: 'accept', content: {} } }
    expect((await postJsonRpc(balancer.url, answer, headers)).status).to.equal(503)
  })

  it('end a session at both when it is ended at one', async () => {
    const { headers } = await startBareSession(balancer.url, '2025-11-25')
    for (const only of [0, 1]) {
      balancer.onlyTarget = only
      expect((await postJsonRpc(balancer.url, { jsonrpc: '2.0', id: 1, method: 'ping' }, headers)).status).to.equal(200)
    }
    const kept = bridges.map((one) => one.countSessions())
    balancer.onlyTarget = 0
    expect((await sendRawRequest(balancer.url, { method: 'DELETE', headers })).status).to.equal(200)
    await waitUntil('both forget it', () =>
      bridges.every((one, index) => one.countSessions() === (kept[index] ?? 0) - 1),
    )
    for (const only of [1, 0]) {
      balancer.onlyTarget = only
      expect((await postJsonRpc(balancer.url, { jsonrpc: '2.0', id: 1, method: 'ping' }, headers)).status).to.equal(404)
      expect((await sendRawRequest(balancer.url, { method: 'DELETE', headers })).status).to.equal(404)
    }
  })

  it('end a call of one that is taken back at the other', async () => {
    const { headers } = await startBareSession(balancer.url, '2025-11-25')
    for (const params of [{}, { _meta: { progressToken: 1 } }]) {
      await assertQuick(100, async () => {
        api.clearRecords()
        balancer.onlyTarget = 0
        const message = call(7, 'get_widget_token', { id: widgetId })
        const answer = postJsonRpc(balancer.url, { ...message, params: { ...message.params, ...params } }, headers)
        await waitUntil('the API is asked', () => api.recordedRequests.length === 1)
        balancer.onlyTarget = 1
        const sent = performance.now()
        await postJsonRpc(
          balancer.url,
          { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } },
          headers,
        )
        expect((await answer).text).not.to.contain('jsonrpc')
        await waitUntil('the API notices', () => api.lastRequest.abortedAtMs !== null)
        return (api.lastRequest.abortedAtMs ?? Infinity) - sent
      })
    }
    api.clearRecords()
  })

  it('tell the API the address that the balancer saw', async () => {
    const { headers } = await startBareSession(balancer.url, '2025-11-25')
    await postJsonRpc(balancer.url, call(1, 'echo', { value: 'x' }), { ...headers, 'x-forwarded-for': '203.0.113.9' })
    expect(Object.fromEntries(api.lastRequest.headers)).to.include({ 'x-forwarded-for': '127.0.0.1' })
    for (const [forwardedFor, wanted] of [
      ['198.51.100.7', '198.51.100.7'],
      ['1.1.1.1, 2001:db8::1', '2001:db8::1'],
      ['nobody', '127.0.0.1'],
    ]) {
      await postJsonRpc(bridges[0]?.url ?? '', call(1, 'echo', { value: 'x' }), {
        ...headers,
        'x-forwarded-for': forwardedFor ?? '',
      })
      expect(Object.fromEntries(api.lastRequest.headers)).to.include({ 'x-forwarded-for': wanted })
    }
  })

  it('are started anew one after the other without a client noticing', async () => {
    const client = await connectClient(balancer.url, { 'x-api-key': 'k' })
    const works = async () => {
      const result = await client.callTool({ name: 'echo', arguments: { value: 'x' } })
      expect(result.structuredContent).to.deep.equal({ ok: true })
    }
    let going = true
    // A refusal is kept until it is looked at: one that nobody awaits yet would end the process of the tests.
    const meanwhile = (async () => {
      while (going) await works()
    })().then(
      () => null,
      (cause: unknown) => cause,
    )
    for (const index of [0, 1]) {
      const old = bridges[index]
      const next = await start()
      bridges = bridges.with(index, next)
      targets()
      await old?.stop()
      await works()
    }
    going = false
    expect(await meanwhile).to.equal(null)
    await client.close()
  })

  /** A session whose client says that it can ask a person. */
  async function asking(headers: Record<string, string>) {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
      clientInfo: { name: 'bare', version: '1' },
    }
    const begun = await postJsonRpc(balancer.url, { jsonrpc: '2.0', id: 0, method: 'initialize', params }, headers)
    const own = {
      ...headers,
      'mcp-session-id': String(begun.headers['mcp-session-id']),
      'mcp-protocol-version': '2025-11-25',
    }
    return { result: parseMessages(begun)[0], headers: own }
  }

  /** A call whose stream is read as it comes. */
  function openCall(headers: Record<string, string>, name: string, args: object) {
    const messages: Record<string, unknown>[] = []
    const done = (async () => {
      const accept = 'application/json, text/event-stream'
      const body = JSON.stringify(call('open', name, args))
      const answer = await fetch(balancer.url, {
        method: 'POST',
        headers: { ...headers, accept, 'content-type': 'application/json' },
        body,
      })
      let rest = ''
      for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
        const lines = (rest + Buffer.from(chunk).toString()).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines)
          if (line.startsWith('data: ')) messages.push(JSON.parse(line.slice(6)) as Record<string, unknown>)
      }
    })()
    return {
      async question(): Promise<unknown> {
        await waitUntil('there is a question', () => messages.length > 0)
        return messages[0]?.['id']
      },
      async result() {
        await done
        return messages.at(-1)
      },
    }
  }
})
