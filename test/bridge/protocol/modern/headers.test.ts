import { expect } from 'chai'
import { sendRawRequest } from '../../../support/bridge/bridge-client.ts'
import { createBridgeDocument } from '../../../support/bridge/bridge-document.ts'
import {
  startTestBridge,
  FixtureApi,
  useFixtureBridge,
  parseRecordedBody,
  sendReply,
} from '../../../support/bridge/bridge-fixture.ts'
import {
  connectModernClient,
  sendModernRequest,
  createModernRequest,
  parseError,
} from '../../../support/bridge/modern-client.ts'

/** The fixture's document with a tool that has arguments to be repeated as headers. */
function documentWith(properties: object) {
  const document = createBridgeDocument()
  const query = document.paths['/v1/echo'] as Record<string, Record<string, unknown>>
  document.paths['/v1/query'] = {
    post: {
      ...query['post'],
      operationId: 'query_v1',
      'x-mcp-name': 'query',
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object', properties } } } },
    },
  }
  return document
}

const properties = {
  region: { type: 'string', 'x-mcp-header': 'Region' },
  limit: { type: 'integer', 'x-mcp-header': 'Row-Limit' },
  dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
  where: { type: 'object', properties: { zone: { type: 'string', 'x-mcp-header': 'Zone' } } },
  free: { type: 'string' },
}

describe('Revision 2026-07-28: Mcp-Method, Mcp-Name and other request headers', () => {
  const { api, bridge } = useFixtureBridge()
  api.document = documentWith(properties)

  before(() => {
    api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, { ok: true }))
    api.setHandler('POST /v1/query', (_, response) => sendReply(response, 200, { ok: true }))
    api.setHandler('GET /v1/widgets/%C3%A4', (_, response) => sendReply(response, 200, { id: 'ä' }))
  })
  beforeEach(() => api.clearRecords())

  const echo = { name: 'echo', arguments: { value: 'x' } }

  for (const [what, headers] of [
    ['without a revision', { 'mcp-protocol-version': undefined }],
    ['with another revision', { 'mcp-protocol-version': '2025-11-25' }],
    ['without the method', { 'mcp-method': undefined }],
    ['with another method', { 'mcp-method': 'tools/list' }],
    ['with the method in another case', { 'mcp-method': 'TOOLS/CALL' }],
    ['without the name', { 'mcp-name': undefined }],
    ['with another name', { 'mcp-name': 'check' }],
    ['with the name in another case', { 'mcp-name': 'Echo' }],
    ['with a name that is no base64', { 'mcp-name': '=?base64?ZW*obw==?=' }],
    ['with a name that is base64 without its end', { 'mcp-name': '=?base64?ZWNobw?=' }],
    ['with a name in the markers of another case', { 'mcp-name': '=?BASE64?ZWNobw==?=' }],
  ] as const) {
    it(`are refused ${what}, and the API sees nothing`, async () => {
      const answer = await sendModernRequest(bridge.url, 'tools/call', echo, { id: 'h', headers })
      expect(parseError(answer)).to.include({ status: 400, code: -32020, id: 'h' })
      expect(api.recordedRequests).to.have.length(0)
    })
  }

  it('are refused with bytes that are no visible ASCII, even where they are what the body says', async () => {
    const { message, headers } = createModernRequest('tools/call', { name: 'ä' }, { headers: { 'mcp-name': 'ä' } })
    const answer = await sendRawRequest(bridge.url, { headers, body: JSON.stringify(message) })
    expect(parseError(answer)).to.include({ status: 400, code: -32020 })
  })

  it('may have their names in any case, and blanks around values', async () => {
    const { message } = createModernRequest('tools/call', echo)
    const headers = {
      'CONTENT-TYPE': 'application/json',
      ACCEPT: 'application/json, text/event-stream',
      'MCP-PROTOCOL-VERSION': ' 2026-07-28 ',
      'mCP-mETHOD': '\ttools/call',
      'Mcp-NAME': 'echo \t',
    }
    expect((await sendRawRequest(bridge.url, { headers, body: JSON.stringify(message) })).status).to.equal(200)
  })

  it('name a resource by its whole address, encoded where it is not plain', async () => {
    for (const uri of [`${api.url}/v1/widgets/%C3%A4`, `${api.url}/v1/widgets/ä`]) {
      const answer = await sendModernRequest(bridge.url, 'resources/read', { uri })
      expect(answer.status, uri).to.equal(200)
    }
  })

  it('never reach the API', async () => {
    const headers = { 'x-mcp-toolsets': 'all', 'mcp-param-region': 'canary', 'last-event-id': 'canary' }
    expect((await sendModernRequest(bridge.url, 'tools/call', echo, { headers })).status).to.equal(200)
    const names = api.lastRequest.headers.map(([name]) => name)
    expect(names.filter((name) => /^(x-)?mcp/.test(name))).to.deep.equal([])
    expect(JSON.stringify(api.lastRequest.headers)).not.to.contain('canary')
    expect(api.complaints).to.deep.equal([])
  })

  it('repeat the arguments that a tool asks for', async () => {
    for (const [given, headers] of [
      [{ region: 'us-west1' }, { 'mcp-param-region': 'us-west1' }],
      [{ region: 'Größe' }, { 'mcp-param-region': `=?base64?${Buffer.from('Größe').toString('base64')}?=` }],
      [{ region: '' }, { 'mcp-param-region': '' }],
      [
        { limit: 42, dry: false },
        { 'mcp-param-row-limit': '42', 'mcp-param-dry': 'false' },
      ],
      [{ limit: 42 }, { 'mcp-param-row-limit': '42.0' }],
      [{ where: { zone: 'b' } }, { 'mcp-param-zone': 'b' }],
      [{ free: 'x' }, {}],
      [{}, { 'mcp-param-region': 'not in the body' }],
    ] as const) {
      const answer = await sendModernRequest(bridge.url, 'tools/call', { name: 'query', arguments: given }, { headers })
      expect(answer.status, JSON.stringify(given)).to.equal(200)
      expect(parseRecordedBody(api.lastRequest)).to.deep.equal(given)
    }
  })

  it('are refused where they do not repeat them, and the API sees nothing', async () => {
    for (const [given, headers] of [
      [{ region: 'us-west1' }, {}],
      [{ region: 'us-west1' }, { 'mcp-param-region': 'US-WEST1' }],
      [{ region: 'us-west1' }, { 'mcp-param-region': '=?base64?dXMtd2VzdDE?=' }],
      [{ region: 'ä' }, { 'mcp-param-region': 'ä' }],
      [{ limit: 42 }, { 'mcp-param-row-limit': '43' }],
      [{ limit: 42 }, { 'mcp-param-row-limit': '0x2a' }],
      [{ dry: true }, { 'mcp-param-dry': 'True' }],
      [{ where: { zone: 'b' } }, { 'mcp-param-zone': 'a' }],
    ] as const) {
      const answer = await sendModernRequest(
        bridge.url,
        'tools/call',
        { name: 'query', arguments: given },
        { headers, id: 3 },
      )
      expect(parseError(answer), JSON.stringify([given, headers])).to.include({ status: 400, code: -32020, id: 3 })
    }
    expect(api.recordedRequests).to.have.length(0)
  })

  it('are repeated by the reference client by itself', async () => {
    const client = await connectModernClient(bridge.url)
    const { tools } = await client.listTools()
    const { inputSchema } = tools.find(({ name }) => name === 'query') ?? {}
    expect(inputSchema).to.have.nested.property('properties.region.x-mcp-header', 'Region')
    const args = { region: 'Größe', limit: 7, where: { zone: ' z ' } }
    expect((await client.callTool({ name: 'query', arguments: args })).structuredContent).to.deep.equal({ ok: true })
    await client.close()
  })

  it('are not looked for by a session', async () => {
    const client = await connectModernClient(bridge.url, {}, { mode: 'legacy' })
    expect((await client.callTool({ name: 'query', arguments: { region: 'us-west1' } })).isError).to.not.equal(true)
    await client.close()
  })

  it('may be sent by pages of an allowed origin', async () => {
    const origin = new URL(bridge.url).origin
    const protocol = ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-param-region']
    const wanted = [...protocol, 'x-mcp-toolsets', 'x-mcp-readonly', 'x-mcp-read-tools']
    const names = [...wanted, 'x-other'].join(', ')
    const asking = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': names }
    const { headers } = await sendRawRequest(bridge.url, { method: 'OPTIONS', headers: asking })
    const allowed = String(headers['access-control-allow-headers']).toLowerCase().split(', ')
    expect(allowed).to.include.members(wanted).and.not.to.include('x-other')
  })

  for (const name of ['mcp-method', 'mcp-name', 'mcp-param-region'])
    it(`are refused where ${name} came twice`, async () => {
      const params = { name: 'query', arguments: { region: 'a' } }
      const { message, headers } = createModernRequest('tools/call', params, { headers: { 'mcp-param-region': 'a' } })
      const value = String(headers[name])
      const doubled = { ...headers, [name]: [value, value] }
      const answer = await sendRawRequest(bridge.url, { headers: doubled, body: JSON.stringify(message) })
      expect(answer.status).to.equal(400)
      expect(api.recordedRequests).to.have.length(0)
    })
})

describe('Revision 2026-07-28: a document with x-mcp-header that no client can send', () => {
  for (const [what, wrong] of [
    ['of a list', { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } }],
    ['of an alternative', { a: { anyOf: [{ type: 'string', 'x-mcp-header': 'A' }] } }],
    ['of a number', { a: { type: 'number', 'x-mcp-header': 'A' } }],
    ['of an object', { a: { type: 'object', 'x-mcp-header': 'A' } }],
    ['without a name', { a: { type: 'string', 'x-mcp-header': '' } }],
    ['with a name that is none', { a: { type: 'string', 'x-mcp-header': 'A B' } }],
    ['of the same name', { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } }],
  ] as const) {
    it(`leaves out its operation, with one line: ${what}`, async () => {
      const api = new FixtureApi()
      api.document = documentWith(wrong)
      const bridge = await startTestBridge(await api.start())
      await bridge.refresh()
      const lines = bridge.logEntries.map(({ msg }) => String(msg)).filter((msg) => msg.includes('is left out: '))
      expect(lines).to.have.length(1)
      expect(lines[0])
        .to.contain('query')
        .and.match(/header/)
      await bridge.stop()
      await api.stop()
    })
  }
})
