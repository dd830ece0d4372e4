import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect } from 'chai'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'
import { callMcpTool, connectClient, getResultText } from '../../support/bridge/bridge-client.ts'
import { sendReply, useFixtureBridge } from '../../support/bridge/bridge-fixture.ts'
import { parseResult, sendModernRequest } from '../../support/bridge/modern-client.ts'
import { platform } from '../../support/platform.ts'
import { buildPublishedPassport, buildSheet, buildShop } from '../../support/world.ts'

const secret = { type: 'string', 'x-mcp-secret': true }
const shape = {
  type: 'object',
  properties: {
    token: secret,
    keys: { type: 'array', items: { $ref: '#/components/schemas/SecretKey' } },
    byName: { type: 'object', additionalProperties: { anyOf: [secret, { type: 'null' }] } },
  },
}
const answer = {
  name: 'plain',
  token: 'hush-1',
  keys: [{ key: 'hush-2', inner: { key: 'hush-3' } }],
  byName: { a: 'hush-4', b: null },
}
const masked = {
  name: 'plain',
  token: '(in structuredContent)',
  keys: [{ key: '(in structuredContent)', inner: { key: '(in structuredContent)' } }],
  byName: { a: '(in structuredContent)', b: null },
}

describe('tools/call: secrets in an answer', () => {
  const { api, bridge } = useFixtureBridge()
  const document = createBridgeDocument()
  document.components.schemas['SecretKey'] = {
    type: 'object',
    properties: { key: secret, inner: { $ref: '#/components/schemas/SecretKey' } },
  }
  const token = document.paths['/v1/widgets/{id}/token'] as { get: { responses: unknown } }
  token.get.responses = { 200: { description: 'It.', content: { 'application/json': { schema: shape } } } }
  api.document = document
  const call = { name: 'get_widget_token', arguments: { id: '0198c0de-0000-7000-8000-000000000001' } }
  let client: Client

  before(async () => {
    client = await connectClient(bridge.url)
    api.setHandler(`GET /v1/widgets/${call.arguments.id}/token`, (_, response) => sendReply(response, 200, answer))
  })
  after(() => client.close())

  it('stand in structured content, and not in the text, in a session', async () => {
    const result = await callMcpTool(client, call.name, call.arguments)
    expect(result.structuredContent).to.deep.equal(answer)
    expect(JSON.parse(getResultText(result))).to.deep.equal(masked)
  })

  it('stand in structured content, and not in the text, in the modern era', async () => {
    const result = parseResult<{ content: { text: string }[] }>(await sendModernRequest(bridge.url, 'tools/call', call))
    expect(result).to.have.deep.property('structuredContent', answer)
    expect(JSON.parse(result.content[0]?.text ?? '')).to.deep.equal(masked)
  })

  it('stand in the text of the revision that has no structured content', async () => {
    const oldest = await connectClient(bridge.url, {}, { revision: '2025-03-26' })
    const result = await callMcpTool(oldest, call.name, call.arguments)
    expect(result).not.to.have.property('structuredContent')
    expect(JSON.parse(getResultText(result))).to.deep.equal(answer)
    await oldest.close()
  })

  it('are in no line of the log', () => {
    expect(bridge.logEntries).not.to.deep.equal([])
    expect(JSON.stringify(bridge.logEntries)).not.to.contain('hush')
  })
})

describe('GET /v1/dpp/passports/{id}/magic-token over MCP', () => {
  it('gives the token and its address as structured content only', async () => {
    const shop = await buildShop()
    const { id } = await buildPublishedPassport(shop, await buildSheet(shop))
    const client = await connectClient(platform.bridge, { 'x-api-key': shop.key })
    const result = await callMcpTool(client, 'get_dpp_passport_magic_token', { id })
    const { token, url, expiresAt } = result.structuredContent as Record<string, string>
    expect(url).to.contain(token)
    const mark = '(in structuredContent)'
    expect(JSON.parse(getResultText(result))).to.deep.equal({ token: mark, url: mark, expiresAt })
    await client.close()
  })
})
