import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { expect } from 'chai'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'
import { connectClient, getResultText } from '../../support/bridge/bridge-client.ts'
import { sendProblem, sendReply, useFixtureBridge } from '../../support/bridge/bridge-fixture.ts'
import { connectModernClient } from '../../support/bridge/modern-client.ts'
import { platform } from '../../support/platform.ts'
import { buildShop, type Shop } from '../../support/world.ts'

const callFollowed = async (client: Client, name: string, args: Record<string, unknown> = {}) =>
  (await client.callTool({ name, arguments: args }, undefined, { onprogress: () => undefined })) as CallToolResult

const parseText = ({ content }: CallToolResult): unknown => {
  const [, text] = content
  return JSON.parse(text?.type === 'text' ? text.text : '')
}

const ended = {
  id: 'j1',
  type: 'import',
  status: 'completed',
  total: 2,
  completed: 1,
  failed: 1,
  result: { made: 1 },
  errors: [{ line: 2, code: 'type', message: 'is wrong' }],
}

describe('tools/call that starts a job which ends in time', () => {
  const { api, bridge } = useFixtureBridge()
  const members = Object.fromEntries(['id', 'status', 'share', 'jobId'].map((name) => [name, {}]))
  const { jobId: _, ...shown } = members
  const document = createBridgeDocument()
  const createResponse = (status: string, properties: object) => ({
    [status]: { description: 'It.', content: { 'application/json': { schema: { type: 'object', properties } } } },
  })
  const publish = document.paths['/v1/widgets/publish'] as { post: { responses: unknown } }
  publish.post.responses = createResponse('202', members)
  document.paths['/v1/runs/{id}'] = {
    get: {
      operationId: 'get_run_v1',
      summary: 'Read a run',
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      'x-mcp-type': 'resource',
      'x-mcp-name': 'get_run',
      'x-mcp-hints': { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      responses: createResponse('200', shown),
    },
  }
  api.document = document
  let client: Client

  before(async () => {
    client = await connectClient(bridge.url)
    api.setHandler('GET /v1/jobs/j1/sse', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`data: ${JSON.stringify(ended)}\n\n`)
    })
  })
  after(() => client.close())

  const answerStarted = (body: object) =>
    api.setHandler('POST /v1/widgets/publish', (_request, response) =>
      sendReply(response, 202, body, { location: '/v1/jobs/j1' }),
    )

  it('has what was started as it is then, read again, with result and errors', async () => {
    answerStarted({ id: 'j1', status: 'pending', share: 0, jobId: 'j1' })
    api.setHandler('GET /v1/runs/j1', (_request, response) =>
      sendReply(response, 200, { id: 'j1', status: 'completed', share: 1 }),
    )
    const result = await callFollowed(client, 'publish_widgets', { filters: [] })
    expect(result.structuredContent).to.deep.equal({ ...ended, share: 1, jobId: 'j1' })
    expect(parseText(result)).to.deep.equal(result.structuredContent)
    expect(getResultText(result)).not.to.match(/pending|until its status/)
  })

  it('has the state of the job where what was started cannot be read', async () => {
    answerStarted({ id: 'j1', status: 'pending', share: 0, jobId: 'j1' })
    api.setHandler('GET /v1/runs/j1', (_request, response) => sendProblem(response, 404, { detail: 'No.' }))
    const result = await callFollowed(client, 'publish_widgets', { filters: [] })
    expect(result.structuredContent).to.deep.equal({ ...ended, share: 0, jobId: 'j1' })
  })

  it('keeps the members of another thing that the call answered, and has the job apart', async () => {
    const campaign = { id: 'c1', status: 'sending', jobId: 'j1' }
    answerStarted(campaign)
    const result = await callFollowed(client, 'publish_widgets', { filters: [] })
    expect(result.structuredContent).to.deep.equal({ ...campaign, job: ended })
    expect(parseText(result)).to.deep.equal(result.structuredContent)
  })
})

describe('POST /v1/imports over MCP with progress', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  const product = { name: 'Bag', idGranularity: 'item', itemNumber: 'I-1' }
  const args = () => ({
    application: shop.application,
    entityName: 'DppPassport',
    items: [{ product }, { product: { ...product, itemNumber: '' } }],
  })

  async function assertFinalState(result: CallToolResult): Promise<void> {
    const { jobId, report, ...body } = result.structuredContent as { jobId: string; report: object; status: string }
    expect(report).to.have.nested.property('counts.created', 1)
    expect(body, getResultText(result)).to.include({
      status: 'completed',
      total: 2,
      completed: 1,
      failed: 1,
      progress: 1,
    })
    const { body: read } = await shop.api.get(`/v1/imports/${jobId}`)
    expect(body).to.deep.equal(read)
    // The text says what became of the rows; the rest is the structured content's alone.
    const [, shown = ''] = getResultText(result).split('\n')
    expect(JSON.parse(shown)).to.deep.equal({ report })
  }

  it('answers the import as it ended in a session, in a form that the output schema allows', async () => {
    const client = await connectClient(`${platform.bridge}?schemas=full`, { 'x-api-key': shop.key })
    await client.listTools()
    await assertFinalState(await callFollowed(client, 'create_import', args()))
    await client.close()
  })

  it('answers the import as it ended in the modern era, in a form that the output schema allows', async () => {
    const client = await connectModernClient(`${platform.bridge}?schemas=full`, { 'x-api-key': shop.key })
    await client.listTools()
    const call = { name: 'create_import', arguments: args() }
    await assertFinalState((await client.callTool(call, { onprogress: () => undefined })) as CallToolResult)
    await client.close()
  })
})
