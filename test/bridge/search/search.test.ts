import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { connectClient, callMcpTool, catchError, getResultText } from '../../support/bridge/bridge-client.ts'
import { useFixtureBridge } from '../../support/bridge/bridge-fixture.ts'
import { connectModernClient } from '../../support/bridge/modern-client.ts'
import { readCommittedCatalogue } from '../../support/bridge/committed-catalogue.ts'
import { countToolTokens, countTextTokens } from '../../support/bridge/tool-tokens.ts'
import { findQueries } from './queries.ts'

interface Description {
  name: string
  kind: string
  description: string
  inputSchema: { properties: Record<string, unknown> }
  example?: Record<string, unknown>
  filterFields?: string
  sorterFields?: string
  destructiveHint: boolean
}

const committed = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')) as unknown
const connectors = { session: connectClient, modern: connectModernClient } as const

for (const era of ['session', 'modern'] as const) {
  describe(`Bridge: the search view of the whole document, in the ${era} era`, () => {
    const { api, bridge } = useFixtureBridge()
    api.document = committed
    const catalogue = readCommittedCatalogue()
    let client: Awaited<ReturnType<typeof connectClient>>

    before(async () => {
      const connect = connectors[era] as typeof connectClient
      client = await connect(`${bridge.url}?view=search`)
    })
    after(() => client.close())

    const find = async (query: string) => {
      const { structuredContent } = await callMcpTool(client, 'find_operation', { query })
      return (structuredContent as { operations: { name: string; kind: string; summary: string }[] }).operations
    }
    const describeOperation = async (name: string) =>
      (await callMcpTool(client, 'describe_operation', { name })).structuredContent as unknown as Description

    it('lists three tools, in at most 1,200 tokens, with short instructions', async () => {
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).to.deep.equal(['call_operation', 'describe_operation', 'find_operation'])
      expect(countToolTokens(tools as never)).to.be.at.most(600)
      expect(client.getInstructions()).to.contain('find_operation')
      expect(countTextTokens(client.getInstructions() ?? '')).to.be.at.most(80)
    })

    it('finds operations by words of five languages among the first three', async () => {
      const missed = []
      for (const [query, operation] of findQueries) {
        const names = (await find(query)).map(({ name }) => name)
        expect(names.length, query).to.be.at.most(8)
        if (!names.slice(0, 3).includes(operation)) missed.push(`${query}: ${names.join(', ')}`)
      }
      expect(findQueries).to.have.length.above(40)
      expect(missed).to.deep.equal([])
    })

    it('says of each hit whether it reads or writes, and what it does', async () => {
      const [first] = await find('list_dpp_passports')
      expect(first).to.deep.equal({ name: 'list_dpp_passports', kind: 'read', summary: 'List passports' })
      const [second] = await find('publish_dpp_passports')
      expect(second).to.deep.equal({ name: 'publish_dpp_passports', kind: 'write', summary: 'Publish passports' })
    })

    it('says so when nothing fits', async () => {
      const { structuredContent } = await callMcpTool(client, 'find_operation', { query: 'xylophone zzz' })
      expect(structuredContent).to.deep.include({ operations: [] }).and.to.have.property('hint')
      const refused = await callMcpTool(client, 'find_operation', { query: ' ' })
      expect(refused.isError).to.equal(true)
      expect(getResultText(refused)).to.contain('query')
    })

    it('describes every operation with an example that its schema takes', async () => {
      const tools = [...catalogue.tools.values(), ...catalogue.readTools.values()]
      const without = []
      for (const { entry, plan, validateArguments } of tools) {
        const described = await describeOperation(entry.name)
        expect(described).to.include({ name: entry.name, ...entry.annotations })
        expect(described.kind).to.equal(entry.annotations.readOnlyHint ? 'read' : 'write')
        expect(Object.keys(described.inputSchema.properties)).to.have.members(
          Object.keys(plan.inputSchema['properties'] as object),
        )
        if (described.example === undefined) without.push(entry.name)
        else expect(validateArguments(described.example), JSON.stringify(described.example)).to.deep.equal([])
      }
      expect(without).to.deep.equal([])
    })

    it('names the fields that a list filters and sorts by, with their operators', async () => {
      const described = await describeOperation('list_dpp_passports')
      expect(described.filterFields).to.contain('status eq ne (draft, published').and.not.to.contain('Sorters')
      expect(described.sorterFields).to.contain('createdAt')
      expect(described.description).not.to.contain('Filters:')
      expect((await describeOperation('create_dpp_product')).filterFields).to.equal(undefined)
    })

    it('describes and finds the tool of the bridge itself', async () => {
      const described = await describeOperation('lookup_application_id')
      expect(described).to.deep.include({ kind: 'read', example: { name: 'example' } })
    })

    it('names the nearest operations where a name is not known', async () => {
      for (const tool of ['describe_operation', 'call_operation']) {
        const refused = await callMcpTool(client, tool, { name: 'create_dpp_pasport' })
        expect(refused.isError).to.equal(true)
        expect(getResultText(refused)).to.contain('name: There is no tool "create_dpp_pasport"')
        expect(getResultText(refused)).to.contain('create_dpp_passport')
      }
      expect((await catchError(client.callTool({ name: 'publish_dpp_passports', arguments: {} }))).message).to.contain(
        'by call_operation',
      )
    })
  })
}
