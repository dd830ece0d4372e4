import { request } from 'node:http'
import { expect } from 'chai'
import { useFixtureBridge, sendReply, type RecordedRequest } from '../../../support/bridge/bridge-fixture.ts'
import { connectModernClient, createModernRequest } from '../../../support/bridge/modern-client.ts'
import { RequestFigures } from '../../../support/bridge/request-figures.ts'
import { waitUntil, assertQuick } from '../../../support/processes.ts'

const widgetId = '018f0000-0000-7000-8000-000000000001'
const readPath = `/v1/widgets/${widgetId}/token`
const waiting = { name: 'get_widget_token', arguments: { id: widgetId } }
const streamedPath = readPath.replace('8000', '8001')
const streamed = { name: 'get_widget_token', arguments: { id: widgetId.replace('8000', '8001') } }
const until = (what: () => boolean) => waitUntil('it happens', what)

describe('Revision 2026-07-28: a client that disconnects', () => {
  const figures = new RequestFigures()
  before(() => figures.takePort())
  const { api, bridge } = useFixtureBridge(figures.env)

  let logged = 0
  before(() => {
    logged = bridge.logEntries.length
    api.setHandler(`GET ${readPath}`, () => {})
    api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, { ok: true }))
    api.setHandler(
      `GET ${streamedPath}`,
      (_, response) => void response.writeHead(200, { 'content-type': 'text/csv' }).write('first'),
    )
    api.setHandler(
      'GET /v1/widgets/x/log',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/csv' }).write('first'),
    )
    api.setHandler('POST /v1/widgets/publish', (_, response) =>
      sendReply(response, 202, { jobId: 'j1' }, { location: '/v1/jobs/j1' }),
    )
    api.setHandler('GET /v1/jobs/j1/sse', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(
        `data: ${JSON.stringify({ id: 'j1', type: 't', status: 'pending', total: 4, completed: 0, failed: 0 })}\n\n`,
      )
    })
  })
  beforeEach(() => api.clearRecords())

  const on = (url: string): RecordedRequest | undefined => api.recordedRequests.find((seen) => seen.url === url)
  const isAborted = (url: string) => typeof on(url)?.abortedAtMs === 'number'

  for (const [what, method, params, upstream, meta] of [
    ['the head of an answer', 'tools/call', waiting, readPath, {}],
    ['the rest of an answer', 'tools/call', streamed, streamedPath, {}],
    ['the rest of a resource', 'resources/read', null, '/v1/widgets/x/log', {}],
    [
      'a job, on a stream',
      'tools/call',
      { name: 'publish_widgets', arguments: { filters: [] } },
      '/v1/jobs/j1/sse',
      { progressToken: 1 },
    ],
  ] as const) {
    it(`lets the API notice within 100 ms, while the client waits for ${what}`, () =>
      assertQuick(100, async () => {
        api.clearRecords()
        const { message, headers } = createModernRequest(method, params ?? { uri: `${api.url}/v1/widgets/x/log` }, {
          meta,
        })
        const sent = request(bridge.url, { method: 'POST', headers, agent: false })
        const begun = new Promise((resolve) => sent.once('response', resolve))
        sent.on('error', () => {})
        sent.end(JSON.stringify(message))
        await until(() => on(upstream) !== undefined)
        // A stream has begun for the client when its first event came; nothing else is seen of it.
        await Promise.race([begun, new Promise((resolve) => setTimeout(resolve, 30))])
        const left = performance.now()
        sent.destroy()
        await until(() => isAborted(upstream))
        return (on(upstream)?.abortedAtMs ?? Infinity) - left
      }))
  }

  it('does not disturb another of its calls', async () => {
    const client = await connectModernClient(bridge.url)
    await assertQuick(100, async () => {
      api.clearRecords()
      const leaving = new AbortController()
      const first = client.callTool(waiting, { signal: leaving.signal }).catch((cause: unknown) => cause)
      await until(() => on(readPath) !== undefined)
      const left = performance.now()
      leaving.abort()
      expect(await first).to.be.instanceOf(Error)
      await until(() => isAborted(readPath))
      return (on(readPath)?.abortedAtMs ?? Infinity) - left
    })
    expect((await client.callTool({ name: 'echo', arguments: { value: 'x' } })).structuredContent).to.deep.equal({
      ok: true,
    })
    await client.close()
  })

  it('lets the API finish a change', async () => {
    const [answered, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<boolean>()]
    api.setHandler('POST /v1/wait', async (_, response) => {
      response.once('close', () => ended.resolve(response.writableFinished))
      await answered.promise
      sendReply(response, 200, { ok: true })
    })
    const { message, headers } = createModernRequest('tools/call', { name: 'wait', arguments: {} })
    const sent = request(bridge.url, { method: 'POST', headers, agent: false })
    const closed = new Promise((resolve) => sent.once('close', resolve))
    sent.on('error', () => {})
    sent.end(JSON.stringify(message))
    await until(() => on('/v1/wait') !== undefined)
    const before = await figures.countEndedCalls()
    sent.destroy()
    await closed
    await figures.waitForEndedCall(before)
    answered.resolve()
    expect(await ended.promise).to.equal(true)
  })

  it('leaves no line in the log that says something failed', () => {
    expect(bridge.logEntries.slice(logged).filter(({ level }) => Number(level) >= 40)).to.deep.equal([])
  })
})
