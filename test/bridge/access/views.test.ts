import { expect } from 'chai'
import type { ToolEntry } from '../../../tools/catalogue/catalogue.ts'
import { toolsetNames } from '../../../tools/toolsets.ts'
import { parseResult, sendModernRequest } from '../../support/bridge/modern-client.ts'
import {
  startBareSession,
  createInitializeRequest,
  parseMessages,
  postJsonRpc,
} from '../../support/bridge/bridge-client.ts'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'
import { startTestBridge, useFixtureBridge, sendReply } from '../../support/bridge/bridge-fixture.ts'

type Headers = Record<string, string>
type Answer = { status: number; text: string; message: Record<string, unknown> }

/** A client of one revision, which sends one request at a time to any address of the bridge. */
type Ask = (address: string, method: string, params?: Record<string, unknown>, headers?: Headers) => Promise<Answer>

/** The fixture's document, with operations in three toolsets, and the one that reads jobs. */
function document(): ReturnType<typeof createBridgeDocument> {
  const document = createBridgeDocument()
  const put = (path: string, method: string, toolset: string) =>
    Object.assign((document.paths[path] as Record<string, object>)[method] as object, { 'x-mcp-toolset': toolset })
  put('/v1/widgets', 'get', 'dpp')
  put('/v1/widgets', 'post', 'dpp')
  put('/v1/widgets/publish', 'post', 'dpp')
  put('/v1/widgets/{id}', 'get', 'dpp')
  put('/v1/widgets/{id}/image', 'get', 'dpp')
  put('/v1/widgets/{id}/token', 'get', 'loyalty')
  put('/v1/echo', 'post', 'loyalty')
  return document
}

for (const era of ['session', 'modern'] as const) {
  describe(`Bridge: views by query parameters, in the ${era} era`, () => {
    const { api, bridge } = useFixtureBridge()
    api.document = document()
    let ask: Ask

    before(async () => {
      const session = era === 'session' ? (await startBareSession(bridge.url, '2025-11-25')).headers : {}
      ask = async (address, method, params = {}, headers = {}) => {
        const sent = { jsonrpc: '2.0', id: 1, method, params }
        const answer =
          era === 'session'
            ? await postJsonRpc(address, sent, { ...session, ...headers })
            : await sendModernRequest(address, method, params, { headers })
        return { status: answer.status, text: answer.text, message: parseMessages(answer)[0] ?? {} }
      }
      api.setHandler('GET /v1/widgets', (_, response) => sendReply(response, 200, { data: [], total: 0 }))
      api.setHandler('POST /v1/widgets', (_, response) => sendReply(response, 201, { id: 'i', name: 'n' }))
      api.setHandler('GET /v1/widgets/a/token', (_, response) => sendReply(response, 200, 't'))
      api.setHandler('GET /v1/widgets/a/image', (_, response) =>
        sendReply(response, 200, Buffer.from([1, 2]), { 'content-type': 'image/png' }),
      )
    })

    const list = async (query: string, headers: Headers = {}): Promise<readonly ToolEntry[]> => {
      const { message } = await ask(bridge.url + query, 'tools/list', {}, headers)
      return (message['result'] as { tools: ToolEntry[] }).tools
    }
    const names = async (query: string, headers: Headers = {}) => (await list(query, headers)).map(({ name }) => name)
    const call = async (query: string, name: string, args: Record<string, unknown>) =>
      (await ask(bridge.url + query, 'tools/call', { name, arguments: args })).message

    it('lists writing operations as tools and reading ones as resources by default', async () => {
      const all = await names('')
      expect(all).to.include.members(['create_widget', 'publish_widgets', 'get_widget_token', 'note'])
      expect(all).not.to.include.members(['list_widgets']).and.not.to.include('get_widget')
    })

    it('has the tools of the named toolsets only', async () => {
      expect(await names('?toolsets=loyalty')).to.deep.equal(['echo', 'get_widget_token'])
      expect(await names('?toolsets=dpp')).to.deep.equal(['create_widget', 'publish_widgets'])
      expect(await names('?toolsets=dpp,%20loyalty')).to.deep.equal([
        'create_widget',
        'echo',
        'get_widget_token',
        'publish_widgets',
      ])
      expect(await names('?toolsets=invest')).to.deep.equal([])
      expect(await names('?toolsets=all')).to.deep.equal(await names(''))
    })

    it('has tools for reading too, with read=tools', async () => {
      expect(await names('?toolsets=dpp&read=tools')).to.deep.equal([
        'create_widget',
        'get_job',
        'get_widget',
        'get_widget_image',
        'list_widgets',
        'publish_widgets',
      ])
      expect(await names('?toolsets=loyalty&read=tools')).to.deep.equal(['echo', 'get_widget_token'])
      const read = (await list('?read=tools')).find(({ name }) => name === 'list_widgets')
      expect(read?.annotations).to.include({ readOnlyHint: true, destructiveHint: false })
      expect(Object.keys(read?.inputSchema['properties'] as object)).to.deep.equal([
        'currentPage',
        'pageSize',
        'filters',
        'sorters',
      ])
    })

    it('has nothing that writes, when it is read-only', async () => {
      const readonly = await list('?readonly=true&read=tools')
      expect(readonly.filter(({ annotations }) => !annotations.readOnlyHint)).to.deep.equal([])
      expect(readonly.map(({ name }) => name)).to.include.members(['get_widget_token', 'list_widgets'])
      expect(await names('?readonly=true')).to.deep.equal(['get_widget_token'])
      expect(await names('?readonly=false')).to.deep.equal(await names(''))
    })

    it('answers a read tool as it answers the resource', async () => {
      api.clearRecords()
      const given = { currentPage: 2, filters: { status: { eq: 'draft' } } }
      const message = await call('?read=tools', 'list_widgets', given)
      expect(message).to.have.deep.nested.property('result.structuredContent', { data: [], total: 0 })
      expect(api.lastRequest.method).to.equal('GET')
      expect(decodeURIComponent(api.lastRequest.url)).to.equal('/v1/widgets?currentPage=2&filters[status][eq]=draft')
      const image = await call('?read=tools', 'get_widget_image', { id: 'a' })
      const block = { type: 'image', data: 'AQI=', mimeType: 'image/png' }
      expect(image).to.have.deep.nested.property('result.content[0]', block)
    })

    it('does not call what it does not list', async () => {
      api.clearRecords()
      for (const [query, name] of [
        ['', 'list_widgets'],
        ['?readonly=true', 'create_widget'],
        ['?toolsets=loyalty', 'create_widget'],
        ['?toolsets=dpp', 'list_widgets'],
        ['?readonly=true&read=tools', 'publish_widgets'],
      ] as const) {
        const message = await call(query, name, { name: 'n', status: 'draft' })
        expect(message, query + name).to.have.nested.property('error.code', -32602)
        expect(message).to.have.nested.property('error.message').that.contains(name)
      }
      expect(api.recordedRequests).to.deep.equal([])
      expect(await call('?toolsets=dpp', 'create_widget', { name: 'n', status: 'draft' })).to.have.property('result')
    })

    it('can be stated by headers; the address counts before them', async () => {
      const headers = { 'x-mcp-toolsets': 'loyalty', 'x-mcp-readonly': 'true', 'x-mcp-read-tools': 'true' }
      expect(await names('', headers)).to.deep.equal(await names('?toolsets=loyalty&readonly=true&read=tools'))
      expect(await names('?readonly=false', headers)).to.deep.equal(['echo', 'get_widget_token'])
      expect(await names('?toolsets=all&read=resources&readonly=false', headers)).to.deep.equal(await names(''))
    })

    it('is refused for an empty header', async () => {
      expect((await ask(`${bridge.url}?z=1`, 'tools/list')).status).to.equal(200)
      expect((await ask(`${bridge.url}?z=1`, 'tools/list', {}, { 'x-mcp-readonly': '' })).status).to.equal(400)
    })

    it('is refused for an unknown toolset, with those that there are', async () => {
      for (const [query, headers, says] of [
        ['?toolsets=dpp,shoes', {}, 'joined by commas: account, dpp, loyalty; or all'],
        ['?toolsets=', {}, 'joined by commas: account, dpp, loyalty; or all'],
        ['?read=all', {}, 'read is not tools or resources'],
        ['?readonly=yes', {}, 'readonly is not true or false'],
        ['?schemas=some', {}, 'schemas is not full'],
        ['?readonly=true&readonly=false', {}, 'more than once'],
        ['?readOnly=true', {}, 'it is readonly=true'],
        ['?toolset=dpp', {}, 'it is toolsets=<names>'],
        ['', { 'x-mcp-toolsets': 'shoes' }, 'X-MCP-Toolsets takes names'],
        ['', { 'x-mcp-readonly': '1' }, 'X-MCP-Readonly is not true or false'],
        ['', { 'x-mcp-read-tools': 'tools' }, 'X-MCP-Read-Tools is not true or false'],
      ] as const) {
        const { status, message } = await ask(bridge.url + query, 'tools/list', {}, headers)
        expect(status, query).to.equal(400)
        expect(message).to.have.nested.property('error.message').that.contains(says)
      }
      expect((await ask(`${bridge.url}?utm_source=x&constructor=1`, 'tools/list')).status).to.equal(200)
    })

    it('has the same bytes for every caller, and at every start', async () => {
      const again = await startTestBridge(api.url)
      await again.ready
      const begin = async (url: string, headers: Headers = {}) =>
        era === 'session' ? (await startBareSession(url, '2025-11-25', headers)).headers : {}
      const session = await begin(again.url)
      const others = await begin(bridge.url, { 'x-api-key': 'another' })
      for (const query of views()) {
        const { text } = await ask(bridge.url + query, 'tools/list')
        expect(text).to.contain('"tools":[')
        const headers = { 'x-api-key': 'another', ...others }
        expect((await ask(bridge.url + query, 'tools/list', {}, headers)).text, query).to.equal(text)
        expect((await ask(again.url + query, 'tools/list', {}, session)).text, query).to.equal(text)
      }
      await again.stop()
    })

    if (era === 'session') return
    it('is kept apart by caches where a header states it', async () => {
      const scope = async (query: string, headers: Headers = {}) =>
        (await ask(bridge.url + query, 'tools/list', {}, headers)).message['result']
      expect(await scope('?toolsets=dpp')).to.have.property('cacheScope', 'public')
      expect(await scope('', { 'x-mcp-readonly': 'true' })).to.have.property('cacheScope', 'private')
      expect(await scope('?readonly=true', { 'x-mcp-readonly': 'true' })).to.have.property('cacheScope', 'public')
    })
  })
}

/** Every kind of view, and more of them than are kept. */
function views(): string[] {
  const queries = ['', '?schemas=full', '?read=tools', '?readonly=true', '?read=tools&readonly=true&schemas=full']
  const pairs = toolsetNames.flatMap((one) => toolsetNames.map((other) => `?toolsets=${one},${other}&read=tools`))
  return [...queries, ...toolsetNames.map((name) => `?toolsets=${name}`), ...pairs, ...queries]
}

describe('Bridge: the view that initialize fixes for a session', () => {
  const { api, bridge } = useFixtureBridge()
  api.document = document()

  it('leaves out toolsets that the instructions name, and those without a tool are not named', async () => {
    const { result } = await startBareSession(`${bridge.url}?toolsets=dpp`, '2025-11-25')
    const discovered = parseResult(await sendModernRequest(`${bridge.url}?toolsets=dpp`, 'server/discover'))
    for (const instructions of [String(result['instructions']), String(discovered['instructions'])]) {
      expect(toolsetNames.filter((name) => instructions.includes(`${name} (`))).to.deep.equal([
        'account',
        'dpp',
        'loyalty',
      ])
    }
  })

  it('has short instructions where it searches', async () => {
    const { result } = await startBareSession(`${bridge.url}?view=search`, '2025-11-25')
    expect(result['instructions']).to.contain('find_operation').and.not.to.contain('toolset')
  })

  it('is judged by initialize', async () => {
    const answer = await postJsonRpc(`${bridge.url}?toolsets=shoes`, createInitializeRequest('2025-11-25'))
    expect(answer.status).to.equal(400)
    expect(parseMessages(answer)[0]).to.have.nested.property('error.message').that.contains('account, dpp, loyalty')
  })
})
