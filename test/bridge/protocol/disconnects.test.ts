import { request } from 'node:http'
import { expect } from 'chai'
import {
  startBareSession,
  connectClient,
  parseMessages,
  postJsonRpc,
  defaultHeaders,
} from '../../support/bridge/bridge-client.ts'
import {
  useFixtureBridge,
  sendReply,
  startTestBridge,
  type RecordedRequest,
} from '../../support/bridge/bridge-fixture.ts'
import { RequestFigures } from '../../support/bridge/request-figures.ts'
import { waitUntil, assertQuick } from '../../support/processes.ts'

const until = (what: () => boolean) => waitUntil('it happens', what)

/** Resolves when nothing listens at an address any more. */
async function refusesConnections(url: string): Promise<'refused'> {
  while (
    await fetch(url).then(
      () => true,
      () => false,
    )
  );
  return 'refused'
}

const widgetId = '018f0000-0000-7000-8000-000000000001'
const readPath = `/v1/widgets/${widgetId}/token`

describe('Bridge: a client that disconnects', () => {
  const figures = new RequestFigures()
  before(() => figures.takePort())
  const { api, bridge } = useFixtureBridge(figures.env)

  before(async () => {
    api.setHandler(`GET ${readPath}`, () => {})
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

  const waiting = { name: 'get_widget_token', arguments: { id: widgetId } }
  for (const [what, method, params, upstream] of [
    ['an answer', 'tools/call', waiting, readPath],
    ['the rest of a body', 'resources/read', null, '/v1/widgets/x/log'],
    [
      'a job',
      'tools/call',
      { name: 'publish_widgets', arguments: { filters: [] }, _meta: { progressToken: 1 } },
      '/v1/jobs/j1/sse',
    ],
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
    await until(() => on(readPath) !== undefined)
    await postJsonRpc(
      bridge.url,
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } },
      headers,
    )
    expect((await answer).text).not.to.contain('jsonrpc')
    await until(() => isAborted(readPath))
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
      params: { name, arguments: name === 'echo' ? { value: 'x' } : waiting.arguments },
    })
    const cancelled = Promise.withResolvers<void>()
    api.setHandler('POST /v1/echo', async (_, response) => {
      await cancelled.promise
      sendReply(response, 200, { ok: true })
    })
    const answer = postJsonRpc(bridge.url, [call(8, waiting.name), call(9, 'echo')], headers)
    await until(() => on(readPath) !== undefined && on('/v1/echo') !== undefined)
    await postJsonRpc(
      bridge.url,
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 8 } },
      headers,
    )
    await until(() => isAborted(readPath))
    cancelled.resolve()
    const answered = parseMessages(await answer)
    expect(answered.find(({ id }) => id === 9)).to.have.nested.property('result.content[0].text', '{"ok":true}')
  })

  it('ends the calls of a session with the session', async () => {
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    const answer = postJsonRpc(bridge.url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: waiting }, headers)
    await until(() => on(readPath) !== undefined)
    await fetch(bridge.url, { method: 'DELETE', headers })
    expect((await answer).text).to.equal('')
    await until(() => isAborted(readPath))
  })

  it('does not disturb another call of its session', async () => {
    const client = await connectClient(bridge.url)
    const leaving = new AbortController()
    const first = client.callTool(waiting, undefined, { signal: leaving.signal }).catch((cause: unknown) => cause)
    await until(() => on(readPath) !== undefined)
    leaving.abort()
    expect(await first).to.be.instanceOf(Error)
    expect((await client.callTool({ name: 'echo', arguments: { value: 'x' } })).structuredContent).to.deep.equal({
      ok: true,
    })
    await client.close()
  })

  describe('during a change', () => {
    const change = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'wait', arguments: {} } }
    let answerChange: () => void
    let isAnswerComplete: Promise<boolean>
    beforeEach(() => {
      const answered = Promise.withResolvers<void>()
      const ended = Promise.withResolvers<boolean>()
      answerChange = answered.resolve
      isAnswerComplete = ended.promise
      api.setHandler('POST /v1/wait', async (_, response) => {
        response.once('close', () => ended.resolve(response.writableFinished))
        await answered.promise
        sendReply(response, 200, { ok: true })
      })
    })

    const leave = {
      'cuts the connection': async (url: string, headers: Record<string, string>) => {
        const sent = request(url, { method: 'POST', headers: { ...defaultHeaders, ...headers }, agent: false })
        const closed = new Promise((resolve) => sent.once('close', resolve))
        sent.on('error', () => {})
        sent.end(JSON.stringify(change))
        await until(() => on('/v1/wait') !== undefined)
        sent.destroy()
        await closed
      },
      'cancels it': async (url: string, headers: Record<string, string>) => {
        const answer = postJsonRpc(url, change, headers)
        await until(() => on('/v1/wait') !== undefined)
        const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: change.id } }
        await postJsonRpc(url, cancel, headers)
        expect((await answer).text).not.to.contain('jsonrpc')
      },
      'ends its session': async (url: string, headers: Record<string, string>) => {
        const answer = postJsonRpc(url, change, headers)
        await until(() => on('/v1/wait') !== undefined)
        await fetch(url, { method: 'DELETE', headers })
        expect((await answer).text).to.equal('')
      },
    }
    for (const [how, leaveClient] of Object.entries(leave))
      it(`lets the API finish it when the client ${how}`, async () => {
        const { headers } = await startBareSession(bridge.url, '2025-11-25')
        const ended = await figures.countEndedCalls()
        await leaveClient(bridge.url, headers)
        await figures.waitForEndedCall(ended)
        answerChange()
        expect(await isAnswerComplete).to.equal(true)
      })

    it('is waited for when the bridge stops', async () => {
      const stopping = await startTestBridge(api.url)
      await stopping.ready
      const { headers } = await startBareSession(stopping.url, '2025-11-25')
      await leave['cuts the connection'](stopping.url, headers)
      const stopped = stopping.stop()
      const isGone = stopped.then(() => true)
      // The bridge closes idle connections before it looks after changes without a client.
      expect(await Promise.race([isGone, refusesConnections(stopping.url)])).to.equal('refused')
      answerChange()
      expect(await isAnswerComplete).to.equal(true)
      await stopped
    })
  })
})
