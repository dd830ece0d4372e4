import { classifyInboundRequest } from '@modelcontextprotocol/server'
import { expect } from 'chai'
import { parseModernRequest } from '../../../../bridge/protocol/modern/envelope.ts'
import { postJsonRpc } from '../../../support/bridge/bridge-client.ts'
import { useFixtureBridge } from '../../../support/bridge/bridge-fixture.ts'
import {
  createEnvelope,
  sendModernRequest,
  createModernHeaders,
  parseError,
  parseResult,
  modernRevision,
} from '../../../support/bridge/modern-client.ts'

const version = 'io.modelcontextprotocol/protocolVersion'
const capabilities = 'io.modelcontextprotocol/clientCapabilities'
const client = 'io.modelcontextprotocol/clientInfo'

describe('Revision 2026-07-28: _meta of a request', () => {
  const { api, bridge } = useFixtureBridge()

  const send = (meta: unknown, headers: Record<string, string> = {}) => {
    const message = { jsonrpc: '2.0', id: 'r', method: 'server/discover', params: { _meta: meta } }
    return postJsonRpc(bridge.url, message, { ...createModernHeaders('server/discover'), ...headers })
  }

  for (const [what, meta, named] of [
    ['without _meta', undefined, '_meta'],
    ['without a revision', { [capabilities]: {} }, version],
    ['with a revision that is no text', { ...createEnvelope(), [version]: 20260728 }, version],
    ['without capabilities', { [version]: modernRevision }, capabilities],
    ['with capabilities that are no object', { ...createEnvelope(), [capabilities]: 'all' }, capabilities],
    [
      'with a capability that is no object',
      { ...createEnvelope(), [capabilities]: { elicitation: 'form' } },
      'elicitation',
    ],
    ['with a client that has no name', { ...createEnvelope(), [client]: { version: '1' } }, client],
  ] as const) {
    it(`is refused ${what}, by name`, async () => {
      const refusal = parseError(await send(meta))
      expect(refusal).to.include({ status: 400, code: -32602, id: 'r' })
      expect(refusal.message).to.contain(named)
    })
  }

  it('need not name the client', async () => {
    expect((await send(createEnvelope())).status).to.equal(200)
  })

  it('may hold what nobody knows here', async () => {
    expect((await send({ ...createEnvelope({ telepathy: {} }), 'example.com/x': 1 })).status).to.equal(200)
  })

  for (const revision of ['v999.0.0', '2099-01-01', '2025-11-25'])
    it(`is refused with the revision ${revision}, and told those that there are`, async () => {
      const refusal = parseError(
        await send({ ...createEnvelope(), [version]: revision }, { 'mcp-protocol-version': revision }),
      )
      expect(refusal).to.include({ status: 400, code: -32022, id: 'r' })
      const { supportedVersions } = parseResult(await send(createEnvelope()))
      expect(refusal.data).to.deep.equal({ supported: supportedVersions, requested: revision })
    })

  it('never reaches the API', async () => {
    api.setHandler('POST /v1/echo', (_, response) => void response.end('{}'))
    const meta = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, 'example.com/secret': 'canary' }
    await sendModernRequest(bridge.url, 'tools/call', { name: 'echo', arguments: { value: 'x' } }, { meta })
    expect(JSON.stringify([api.lastRequest.headers, api.lastRequest.body.toString()])).not.to.contain('canary')
    expect(api.complaints).to.deep.equal([])
  })
})

/** A request in which everything is said that the revision knows. */
const everything = () => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/list',
  params: {
    more: { a: 1 },
    _meta: {
      ...createEnvelope({
        experimental: { x: { y: 1 } },
        sampling: { context: {}, tools: {} },
        elicitation: { form: { applyDefaults: true }, url: {} },
        roots: { listChanged: true },
        extensions: { 'io.modelcontextprotocol/tasks': {} },
        telepathy: {},
      }),
      [client]: {
        name: 'c',
        version: '1',
        title: 'C',
        websiteUrl: 'https://c.example',
        description: 'D',
        icons: [{ src: 'https://c.example/i', mimeType: 'image/png', sizes: ['1x1'], theme: 'dark' }],
      },
      'io.modelcontextprotocol/logLevel': 'error',
      'io.modelcontextprotocol/related-task': { taskId: 't' },
      progressToken: 't',
      'example.com/x': [1],
    },
  },
})

type Node = Record<string, unknown>
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** Every place in a value, by the names that lead to it. */
const placesIn = (value: unknown, at: readonly string[] = []): string[][] =>
  isNode(value) ? Object.keys(value).flatMap((key) => [[...at, key], ...placesIn(value[key], [...at, key])]) : []

/** The request with another value in one place; undefined: with nothing there. */
function changed(place: readonly string[], value: unknown): Node {
  const message: Node = everything()
  let node = message
  for (const key of place.slice(0, -1)) node = node[key] as Node
  node[place.at(-1) ?? ''] = value
  return JSON.parse(JSON.stringify(message)) as Node
}

describe('Revision 2026-07-28: requests answered without the SDK', () => {
  const headers = createModernHeaders('tools/list')
  const byUs = (message: unknown) => parseModernRequest(message, headers) !== null
  const bySdk = (body: unknown) => {
    const classified = classifyInboundRequest({
      httpMethod: 'POST',
      protocolVersionHeader: modernRevision,
      mcpMethodHeader: 'tools/list',
      body,
    })
    return classified.kind === 'modern' && classified.messageKind === 'request'
  }

  it('is one that the SDK takes, whatever one changes in it, and each that it takes', () => {
    const values = [undefined, null, true, 0, -1.5, 2 ** 60, '', 'dark', 'x', [], ['x'], [{}], {}, { x: {} }, { x: 1 }]
    const places = placesIn(everything())
    let taken = 0
    for (const place of places) {
      for (const value of values) {
        const message = changed(place, value)
        const what = `${place.join('.')} = ${JSON.stringify(value)}`
        expect(byUs(message), what).to.equal(bySdk(message))
        if (byUs(message)) taken++
      }
    }
    expect(byUs(everything())).to.equal(true)
    // Both answers come often: the two are not the same for never saying no, or never yes.
    expect(taken).to.be.within(places.length, places.length * (values.length - 4))
  })
})

describe('Revision 2026-07-28: unknown methods, tools and tasks', () => {
  const { bridge } = useFixtureBridge()

  for (const method of [
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'subscriptions/listen',
    'tasks/list',
    'tasks/result',
    'unknown/method',
    'Tools/list',
    '',
    'constructor',
  ])
    it(`is answered 404 as a method: ${JSON.stringify(method)}`, async () => {
      const answer = await sendModernRequest(bridge.url, method, {}, { id: 'x' })
      expect(parseError(answer)).to.include({ status: 404, code: -32601, id: 'x' })
    })

  it('is told of a task by what is wrong with its id', async () => {
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    for (const [taskId, name] of [
      [7, '7'],
      [7, undefined],
      ['x', 'x'],
      [undefined, undefined],
    ] as const) {
      const answer = await sendModernRequest(
        bridge.url,
        'tasks/get',
        { taskId },
        { capabilities, headers: { 'mcp-name': name } },
      )
      expect(parseError(answer), String(taskId)).to.include({ status: 200, code: -32602 })
    }
  })

  it('is answered in JSON only: who does not take that is told so', async () => {
    for (const [accept, status] of [
      ['text/event-stream', 406],
      ['text/html', 406],
      ['application/json', 200],
      ['*/*', 200],
      ['text/html, application/*;q=0.5', 200],
      [undefined, 200],
    ] as const)
      expect((await sendModernRequest(bridge.url, 'tools/list', {}, { headers: { accept } })).status, accept).to.equal(
        status,
      )
  })
})
