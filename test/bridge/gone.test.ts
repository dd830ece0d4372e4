import { request } from 'node:http'
import { expect } from 'chai'
import { bareSession, connect, messagesOf, post, usual } from '../support/bridge-client.ts'
import { fixtureBridge, reply, type Seen } from '../support/bridge-fixture.ts'
import { eventually, isQuick } from '../support/processes.ts'

const until = (what: () => boolean) => eventually('it happens', what)

describe('a client that is gone', () => {
  const { api, bridge } = fixtureBridge()

  before(async () => {
    api.on('POST /v1/wait', () => {})
    api.on('POST /v1/echo', (_, response) => reply(response, 200, { ok: true }))
    api.on('GET /v1/widgets/x/log', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/csv' })
      response.write('first')
    })
    api.on('POST /v1/widgets/publish', (_, response) =>
      reply(response, 202, { jobId: 'j1' }, { location: '/v1/jobs/j1' }),
    )
    api.on('GET /v1/jobs/j1/sse', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(':\n\n')
    })
  })
  beforeEach(() => api.forget())

  const on = (url: string): Seen | undefined => api.seen.find((seen) => seen.url === url)

  const isAborted = (url: string) => typeof on(url)?.aborted === 'number'

  const waiting = { name: 'wait', arguments: {} }
  for (const [what, method, params, upstream] of [
    ['an answer', 'tools/call', waiting, '/v1/wait'],
    ['the rest of a body', 'resources/read', null, '/v1/widgets/x/log'],
    ['a job', 'tools/call', { name: 'publish_widgets', arguments: {}, _meta: { progressToken: 1 } }, '/v1/jobs/j1/sse'],
  ] as const) {
    it(`while it waits for ${what} is noticed by the API within 100 ms`, () => isQuick(100, async () => {
      api.forget()
      const { headers } = await bareSession(bridge.url, '2025-11-25')
      const sent = request(bridge.url, { method: 'POST', headers: { ...usual, ...headers }, agent: false })
      sent.on('error', () => {})
      sent.end(
        JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: params ?? { uri: `${api.url}/v1/widgets/x/log` } }),
      )
      await until(() => on(upstream) !== undefined)
      await new Promise((resolve) => setTimeout(resolve, 30))
      const left = performance.now()
      sent.destroy()
      await until(() => isAborted(upstream))
      return (on(upstream)?.aborted ?? Infinity) - left
    }))
  }

  it('by cancelling gets no answer, and the API notices', async () => {
    const { headers } = await bareSession(bridge.url, '2025-11-25')
    const answer = post(bridge.url, { jsonrpc: '2.0', id: 7, method: 'tools/call', params: waiting }, headers)
    await until(() => on('/v1/wait') !== undefined)
    await post(bridge.url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }, headers)
    expect((await answer).text).not.to.contain('jsonrpc')
    await until(() => isAborted('/v1/wait'))
    const next = await post(
      bridge.url,
      { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'echo', arguments: { value: 'x' } } },
      headers,
    )
    expect(messagesOf(next)[0]).to.have.nested.property('result.structuredContent.ok', true)
  })

  it('by cancelling one request of a batch still gets the answers of the others', async () => {
    const { headers } = await bareSession(bridge.url, '2025-03-26')
    const call = (id: number, name: string) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: { ...(name === 'echo' && { value: 'x' }) } },
    })
    const cancelled = Promise.withResolvers<void>()
    api.on('POST /v1/echo', async (_, response) => {
      await cancelled.promise
      reply(response, 200, { ok: true })
    })
    const answer = post(bridge.url, [call(8, 'wait'), call(9, 'echo')], headers)
    await until(() => on('/v1/wait') !== undefined && on('/v1/echo') !== undefined)
    await post(bridge.url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 8 } }, headers)
    await until(() => isAborted('/v1/wait'))
    cancelled.resolve()
    const answered = messagesOf(await answer)
    expect(answered.find(({ id }) => id === 9)).to.have.nested.property('result.content[0].text', '{"ok":true}')
  })

  it('by ending its session ends what it waits for', async () => {
    const { headers } = await bareSession(bridge.url, '2025-11-25')
    const answer = post(bridge.url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: waiting }, headers)
    await until(() => on('/v1/wait') !== undefined)
    await fetch(bridge.url, { method: 'DELETE', headers })
    expect((await answer).text).to.equal('')
    await until(() => isAborted('/v1/wait'))
  })

  it('does not disturb another call of its session', async () => {
    const client = await connect(bridge.url)
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
