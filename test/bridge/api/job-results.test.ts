import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect } from 'chai'
import { callMcpTool, connectClient, getResultText } from '../../support/bridge/bridge-client.ts'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'
import {
  FixtureApi,
  getRecordedHeader,
  parseRecordedBody,
  sendProblem,
  sendReply,
  startTestBridge,
  type TestBridge,
} from '../../support/bridge/bridge-fixture.ts'
import { parseResult, sendModernRequest } from '../../support/bridge/modern-client.ts'

const link = {
  operationId: 'get_tally_v1',
  parameters: { id: '$response.body#/jobId' },
  'x-mcp-result': true,
}
const listBody = { type: 'array', items: { type: 'string' } }
const textBody = {
  type: 'object',
  required: ['text'],
  properties: { text: { type: 'string' } },
  additionalProperties: false,
}
const secret = { type: 'string', 'x-mcp-secret': true }
const accepted = { schema: { type: 'object', properties: { jobId: { type: 'string' }, ticket: secret } } }
const tallied = { schema: { type: 'object', properties: { password: secret } } }

/** The document of an API whose job is counted by another operation, and that takes lists and texts. */
function createTallyDocument() {
  const document = createBridgeDocument()
  const hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }
  document.paths['/v1/tallies'] = {
    post: {
      operationId: 'count_v1',
      summary: 'Count',
      'x-mcp-type': 'tool',
      'x-mcp-name': 'count',
      'x-mcp-hints': hints,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: listBody }, 'application/vnd.tally+json': { schema: textBody } },
      },
      responses: { 202: { description: 'Begun.', content: { 'application/json': accepted }, links: { tally: link } } },
    },
  }
  document.paths['/v1/tallies/{id}/tally'] = {
    get: {
      operationId: 'get_tally_v1',
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      responses: { 200: { description: 'It.', content: { 'application/json': tallied } } },
    },
  }
  return document
}

const state = (status: string, more: object = {}) => ({
  id: 'j1',
  type: 'count',
  status,
  total: 2,
  completed: status === 'pending' ? 0 : 1,
  failed: status === 'pending' ? 0 : 1,
  result: null,
  errors: [],
  ...more,
})
const tally = (status = 'completed') =>
  `{"job":${JSON.stringify(state(status))},"weight":1.10000000000000000001,"errors":[{"line":2,"code":"heavy"}]}`

describe('tools/call that starts a job whose result the document links', () => {
  const api = new FixtureApi()
  let bridge: TestBridge
  let client: Client
  before(async () => {
    api.document = createTallyDocument()
    await api.start()
    bridge = await startTestBridge(api.url)
    await bridge.ready
    client = await connectClient(bridge.url, { 'x-api-key': 'k' })
  })
  after(async () => {
    await client.close()
    await bridge.stop()
    await api.stop()
  })
  const ends = (...states: object[]) =>
    api.setHandler('GET /v1/jobs/j1/sse', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const one of states) response.write(`data: ${JSON.stringify(one)}\n\n`)
    })
  beforeEach(() => {
    api.clearRecords()
    api.setHandler('POST /v1/tallies', (_, response) =>
      sendReply(response, 202, '{"jobId":"j1","status":"pending","share":0.50000000000000000001}', {
        location: '/v1/jobs/j1',
      }),
    )
    api.setHandler('GET /v1/tallies/j1/tally', (_, response) => sendReply(response, 200, tally()))
    ends(state('pending'), state('completed'))
  })
  const count = () => callMcpTool(client, 'count', { text: 'a b' })

  it('is answered with the end of the job and the linked answer, though nobody asked for progress', async () => {
    const result = await count()
    expect(result.structuredContent).to.deep.equal({
      ...state('completed'),
      jobId: 'j1',
      share: 0.5,
      tally: { weight: 1.1, errors: [{ line: 2, code: 'heavy' }] },
    })
    expect(getResultText(result)).to.contain('The count job j1 is completed: 1 of 2 done, 1 failed.')
    expect(getResultText(result))
      .to.contain('"line":2')
      .and.to.contain('1.10000000000000000001')
      .and.not.to.contain('Accepted')
    expect(result.isError).to.equal(undefined)
    expect(api.recordedRequests.map(({ method, url }) => `${method} ${url}`)).to.deep.equal([
      'POST /v1/tallies',
      'GET /v1/jobs/j1/sse',
      'GET /v1/tallies/j1/tally',
    ])
    expect(getRecordedHeader(api.lastRequest, 'x-api-key')).to.equal('k')
    expect(api.complaints).to.deep.equal([])
  })

  it('says that the end is that of an earlier call, and nothing was done twice', async () => {
    api.setHandler('POST /v1/tallies', (_, response) =>
      sendReply(
        response,
        202,
        { jobId: 'j1', status: 'pending' },
        { location: '/v1/jobs/j1', 'idempotency-replayed': 'true' },
      ),
    )
    const text = getResultText(await count())
    expect(text)
      .to.contain('is completed')
      .and.to.match(/nothing was done twice\. To do it once more, add again: true\.$/)
  })

  it('takes the members of an object as arguments where the body may be a list too', async () => {
    const { tools } = await client.listTools()
    const { inputSchema } = tools.find(({ name }) => name === 'count') ?? {}
    expect(inputSchema).to.deep.include({
      properties: { text: { type: 'string' }, again: { type: 'boolean' } },
      required: ['text'],
    })
    await count()
    const [sent] = api.recordedRequests
    expect(sent && getRecordedHeader(sent, 'content-type')).to.equal('application/vnd.tally+json')
    expect(sent && parseRecordedBody(sent)).to.deep.equal({ text: 'a b' })
  })

  it('shows the secrets of both answers in structured content only, or in the text of the revision without it', async () => {
    const body = { jobId: 'j1', status: 'pending', ticket: 'hush-1' }
    api.setHandler('POST /v1/tallies', (_, response) => sendReply(response, 202, body, { location: '/v1/jobs/j1' }))
    api.setHandler('GET /v1/tallies/j1/tally', (_, response) =>
      sendReply(response, 200, { job: state('completed'), weight: 1, password: 'hush-2' }),
    )
    const result = await count()
    expect(result.structuredContent).to.deep.include({ ticket: 'hush-1', tally: { weight: 1, password: 'hush-2' } })
    expect(getResultText(result)).to.contain('"weight":1').and.not.to.contain('hush')
    const oldest = await connectClient(bridge.url, { 'x-api-key': 'k' }, { revision: '2025-03-26' })
    const shown = getResultText(await callMcpTool(oldest, 'count', { text: 'a b' }))
    expect(shown).to.contain('is completed').and.to.contain('hush-1').and.to.contain('hush-2')
    await oldest.close()
  })

  it('carries no secret in the id of a task', async () => {
    const body = { jobId: 'j1', status: 'pending', ticket: 'hush-1' }
    api.setHandler('POST /v1/tallies', (_, response) => sendReply(response, 202, body, { location: '/v1/jobs/j1' }))
    ends(state('pending'))
    api.setHandler('GET /v1/jobs/j1', (_, response) => sendReply(response, 200, state('pending')))
    const params = { name: 'count', arguments: { text: 'a b' } }
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    const { taskId } = parseResult<{ taskId: string }>(
      await sendModernRequest(bridge.url, 'tools/call', params, { capabilities }),
    )
    const carried = taskId.split('.').map((part) => Buffer.from(part, 'base64url').toString())
    expect(carried.join(' ')).to.contain('/v1/jobs/j1').and.not.to.contain('hush')
  })

  it('keeps numbers as the API wrote them, in both answers', async () => {
    const answer = await sendModernRequest(bridge.url, 'tools/call', { name: 'count', arguments: { text: 'a' } })
    expect(answer.text).to.contain('"share":0.50000000000000000001').and.to.contain('"weight":1.10000000000000000001')
    expect(parseResult(answer)['structuredContent']).to.deep.include({ status: 'completed', share: 0.5 })
  })

  it('is a failed call where the job failed, and says why', async () => {
    const errors = [{ line: 0, code: 'COUNT_FAILED', message: 'Nothing can be counted.' }]
    ends(state('failed', { errors }))
    api.setHandler('GET /v1/tallies/j1/tally', (_, response) =>
      sendReply(response, 200, `{"job":${JSON.stringify(state('failed', { errors }))},"errors":[]}`),
    )
    const result = await count()
    expect([result.isError, getResultText(result)]).to.satisfy(
      ([failed, text]: [boolean, string]) => failed && text.includes('COUNT_FAILED Nothing can be counted.'),
    )
  })

  it('is answered without it where the linked answer is refused, no object, too large or for no id', async () => {
    const large = JSON.stringify({ text: 'x'.repeat(256 * 1024) })
    for (const answer of ['[]', 'no JSON', large]) {
      api.setHandler('GET /v1/tallies/j1/tally', (_, response) => sendReply(response, 200, answer))
      const result = await count()
      expect(result.structuredContent, answer.slice(0, 20)).not.to.have.property('tally')
      expect(getResultText(result)).to.contain('is completed')
    }
    api.setHandler('GET /v1/tallies/j1/tally', (_, response) => sendProblem(response, 403, { detail: 'No.' }))
    expect((await count()).structuredContent).not.to.have.property('tally')
    api.setHandler('GET /v1/jobs/../sse', (_, response) => sendProblem(response, 404, { detail: 'No.' }))
    api.setHandler('POST /v1/tallies', (_, response) => sendReply(response, 202, { jobId: '..' }))
    expect((await count()).structuredContent).to.deep.equal({ jobId: '..' })
    expect(api.complaints).to.deep.equal([])
  })

  it('is read for a task too, once its job is over', async () => {
    ends(state('pending'))
    api.setHandler('GET /v1/jobs/j1', (_, response) => sendReply(response, 200, state('pending')))
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    const call = { name: 'count', arguments: { text: 'a' } }
    const { taskId } = parseResult(await sendModernRequest(bridge.url, 'tools/call', call, { capabilities }))
    api.setHandler('GET /v1/jobs/j1', (_, response) => sendReply(response, 200, state('completed')))
    const task = parseResult(await sendModernRequest(bridge.url, 'tasks/get', { taskId }, { capabilities }))
    expect((task['result'] as { structuredContent: object }).structuredContent).to.deep.include({
      status: 'completed',
      tally: { weight: 1.1, errors: [{ line: 2, code: 'heavy' }] },
    })
  })
})
