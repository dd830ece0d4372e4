import { expect } from 'chai'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { startBareSession, parseMessages, postJsonRpc, getResultText } from '../../support/bridge/bridge-client.ts'
import {
  connectAskingClient,
  askingRevisions,
  type PersonResponder,
  type AskingClient,
} from '../../support/bridge/asking-clients.ts'
import { createAskingDocument } from '../../support/bridge/asking-document.ts'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'
import { useFixtureBridge, sendProblem, sendReply, parseRecordedBody } from '../../support/bridge/bridge-fixture.ts'
import { parseError, parseResult, sendModernRequest } from '../../support/bridge/modern-client.ts'

type Params = Record<string, unknown>
type Headers = Record<string, string>

const png = Buffer.from('89504e470d0a1a0a0000000d', 'hex')
const times = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:01Z' }
const job = { id: 'j1', type: 'mint', status: 'completed', total: 1, completed: 1, failed: 0, errors: [], ...times }

/** Calls of every kind: written, read, refused by the schema and refused by the API. */
const calls: readonly (readonly [name: string, args: unknown])[] = [
  ['create_widget', { name: 'n', status: 'draft' }],
  ['create_widget', { name: '', status: 'none', other: 1 }],
  ['create_widget', undefined],
  ['update_widget', { id: 'a', name: 'x', name_query: 'y' }],
  ['delete_widget', { id: 'a' }],
  ['delete_widget', { id: '..' }],
  ['publish_widgets', { filters: { status: { eq: 'draft' } }, tags: ['a', 'b'] }],
  ['list_widgets', { currentPage: 2, sorters: { name: 'asc' } }],
  ['list_widgets', { filters: { nothing: { eq: 1 } } }],
  ['get_widget', { id: 'missing' }],
  ['get_widget_image', { id: 'a', format: 'png' }],
  ['get_widget_log', { id: 'a' }],
  ['get_widget_token', { id: '7c0f5a3e-1b1b-4b8e-9b6a-0a2f0c6f4c11' }],
  ['get_job', { id: 'j1' }],
  ['check', { body: { any: 1.5 } }],
  ['note', { body: 'text' }],
  ['forget', {}],
  ['refuse', { as: '409' }],
]

for (const era of ['session', 'modern'] as const) {
  describe(`call_operation in the ${era} era`, () => {
    const { api, bridge } = useFixtureBridge()
    let ask: (query: string, method: string, params?: Params, headers?: Headers) => Promise<string>

    before(async () => {
      const session = era === 'session' ? (await startBareSession(bridge.url, '2025-11-25')).headers : {}
      ask = async (query, method, params = {}, headers = {}) => {
        const { text } =
          era === 'session'
            ? await postJsonRpc(
                bridge.url + query,
                { jsonrpc: '2.0', id: 1, method, params },
                { ...session, ...headers },
              )
            : await sendModernRequest(bridge.url + query, method, params, { headers })
        return text
      }
      api.setHandler('POST /v1/widgets', (_, response) => sendReply(response, 201, '{"id":"i","name":"n","n":1.50}'))
      api.setHandler('PATCH /v1/widgets/a', (_, response) => sendReply(response, 200, { id: 'a' }))
      api.setHandler('DELETE /v1/widgets/a', (_, response) => sendReply(response, 200, { id: 'a' }))
      api.setHandler('POST /v1/widgets/publish', (_, response) => sendReply(response, 202, { jobId: 'j1', matched: 1 }))
      api.setHandler('GET /v1/widgets', (_, response) => sendReply(response, 200, { data: ['x'.repeat(300 * 1024)] }))
      api.setHandler('GET /v1/widgets/missing', (_, response) => sendProblem(response, 404, { code: 'NOT_FOUND' }))
      api.setHandler('GET /v1/widgets/a/image', (_, response) =>
        sendReply(response, 200, png, { 'content-type': 'image/png' }),
      )
      api.setHandler('GET /v1/widgets/a/log', (_, response) =>
        sendReply(response, 200, 'serial\n1\n', { 'content-type': 'text/csv' }),
      )
      api.setHandler('GET /v1/widgets/7c0f5a3e-1b1b-4b8e-9b6a-0a2f0c6f4c11/token', (_, response) =>
        sendReply(response, 200, '"t"'),
      )
      api.setHandler('GET /v1/jobs/j1', (_, response) => sendReply(response, 200, job))
      api.setHandler('POST /v1/check', (_, response) => sendReply(response, 200, [1, 2]))
      api.setHandler('POST /v1/note', (_, response) => sendReply(response, 200, {}))
      api.setHandler('POST /v1/forget', (_, response) => void response.writeHead(204).end())
      api.setHandler('POST /v1/refuse', (_, response) =>
        sendProblem(response, 409, { code: 'WIDGET_IN_PROGRESS', detail: 'It runs.' }),
      )
    })

    const callInside = (query: string, name: string, args: unknown) =>
      ask(`${query}${query === '' ? '?' : '&'}view=search`, 'tools/call', {
        name: 'call_operation',
        arguments: { name, ...(args !== undefined && { arguments: args }) },
      })

    it('gives the result of the tool itself, byte for byte, and sends the same request', async () => {
      for (const [name, args] of calls) {
        api.clearRecords()
        const direct = await ask('?read=tools', 'tools/call', { name, ...(args !== undefined && { arguments: args }) })
        const sent = api.recordedRequests.map(({ method, url, body }) => ({ method, url, body: String(body) }))
        api.clearRecords()
        const inside = await callInside('', name, args)
        expect(inside, `${name} ${JSON.stringify(args)}`).to.equal(direct)
        expect(inside).to.contain('"result"')
        expect(
          api.recordedRequests.map(({ method, url, body }) => ({ method, url, body: String(body) })),
          name,
        ).to.deep.equal(sent)
      }
    })

    it('calls only what the view shows, and says which parameter shows the rest', async () => {
      api.clearRecords()
      for (const [query, name, says] of [
        ['?readonly=true', 'create_widget', 'without readonly=true'],
        ['?toolsets=dpp', 'create_widget', 'without toolsets'],
        ['?toolsets=dpp&readonly=true', 'create_widget', 'without readonly=true and without toolsets'],
      ] as const) {
        const refused = await callInside(query, name, { name: 'n', status: 'draft' })
        expect(refused, query).to.contain('"isError":true').and.to.contain(says)
      }
      expect(api.recordedRequests).to.deep.equal([])
      expect(await callInside('?readonly=true', 'get_job', { id: 'j1' })).to.contain('completed')
    })

    it('hints at the worst that it may call', async () => {
      const hintsOf = async (query: string) => {
        const { result } = parse(await ask(query, 'tools/list')) as {
          result: { tools: { name: string; annotations: object }[] }
        }
        expect(result.tools.map(({ name }) => name)).to.deep.equal([
          'call_operation',
          'describe_operation',
          'find_operation',
        ])
        return result.tools[0]?.annotations
      }
      const writing = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false }
      expect(await hintsOf('?view=search')).to.deep.equal(writing)
      const reading = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
      expect(await hintsOf('?view=search&readonly=true')).to.deep.equal(reading)
    })

    it('refuses wrong arguments with their path', async () => {
      for (const [args, path] of [
        [{}, 'name: is missing'],
        [{ name: 7 }, 'name: must be string'],
        [{ name: 'note', arguments: 'x' }, 'arguments: must be object'],
        [{ name: 'note', body: 'x' }, 'body: is not known here'],
        [{ name: 'call_operation' }, 'name: There is no tool'],
      ] as const) {
        const text = await ask('?view=search', 'tools/call', { name: 'call_operation', arguments: args })
        expect(text).to.contain('"isError":true').and.to.contain(path)
      }
    })

    it('can be asked for by a header; the address counts before it', async () => {
      const names = async (query: string, headers: Headers) =>
        (parse(await ask(query, 'tools/list', {}, headers)) as { result: { tools: { name: string }[] } }).result.tools
          .length
      expect(await names('', { 'x-mcp-view': 'search' })).to.equal(3)
      expect(await names('?view=default', { 'x-mcp-view': 'search' })).to.be.above(3)
      for (const query of ['?view=find', '?View=search', '?views=search', '?search=true', '?view=search&view=search'])
        expect(await ask(query, 'tools/list'), query)
          .to.contain('"error"')
          .and.to.contain('view')
      expect(await ask('', 'tools/list', {}, { 'x-mcp-view': '1' })).to.contain('X-MCP-View is not search or default')
    })

    it('reports the nearest names of an unknown tool and of an unknown resource', async () => {
      const errorOf = async (query: string, method: string, params: Params) =>
        (parse(await ask(query, method, params)) as { error: { code: number; message: string } }).error
      const tool = await errorOf('', 'tools/call', { name: 'create_wiget' })
      expect(tool.code).to.equal(-32602)
      expect(tool.message).to.match(/^There is no tool "create_wiget"\. The nearest are create_widget/)
      expect(tool.message.split(', ')).to.have.length.at.most(3)
      const nearestResource = await errorOf('', 'tools/call', { name: 'list_wigets' })
      expect(nearestResource.message).to.contain(`list_widgets (the resource ${api.url}/v1/widgets)`)
      const hidden = await errorOf('', 'tools/call', { name: 'list_widgets' })
      expect(hidden.message).to.contain('with read=tools').and.to.contain(`${api.url}/v1/widgets`)
      const uri = `${api.url}/v1/widgts`
      const resource = await errorOf('', 'resources/read', { uri })
      expect(resource.code).to.equal(era === 'session' ? -32002 : -32602)
      expect(resource.message).to.contain(`The nearest are ${api.url}/v1/widgets`)
      const named = await errorOf('', 'resources/read', { uri: 'get_job' })
      expect(named.message).to.contain(`${api.url}/v1/jobs/{id}`)
    })
  })
}

function parse(text: string): unknown {
  return parseMessages({
    status: 200,
    text,
    headers: { 'content-type': text.startsWith('{') ? '' : 'text/event-stream' },
  })[0]
}

describe('call_operation of what asks people', () => {
  const { api, bridge } = useFixtureBridge()
  api.document = createAskingDocument()
  before(() => {
    api.setHandler('POST /v1/guests', (_, response) => sendReply(response, 200, { invited: true }))
    api.setHandler('POST /v1/shops/s-1/close', (_, response) => sendReply(response, 200, { closed: true }))
  })
  beforeEach(() => api.clearRecords())

  const accept = (content: Params) => ({ action: 'accept' as const, content: content as Record<string, string> })
  const using = async (
    revision: (typeof askingRevisions)[number],
    person: PersonResponder | null,
    work: (client: AskingClient) => Promise<CallToolResult>,
  ) => {
    const client = await connectAskingClient(`${bridge.url}?view=search`, revision, person)
    try {
      return { result: await work(client), shownQuestions: client.shownQuestions }
    } finally {
      await client.close()
    }
  }

  for (const revision of askingRevisions) {
    it(`asks for values and for consent in revision ${revision}`, async () => {
      const person: PersonResponder = (_, time) => accept(time === 1 ? { name: 'Corner' } : { confirm: true })
      const { result, shownQuestions } = await using(revision, person, (client) =>
        client.call('call_operation', { name: 'close_shop', arguments: { id: 's-1' } }),
      )
      expect(result.structuredContent).to.deep.equal({ closed: true })
      expect(shownQuestions.map(({ message }) => message)).to.deep.equal([
        'What is its name?',
        'Close a shop: id "s-1", name "Corner". This cannot be undone.',
      ])
      expect(parseRecordedBody(api.lastRequest)).to.deep.equal({ name: 'Corner' })
    })

    it(`sends nothing that is declined in revision ${revision}`, async () => {
      const { result } = await using(
        revision,
        () => ({ action: 'decline' }),
        (client) => client.call('call_operation', { name: 'invite_guest', arguments: { note: 'n' } }),
      )
      expect(getResultText(result)).to.contain('The user declined')
      expect(api.recordedRequests).to.deep.equal([])
    })
  }

  it('counts a sealed answer only for the same inner call', async () => {
    const capabilities = { elicitation: {} }
    const url = `${bridge.url}?view=search`
    const params = { name: 'call_operation', arguments: { name: 'close_shop', arguments: { id: 's-1' } } }
    const first = parseResult(await sendModernRequest(url, 'tools/call', params, { capabilities }))
    expect(first).to.have.nested.property('resultType', 'input_required')
    const other = { name: 'call_operation', arguments: { name: 'close_shop', arguments: { id: 's-2' } } }
    const { requestState } = first
    const inputResponses = { name: { action: 'accept', content: { name: 'Corner' } } }
    const refused = parseError(
      await sendModernRequest(url, 'tools/call', { ...other, requestState, inputResponses }, { capabilities }),
    )
    expect(refused.code).to.equal(-32602)
    const second = parseResult(
      await sendModernRequest(url, 'tools/call', { ...params, requestState, inputResponses }, { capabilities }),
    )
    expect(second).to.have.nested.property('inputRequests.confirm')
    expect(api.recordedRequests).to.deep.equal([])
  })
})

describe('call_operation of a long act', () => {
  const { api, bridge } = useFixtureBridge()
  const document = createBridgeDocument()
  const region = { type: 'string', 'x-mcp-header': 'Region' }
  Object.assign((document.components.schemas['Echo'] as { properties: object }).properties, { region })
  api.document = document

  it('reports the progress of the job that it started, in both eras', async () => {
    api.setHandler('POST /v1/widgets/publish', (_, response) => sendReply(response, 202, { jobId: 'j1', matched: 1 }))
    api.setHandler('GET /v1/jobs/j1', (_, response) => sendReply(response, 200, job))
    api.setHandler('GET /v1/jobs/j1/sse', (_, response) => {
      const event = (state: object) => `event: progress\ndata: ${JSON.stringify({ ...job, ...state })}\n\n`
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(event({ status: 'running', completed: 0 }) + event({}))
    })
    for (const revision of ['2025-11-25', '2026-07-28'] as const) {
      const client = await connectAskingClient(`${bridge.url}?view=search`, revision, null)
      const seen: number[] = []
      const result = await client.call(
        'call_operation',
        { name: 'publish_widgets', arguments: { filters: [] } },
        ({ progress }) => seen.push(progress),
      )
      expect(getResultText(result), revision).to.contain('completed')
      expect(seen, revision).not.to.have.length(0)
      await client.close()
    }
  })

  it('takes a header that repeats an argument only where it says the same', async () => {
    api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, {}))
    const params = { name: 'call_operation', arguments: { name: 'echo', arguments: { value: 'v', region: 'eu' } } }
    const send = (headers: Headers) => sendModernRequest(`${bridge.url}?view=search`, 'tools/call', params, { headers })
    expect(parseResult(await send({}))).to.have.deep.property('structuredContent', {})
    expect(parseResult(await send({ 'mcp-param-region': 'eu' }))).to.have.deep.property('structuredContent', {})
    expect(parseError(await send({ 'mcp-param-region': 'us' })).code).to.equal(-32020)
  })
})
