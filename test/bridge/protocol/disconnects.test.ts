import { request } from 'node:http'
import { expect } from 'chai'
import {
  startBareSession,
  connectClient,
  parseMessages,
  postJsonRpc,
  defaultHeaders,
} from '../../support/bridge/bridge-client.ts'
import { useFixtureBridge, sendReply, type RecordedRequest } from '../../support/bridge/bridge-fixture.ts'
import { waitUntil, assertQuick } from '../../support/processes.ts'

const until = (what: () => boolean) => waitUntil('it happens', what)

describe('Bridge: a client that disconnects', () => {
  const { api, bridge } = useFixtureBridge()

  before(async () => {
    api.setHandler('POST /v1/wait', () => {})
    api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, { ok: true }))
    api.setHandler('GET /v1/widgets/x/log', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/csv' })
      response.write('first')
    })
    api.setHandler('POST /v1/widgets/publish', (_, response) =>
      sendReply(response, 202, { jobId: 'j1' }, { location: '/v1/jobs/j1' }),
    )
    api.setHandler('GET /v1/jobs/j1/sse', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(':\n\n')
    })
  })
  beforeEach(() => api.clearRecords())

  const on = (url: string): RecordedRequest | undefined => api.recordedRequests.find((seen) => seen.url === url)

  const isAborted = (url: string) => typeof on(url)?.abortedAtMs === 'number'

  const waiting = { name: 'wait', arguments: {} }
  for (const [what, method, params, upstream] of [
    ['an answer', 'tools/call', waiting, '/v1/wait'],
    ['the rest of a body', 'resources/read', null, '/v1/widgets/x/log'],
    ['a job', 'tools/call', { name: 'publish_widgets', arguments: {}, _meta: { progressToken: 1 } }, '/v1/jobs/j1/sse'],
  ] as const) {
    it(`lets the API notice within 100 ms, while the client waits for ${what}`, () =>
      assertQuick(100, async () => {
        api.clearRecords()
        const { headers } = await startBareSession(bridge.url, '2025-11-25')
        const sent = request(bridge.url, { method: 'POST', headers: { ...defaultHeaders, ...headers }, agent: false })
        sent.on('error', () => {})
        sent.end(
          JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: params ?? { uri: `${api.url}/v1/widgets/x/log` } }),
        )
        await until(() => on(upstream) !== undefined)
        await new Promise((resolve) => setTimeout(resolve, 30))
        const left = performance.now()
        sent.destroy()
        await until(() => isAborted(upstream))
        return (on(upstream)?.abortedAtMs ?? Infinity) - left
      }))
  }

  it('answers nothing to a cancelled request, and lets the API notice', async () => {
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    const answer = postJsonRpc(bridge.url, { jsonrpc: '2.0', id: 7, method: 'tools/call', params: waiting }, headers)
    await until(() => on('/v1/wait') !== undefined)
    await postJsonRpc(
      bridge.url,
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } },
      headers,
    )
    expect((await answer).text).not.to.contain('jsonrpc')
    await until(() => isAborted('/v1/wait'))
    const next = await postJsonRpc(
      bridge.url,
      { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'echo', arguments: { value: 'x' } } },
      headers,
    )
    expect(parseMessages(next)[0]).to.have.nested.property('result.structuredContent.ok', true)
  })

  it('answers the other requests of a batch when one is cancelled', async () => {
    const { headers } = await startBareSession(bridge.url, '2025-03-26')
    const call = (id: number, name: string) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: { ...(name === 'echo' && { value: 'x' }) } },
    })
    const cancelled = Promise.withResolvers<void>()
    api.setHandler('POST /v1/echo', async (_, response) => {
      await cancelled.promise
      sendReply(response, 200, { ok: true })
    })
    const answer = postJsonRpc(bridge.url, [call(8, 'wait'), call(9, 'echo')], headers)
    await until(() => on('/v1/wait') !== undefined && on('/v1/echo') !== undefined)
    await postJsonRpc(
      bridge.url,
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 8 } },
      headers,
    )
    await until(() => isAborted('/v1/wait'))
    cancelled.resolve()
    const answered = parseMessages(await answer)
    expect(answered.find(({ id }) => id === 9)).to.have.nested.property('result.content[0].text', '{"ok":true}')
  })

  it('ends the calls of a session with the session', async () => {
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    const answer = postJsonRpc(bridge.url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: waiting }, headers)
    await until(() => on('/v1/wait') !== undefined)
    await fetch(bridge.url, { method: 'DELETE', headers })
    expect((await answer).text).to.equal('')
    await until(() => isAborted('/v1/wait'))
  })

  it('does not disturb another call of its session', async () => {
    const client = await connectClient(bridge.url)
    const leaving = new AbortController()
    const first = client.callTool(waiting, undefined, { signal: leaving.signal }).catch((cause: unknown) => cause)
    await until(() => on('/v1/wait') !== undefined)
    leaving.abort()
    expect(await first).to.be.instanceOf(Error)
    expect((await client.callTool({ name: 'echo', arguments: { value: 'x' } })).structuredContent).to.deep.equal({
      ok: true,
    })
    await client.close()
  })
})
