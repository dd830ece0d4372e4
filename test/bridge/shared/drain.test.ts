import { request } from 'node:http'
import { connect as open } from 'node:net'
import { expect } from 'chai'
import {
  startBareSession,
  parseMessages,
  postJsonRpc,
  sendRawRequest,
  defaultHeaders,
  type RawAnswer,
} from '../../support/bridge/bridge-client.ts'
import { startTestBridge, FixtureApi, sendReply, type TestBridge } from '../../support/bridge/bridge-fixture.ts'
import { createModernRequest, sendModernRequest } from '../../support/bridge/modern-client.ts'
import { waitUntil } from '../../support/processes.ts'

const state = { id: 'j1', type: 'publish', status: 'pending', total: 3, completed: 1, failed: 0 }

describe('Bridge: stopping with calls under way', () => {
  const api = new FixtureApi()
  let bridge: TestBridge
  let release: () => void

  before(() => api.start())
  after(() => api.stop())
  beforeEach(async () => {
    api.clearRecords()
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    api.setHandler('POST /v1/wait', async (_, response) => {
      await released
      sendReply(response, 200, { done: true })
    })
    api.setHandler('POST /v1/widgets/publish', (_, response) => sendReply(response, 202, { jobId: 'j1' }))
    api.setHandler('GET /v1/jobs/j1/sse', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${JSON.stringify(state)}\n\n`)
    })
    bridge = await startTestBridge(api.url)
    await bridge.ready
  })
  afterEach(() => bridge.stop(0))

  const waitForApiRequest = () => waitUntil('the API is asked', () => api.recordedRequests.length > 0)
  const wait = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } }

  for (const era of ['session', 'modern'] as const) {
    it(`answers what is in hand, as the last on its connection (${era})`, async () => {
      const headers = era === 'session' ? (await startBareSession(bridge.url, '2025-11-25')).headers : {}
      const answer =
        era === 'session'
          ? kept(wait, headers)
          : sendModernRequest(bridge.url, 'tools/call', { name: 'wait' }, { headers: { connection: 'keep-alive' } })
      await waitForApiRequest()
      const stopped = bridge.stop()
      release()
      const { status, headers: answerHeaders, text } = await answer
      expect(status).to.equal(200)
      expect(text).to.contain('"done":true')
      expect(answerHeaders['connection']).to.equal('close')
      await stopped
    })

    it(`says how far a job is, and does not wait for its end (${era})`, async () => {
      const params = { name: 'publish_widgets', arguments: { filters: [] }, _meta: { progressToken: 1 } }
      const { message, headers } =
        era === 'session'
          ? {
              message: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
              headers: { ...defaultHeaders, ...(await startBareSession(bridge.url, '2025-11-25')).headers },
            }
          : createModernRequest(
              'tools/call',
              { name: 'publish_widgets', arguments: { filters: [] } },
              { meta: { progressToken: 1 } },
            )
      let text = ''
      const answer = new Promise<RawAnswer>((resolve, reject) => {
        const sent = request(bridge.url, { method: 'POST', headers, agent: false }, (response) => {
          response.on('data', (chunk: Buffer) => {
            text += chunk.toString()
          })
          response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
        })
        sent.on('error', reject)
        sent.end(JSON.stringify(message))
      })
      await waitUntil('the progress is told', () => text.includes('notifications/progress'))
      await bridge.stop()
      const messages = parseMessages(await answer)
      expect(messages[0]).to.have.property('method', 'notifications/progress')
      expect(messages.at(-1)).to.have.nested.property('result.content[0].text').that.contains('1 of 3 done')
    })
  }

  it('takes a question back that nobody answered, and sends nothing', async () => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
      clientInfo: { name: 'bare', version: '1' },
    }
    const begun = await postJsonRpc(bridge.url, { jsonrpc: '2.0', id: 0, method: 'initialize', params })
    const headers = { 'mcp-session-id': String(begun.headers['mcp-session-id']) }
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'delete_widget', arguments: { id: 'x' } },
    }
    let seen = ''
    const answer = new Promise<string>((resolve) => {
      const sent = request(
        bridge.url,
        { method: 'POST', headers: { ...defaultHeaders, ...headers }, agent: false },
        (response) => {
          response.on('data', (chunk: Buffer) => {
            seen += chunk.toString()
          })
          response.on('end', () => resolve(seen))
        },
      )
      sent.end(JSON.stringify(call))
    })
    await waitUntil('it is asked', () => seen.includes('elicitation/create'))
    await bridge.stop(400)
    const messages = (await answer)
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice(6)) as Record<string, unknown>)
    expect(messages[1]).to.deep.include({ method: 'notifications/cancelled' })
    expect(messages[1]).to.have.nested.property('params.requestId', messages[0]?.['id'])
    expect(messages.at(-1)).to.have.nested.property('result.isError', true)
    expect(api.recordedRequests).to.deep.equal([])
  })

  it('answers what still comes on an open connection, and nothing after it', async () => {
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    const socket = open({ host: '127.0.0.1', port: bridge.port })
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString()
    })
    const ended = new Promise((resolve) => socket.once('close', resolve))
    const message = (method: string, params: object) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: method, method, params })
      const all = {
        host: `127.0.0.1:${bridge.port}`,
        ...defaultHeaders,
        ...headers,
        'content-length': String(Buffer.byteLength(body)),
      }
      socket.write(
        `POST /mcp HTTP/1.1\r\n${Object.entries(all)
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join('')}\r\n${body}`,
      )
    }
    // Its head is sent at once, so that it cannot say any more that it is the last one.
    message('tools/call', { name: 'publish_widgets', arguments: { filters: [] }, _meta: { progressToken: 1 } })
    await waitUntil('it streams', () => text.includes('notifications/progress'))
    message('ping', {})
    message('tools/list', {})
    const stopped = bridge.stop()
    await ended
    expect(text).to.match(/"jobId":"j1"[^]*HTTP\/1\.1 200 OK[^]*Connection: close[^]*"id":"ping"/i)
    expect(text).not.to.contain('"id":"tools/list"')
    await stopped
  })

  const askReady = () =>
    sendRawRequest(bridge.url.replace('/mcp', '/health/ready'), { method: 'GET' }).then(
      ({ status }) => status,
      (cause: NodeJS.ErrnoException) => cause.code,
    )

  it('answers all who connect at the moment when it begins', async () => {
    const answers = Array.from({ length: 20 }, askReady)
    const stopped = bridge.stop()
    expect(await Promise.all(answers)).to.deep.equal(Array(20).fill(503))
    await stopped
  })

  it('is not ready any more while it stops', async () => {
    const answer = sendModernRequest(bridge.url, 'tools/call', { name: 'wait' })
    await waitForApiRequest()
    const stopped = bridge.stop()
    // What was on its way when the stop began is answered.
    const answers = [await askReady()]
    await waitUntil(
      'no connection is taken any more',
      async () => answers.push(await askReady()) > 0 && answers.at(-1) === 'ECONNREFUSED',
    )
    expect(answers.filter((one) => one !== 503 && one !== 'ECONNREFUSED')).to.deep.equal([])
    release()
    await answer
    await stopped
  })

  /** A POST of a client that would go on with its connection. */
  const kept = (message: unknown, headers: Record<string, string>) =>
    sendRawRequest(bridge.url, {
      headers: { ...defaultHeaders, ...headers, connection: 'keep-alive' },
      body: JSON.stringify(message),
    })
})
