import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect } from 'chai'
import {
  callMcpTool,
  connectClient,
  defaultHeaders,
  getResultText,
  postJsonRpc,
  readResourceText,
  sendRawRequest,
  startBareSession,
} from '../../support/bridge/bridge-client.ts'
import { sendReply, useFixtureBridge } from '../../support/bridge/bridge-fixture.ts'
import { defaultSessionLimits } from '../../../bridge/shared/session-cache.ts'
import { sendModernRequest } from '../../support/bridge/modern-client.ts'

/** Numbers that a double changes: too many digits, too precise, too large, too small. */
const numbers = '"big":12345678901234567890,"fine":0.12345678901234567891,"huge":1e400,"tiny":-5e-400,"plain":1.0'
const body = `{${numbers},"list":[9007199254740993]}`
const literals = ['12345678901234567890', '0.12345678901234567891', '1e400', '-5e-400', '9007199254740993']

function assertExact(text: string, where: string): void {
  for (const literal of literals) expect(text, `${where}: ${literal}`).to.contain(literal)
}

describe('Bridge: numbers that a double cannot hold', () => {
  for (const bypassSdk of [true, false]) {
    describe(bypassSdk ? 'in answers of the bridge' : 'in answers that the SDK serialises', () => {
      const { api, bridge } = useFixtureBridge({}, { ...defaultSessionLimits, bypassSdk })
      let session: Record<string, string>
      let client: Client

      before(async () => {
        ;({ headers: session } = await startBareSession(bridge.url, '2025-11-25'))
        client = await connectClient(bridge.url)
      })
      after(() => client.close())
      beforeEach(() => {
        api.clearRecords()
        api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, body))
        api.setHandler('POST /v1/check', (_, response) => sendReply(response, 200, '[9007199254740993]'))
      })

      const call = (name: string, args: object) => ({ name, arguments: args })
      const callInSession = async (name: string, args: object) => {
        const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call(name, args) }
        return (await postJsonRpc(bridge.url, message, session)).text
      }

      it('stay as written in structured content of both eras', async () => {
        const structureOf = (text: string) => text.slice(text.indexOf('"structuredContent":'))
        assertExact(structureOf(await callInSession('echo', { value: 'x' })), 'session')
        const modern = await sendModernRequest(bridge.url, 'tools/call', call('echo', { value: 'x' }))
        assertExact(structureOf(modern.text), 'modern')
      })

      it('stay as written where structured content is wrapped', async () => {
        expect(await callInSession('check', { body: {} })).to.contain(
          '"structuredContent":{"result":[9007199254740993]}',
        )
      })

      it('stay as written in the text', async () => {
        assertExact(getResultText(await callMcpTool(client, 'echo', { value: 'x' })), 'text')
      })

      it('stay as written in resources', async () => {
        api.setHandler('GET /v1/widgets/stats', (_, response) => sendReply(response, 200, body))
        expect((await readResourceText(client, `${api.url}/v1/widgets/stats`)).text).to.equal(body)
      })

      it('stay as written in the problem of a failure, as a result and as an error', async () => {
        const problem = `{"type":"about:blank","title":"T","status":409,"detail":"No.",${numbers},"list":[9007199254740993]}`
        const type = { 'content-type': 'application/problem+json' }
        api.setHandler('POST /v1/refuse', (_, response) => sendReply(response, 409, problem, type))
        api.setHandler('GET /v1/widgets/stats', (_, response) => sendReply(response, 409, problem, type))
        assertExact(await callInSession('refuse', { as: 'x' }), 'session result')
        const params = { uri: `${api.url}/v1/widgets/stats` }
        const read = { jsonrpc: '2.0', id: 2, method: 'resources/read', params }
        assertExact((await postJsonRpc(bridge.url, read, session)).text, 'session error')
        const modern = await sendModernRequest(bridge.url, 'tools/call', call('refuse', { as: 'x' }))
        assertExact(modern.text, 'modern result')
        assertExact((await sendModernRequest(bridge.url, 'resources/read', params)).text, 'modern error')
      })

      it('are refused in arguments, and nothing is sent', async () => {
        const text =
          '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"value":9007199254740993}}}'
        const answer = await sendRawRequest(bridge.url, { headers: { ...defaultHeaders, ...session }, body: text })
        expect(answer.status).to.equal(400)
        expect(answer.text).to.contain('9007199254740993')
        expect(api.recordedRequests).to.deep.equal([])
      })

      it('are passed on as written in the filters of an address', async () => {
        api.setHandler('GET /v1/widgets', (_, response) => sendReply(response, 200, { data: [], total: 0 }))
        for (const filters of [
          '{"status":{"gt":9007199254740993}}',
          '{"status":9007199254740993}',
          '[9007199254740993]',
        ]) {
          await readResourceText(client, `${api.url}/v1/widgets?filters=${encodeURIComponent(filters)}`)
          expect(decodeURIComponent(api.lastRequest.url), filters).to.contain('9007199254740993')
        }
      })
    })
  }

  describe('in a job', () => {
    const { api, bridge } = useFixtureBridge()

    it('stay as written in its result', async () => {
      const client = await connectClient(bridge.url)
      const job = `{"id":"j1","type":"publish","status":"completed","total":1,"completed":1,"failed":0,"result":${body},"errors":[]}`
      api.setHandler('POST /v1/widgets/publish', (_, response) =>
        sendReply(response, 202, { jobId: 'j1' }, { location: '/v1/jobs/j1' }),
      )
      api.setHandler('GET /v1/jobs/j1/sse', (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(`id: 1\ndata: ${job}\n\n`)
      })
      const params = { name: 'publish_widgets', arguments: { filters: [] } }
      const result = await client.callTool(params, undefined, { onprogress: () => undefined })
      assertExact(JSON.stringify(result.content), 'text')
      api.setHandler('GET /v1/jobs/j1', (_, response) => sendReply(response, 200, job))
      const answer = await sendModernRequest(bridge.url, 'tools/call', params, { meta: { progressToken: 1 } })
      assertExact(answer.text.slice(answer.text.indexOf('"structuredContent"')), 'modern')
      await client.close()
    })
  })
})
