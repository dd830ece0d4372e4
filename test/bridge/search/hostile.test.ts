import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect } from 'chai'
import { callMcpTool, catchError, connectClient, getResultText } from '../../support/bridge/bridge-client.ts'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'
import { useFixtureBridge } from '../../support/bridge/bridge-fixture.ts'

const kinds = Array.from({ length: 12 }, (_, at) => `kind${at}`)
const sides = Array.from({ length: 12 }, (_, at) => `side${at}`)
const node = { $ref: '#/components/schemas/Node' }

/** A document with a tool whose body is a tree: each node is one of 12 kinds and has 12 nodes. */
function createTreeDocument() {
  const document = createBridgeDocument()
  document.components.schemas['Node'] = {
    anyOf: kinds.map((kind) => ({
      type: 'object',
      properties: { [kind]: { const: kind }, ...Object.fromEntries(sides.map((side) => [side, node])) },
      required: [kind, ...sides],
    })),
  }
  const createTool = (name: string, schema: object) => ({
    post: {
      operationId: `${name}_v1`,
      summary: name,
      'x-mcp-type': 'tool',
      'x-mcp-name': name,
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: { 204: { description: 'Done.' } },
    },
  })
  document.paths['/v1/trees'] = createTool('plant_tree', {
    type: 'object',
    properties: { root: node, name: { type: 'string' } },
    required: ['root', 'name'],
  })
  document.paths['/v1/novels'] = createTool('write_novel', {
    type: 'object',
    properties: { text: { type: 'string', minLength: 500_000_000 } },
    required: ['text'],
  })
  return document
}

describe('Bridge: the search view of a document and for callers that want to exhaust it', () => {
  const { api, bridge } = useFixtureBridge()
  api.document = createTreeDocument()
  let client: Client
  before(async () => {
    client = await connectClient(`${bridge.url}?view=search`)
  })
  after(() => client.close())

  it('finds nothing for a word that is the name of a member of every object', async () => {
    const result = await callMcpTool(client, 'find_operation', { query: 'constructor' })
    expect(result.structuredContent).to.have.property('operations').that.deep.equals([])
  })

  it('names no whole text in the error of an unknown tool, and compares only its beginning', async () => {
    const name = 'qzxwvjkq '.repeat(200_000)
    const { message } = await catchError(client.callTool({ name, arguments: {} }))
    expect(message).to.contain('There is no tool "qzxwvjkq').and.to.have.length.below(1_000)
    const { message: missing } = await catchError(client.readResource({ uri: `things://${name}` }))
    expect(missing).to.contain('The address is not one of this API.').and.to.have.length.below(1_000)
  })

  for (const name of ['plant_tree', 'write_novel'])
    it(`describes ${name}, of which no small arguments are valid, without an example`, async () => {
      const result = await callMcpTool(client, 'describe_operation', { name })
      expect(result.isError ?? false, getResultText(result)).to.equal(false)
      expect(result.structuredContent).to.include({ name }).and.not.to.have.property('example')
    })
})
