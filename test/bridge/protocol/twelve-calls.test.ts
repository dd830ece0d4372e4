import { expect } from 'chai'
import { startBareSession, connectClient, parseMessages, postJsonRpc } from '../../support/bridge/bridge-client.ts'
import { useFixtureBridge } from '../../support/bridge/bridge-fixture.ts'
import { connectModernClient, sendModernRequest, parseResult } from '../../support/bridge/modern-client.ts'
import { toPlainResult, prepareTwelveAnswers, createTwelveCalls } from './twelve-calls.ts'

type Params = Readonly<Record<string, unknown>>
type Result = Record<string, unknown>

/** One way to speak with the bridge. */
interface Speaker {
  readonly send: (method: string, params: Params) => Promise<unknown>
  readonly end: () => Promise<void>
}

describe('Bridge: twelve calls by every client and in every era', () => {
  const { api, bridge } = useFixtureBridge()

  before(() => prepareTwelveAnswers(api))

  const speakers: Record<string, () => Promise<Speaker>> = {
    'the reference client of the session era': async () => {
      const client = await connectClient(bridge.url)
      return { send: (method, params) => ask(client, method, params), end: () => client.close() }
    },
    'the newest reference client in the session era': async () => {
      const client = await connectModernClient(bridge.url, {}, { mode: 'legacy' })
      return { send: (method, params) => ask(client, method, params), end: () => client.close() }
    },
    'the newest reference client in its own era': async () => {
      const client = await connectModernClient(bridge.url)
      return { send: (method, params) => ask(client, method, params), end: () => client.close() }
    },
    'the newest reference client that finds the era by itself': async () => {
      const client = await connectModernClient(bridge.url, {}, { mode: 'auto' })
      return { send: (method, params) => ask(client, method, params), end: () => client.close() }
    },
    'a bare client of revision 2025-06-18': async () => {
      const { headers } = await startBareSession(bridge.url, '2025-06-18')
      let id = 0
      return {
        send: async (method, params) => {
          const answer = await postJsonRpc(bridge.url, { jsonrpc: '2.0', id: ++id, method, params }, headers)
          return parseMessages(answer)[0]?.['result'] as Result
        },
        end: async () => undefined,
      }
    },
    'a bare client of revision 2026-07-28': async () => ({
      send: async (method, params) => parseResult(await sendModernRequest(bridge.url, method, params)),
      end: async () => undefined,
    }),
  }

  let expected: Result[] = []
  for (const [who, connected] of Object.entries(speakers)) {
    it(`have the same results for ${who}`, async () => {
      const { send, end } = await connected()
      const results: Result[] = []
      for (const { method, params } of createTwelveCalls(api.url))
        results.push(toPlainResult(await send(method, params)))
      await end()
      expect(results).to.have.length(12)
      if (expected.length === 0) expected = results
      expect(results).to.deep.equal(expected)
    })
  }

  it('are twelve different ones', () => {
    expect(new Set(expected.map((result) => JSON.stringify(result))).size).to.equal(12)
    expect(expected.filter(({ isError }) => isError === true)).to.have.length(2)
  })
})

interface Methods {
  listTools: () => Promise<object>
  listResources: () => Promise<object>
  listResourceTemplates: () => Promise<object>
  listPrompts: () => Promise<object>
  callTool: (params: never) => Promise<object>
  readResource: (params: never) => Promise<object>
  getPrompt: (params: never) => Promise<object>
}

/** By the client's own methods, which check what they get. */
async function ask(client: Methods, method: string, params: Params): Promise<Result> {
  const given = params as never
  const sent = {
    'tools/list': () => client.listTools(),
    'resources/list': () => client.listResources(),
    'resources/templates/list': () => client.listResourceTemplates(),
    'prompts/list': () => client.listPrompts(),
    'tools/call': () => client.callTool(given),
    'resources/read': () => client.readResource(given),
    'prompts/get': () => client.getPrompt(given),
  }[method]
  if (!sent) throw new Error(`No client sends ${method}`)
  return { ...(await sent()) }
}
