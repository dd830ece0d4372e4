import getPort from 'get-port'
import { expect } from 'chai'
import { connectClient, sendRawRequest } from '../../support/bridge/bridge-client.ts'
import {
  startTestBridge,
  FixtureApi,
  sendProblem,
  sendReply,
  type TestBridge,
} from '../../support/bridge/bridge-fixture.ts'
import { sendModernRequest } from '../../support/bridge/modern-client.ts'
import { waitUntil } from '../../support/processes.ts'

const widgetId = '018f0000-0000-7000-8000-000000000001'

describe('GET /metrics of the bridge: figures', () => {
  const api = new FixtureApi()
  let bridge: TestBridge
  let port: number

  before(async () => {
    await api.start()
    port = await getPort()
    bridge = await startTestBridge(api.url, { METRICS_PORT: String(port) })
    await bridge.ready
    api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, { ok: true }))
    api.setHandler('POST /v1/refuse', (_, response) => sendProblem(response, 409, { code: 'NO', detail: 'No.' }))
    api.setHandler(`GET /v1/widgets/${widgetId}/token`, () => undefined)
    api.setHandler('DELETE /v1/widgets/x', (_, response) => sendReply(response, 200, { id: 'x' }))
    api.setHandler('POST /v1/widgets/publish', (_, response) => sendReply(response, 202, { jobId: 'j1' }))
    api.setHandler('GET /v1/jobs/j1', (_, response) =>
      sendReply(response, 200, { id: 'j1', type: 'publish', status: 'pending' }),
    )
    api.setHandler('GET /v1/jobs/j1/sse', (_, response) => sendProblem(response, 404, { detail: 'No.' }))
  })
  after(async () => {
    await bridge.stop()
    await api.stop()
  })

  const figures = async () => (await sendRawRequest(`http://127.0.0.1:${port}/metrics`, { method: 'GET' })).text
  /** The value of the one line of a figure that has all these labels; 0 where there is none. */
  const valueOf = async (name: string, labels: Record<string, string> = {}) => {
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
    const lines = (await figures())
      .split('\n')
      .filter((line) => new RegExp(`^${name}[{ ]`).test(line) && wanted.every((one) => line.includes(one)))
    return lines.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0)
  }

  it('count requests by era, method and status, and calls by operation and outcome', async () => {
    const client = await connectClient(bridge.url)
    await client.callTool({ name: 'echo', arguments: { value: 'x' } })
    await client.callTool({ name: 'refuse', arguments: { as: 'x' } })
    await client.callTool({ name: 'echo', arguments: { nothing: 'known' } })
    await sendModernRequest(bridge.url, 'tools/call', { name: 'echo', arguments: { value: 'x' } })
    const gone = new AbortController()
    const waiting = client
      .callTool({ name: 'get_widget_token', arguments: { id: widgetId } }, undefined, { signal: gone.signal })
      .catch(() => null)
    await waitUntil('the API is asked', () => api.lastRequest.url === `/v1/widgets/${widgetId}/token`)
    gone.abort()
    await waiting
    const calls = (operation: string, outcome: string) =>
      valueOf('tessera_bridge_call_seconds_count', { operation, outcome })
    await waitUntil('it is noticed', async () => (await calls('get_widget_token', 'aborted')) === 1)
    expect(await calls('echo', 'ok')).to.equal(2)
    expect(await calls('echo', 'unsent')).to.equal(1)
    expect(await calls('refuse', 'refused')).to.equal(1)
    const requests = (labels: Record<string, string>) => valueOf('tessera_bridge_request_seconds_count', labels)
    expect(await requests({ era: 'session', method: 'initialize', status: '200' })).to.equal(1)
    expect(await requests({ era: 'modern', method: 'tools/call', status: '200' })).to.equal(1)
    expect(await requests({ era: 'session', method: 'tools/call' })).to.equal(4)
    expect(await valueOf('tessera_bridge_sessions')).to.equal(1)
    expect(await valueOf('tessera_bridge_document_age_seconds')).to.be.within(0, 60)
    await client.close()
  })

  it('count what people answered, tasks, and what was not taken', async () => {
    const actions = ['accept', 'decline', 'cancel'] as const
    for (const action of actions) {
      const client = await connectClient(
        bridge.url,
        {},
        { answerQuestion: () => ({ action, ...(action === 'accept' && { content: { confirm: true } }) }) },
      )
      await client.callTool({ name: 'delete_widget', arguments: { id: 'x' } })
      await client.close()
    }
    for (const answer of actions) expect(await valueOf('tessera_bridge_asks_total', { answer }), answer).to.equal(1)
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    await sendModernRequest(
      bridge.url,
      'tools/call',
      { name: 'publish_widgets', arguments: { filters: [] } },
      { capabilities },
    )
    expect(await valueOf('tessera_bridge_tasks_total')).to.equal(1)
    await sendRawRequest(bridge.url, { headers: { host: 'evil.example' } })
    await sendRawRequest(bridge.url, { headers: { 'content-type': 'text/plain' }, body: 'x' })
    await sendRawRequest(`${bridge.url}?toolsets=nowhere`, {
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    for (const why of ['guard', 'body', 'view'])
      expect(await valueOf('tessera_bridge_refusals_total', { why }), why).to.equal(1)
  })

  it('have no label that a caller wrote', async () => {
    await sendModernRequest(bridge.url, 'canary/method', {})
    await sendModernRequest(
      bridge.url,
      'tools/call',
      { name: 'canary_tool', arguments: { canary: 1 } },
      { headers: { 'x-api-key': 'canary-key' } },
    )
    await sendModernRequest(bridge.url, 'resources/read', { uri: `${api.url}/v1/widgets/canary` })
    await sendModernRequest(bridge.url, 'prompts/get', { name: 'canary_prompt' })
    await sendModernRequest(
      bridge.url,
      'tasks/get',
      { taskId: 'canary' },
      { capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    )
    await sendModernRequest(bridge.url, 'completion/complete', {
      ref: { type: 'ref/prompt', name: 'canary' },
      argument: { name: 'canary', value: 'canary' },
    })
    const text = await figures()
    expect(text).to.contain('method="other"').and.not.to.contain('canary')
  })

  it('are at their own port only, and nowhere without one', async () => {
    expect((await sendRawRequest(bridge.url.replace('/mcp', '/metrics'), { method: 'GET' })).status).to.equal(404)
  })
})
