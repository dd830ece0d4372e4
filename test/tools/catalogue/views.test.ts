import { expect } from 'chai'
import { readCatalogue } from '../../../tools/catalogue/catalogue.ts'
import { toolsetNames, getToolset } from '../../../tools/toolsets.ts'
import { getVisibleTools } from '../../../tools/catalogue/visible-tools.ts'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'
import { readCommittedCatalogue } from '../../support/bridge/committed-catalogue.ts'
import { listToolsOfView, createView } from '../../support/bridge/tool-views.ts'

const api = 'http://127.0.0.1:3333'
const catalogue = readCommittedCatalogue()
const namesIn = (part: Parameters<typeof listToolsOfView>[1]) =>
  listToolsOfView(catalogue, part).map(({ name }) => name)

describe('tools/views: toolsets', () => {
  it('hold every operation that assistants are offered, each in one', () => {
    const operations = [...catalogue.tools.values(), ...catalogue.readTools.values()].map(({ operation }) => operation)
    expect(operations.filter(({ toolset }) => toolset === null).map(({ path }) => path)).to.deep.equal([])
  })

  it('make up the whole list together', () => {
    for (const readTools of [false, true]) {
      const together = toolsetNames.flatMap((name) => namesIn({ toolsets: [name], readTools }))
      expect([...new Set(together)].sort()).to.deep.equal(namesIn({ readTools }))
      const several = together.filter((name, at) => together.indexOf(name) !== at)
      const shared = readTools ? ['get_job', 'lookup_application_id'] : ['lookup_application_id']
      expect([...new Set(several)].sort()).to.deep.equal(shared)
    }
  })

  it('have each the lookup of applications and the jobs that they start', () => {
    for (const name of toolsetNames) expect(namesIn({ toolsets: [name] }), name).to.include('lookup_application_id')
    const withJobs = toolsetNames.filter((name) => namesIn({ toolsets: [name], readTools: true }).includes('get_job'))
    expect(withJobs).to.deep.equal(['account', 'certification', 'dpp', 'imports', 'loyalty'])
    expect(namesIn({ toolsets: ['dpp'] })).not.to.include('get_job')
  })

  it('are told by the path', () => {
    for (const [path, name] of [
      ['/v1/applications/{appId}', 'applications'],
      ['/v1/organizations/{id}', 'applications'],
      ['/v1/dpp/ecommerce/shops', 'dpp'],
      ['/v1/dpp/passports/{id}', 'dpp'],
      ['/v1/dpp/passports/{id}/status', 'certification'],
      ['/v1/dpp/products/{id}/mint/{jobId}/status', 'dpp'],
      ['/v1/dpp/certification-key/rotate', 'certification'],
      ['/v1/import/mappers', 'imports'],
      ['/v1/imports/{id}', 'imports'],
      ['/v1/quotas/usage', 'account'],
      ['/v1/account-assignments', 'loyalty'],
      ['/v1/invest/offers', 'invest'],
      ['/v1/x402/resources', 'agents'],
      ['/v1/importers', null],
      ['/v1/widgets', null],
    ] as const) {
      expect(getToolset(undefined, path), path).to.equal(name)
    }
  })

  it('can be stated by the document, among those that there are', () => {
    expect(getToolset('agents', '/v1/dpp/passports')).to.equal('agents')
    const stated = createBridgeDocument()
    Object.assign((stated.paths['/v1/echo'] as Record<string, object>)['post'] as object, { 'x-mcp-toolset': 'shoes' })
    const [echo] = readCatalogue(stated, api).leftOut
    expect(echo?.operation).to.equal('POST /v1/echo')
    expect(echo?.reason).to.match(/^x-mcp-toolset is not one of account, /)
  })
})

describe('tools/views: a view of the catalogue', () => {
  it('is made once, while it is among the last that were asked for', () => {
    const view = createView({ readTools: true })
    const first = getVisibleTools(catalogue, view, 'modern')
    expect(getVisibleTools(catalogue, { ...view }, 'modern')).to.equal(first)
    for (let index = 0; index < 63; index++)
      getVisibleTools(catalogue, { ...createView(), key: `other ${index}` }, 'modern')
    expect(getVisibleTools(catalogue, view, 'modern')).to.equal(first)
    for (let index = 0; index < 64; index++)
      getVisibleTools(catalogue, { ...createView(), key: `another ${index}` }, 'modern')
    const again = getVisibleTools(catalogue, view, 'modern')
    expect(again).not.to.equal(first)
    expect(JSON.stringify(again.tools)).to.equal(JSON.stringify(first.tools))
  })

  it('has schemas as calls are judged by them, and those of answers, only where they are asked for', () => {
    const widgets = readCatalogue(createBridgeDocument(), api)
    const short = listToolsOfView(widgets).find(({ name }) => name === 'create_widget')
    const full = listToolsOfView(widgets, { fullSchemas: true }).find(({ name }) => name === 'create_widget')
    expect(short).not.to.have.property('outputSchema')
    expect(JSON.stringify(short?.inputSchema)).not.to.contain('member19')
    expect(JSON.stringify(full?.inputSchema)).to.contain('member19')
    expect(full?.inputSchema).to.deep.equal(widgets.tools.get('create_widget')?.plan.inputSchema)
    expect(full?.outputSchema).to.include({ type: 'object' })
  })

  it('has answers that are no object under `result` in the session era, as they are in the modern one', () => {
    const widgets = readCatalogue(createBridgeDocument(), api)
    const outputIn = (era: 'session' | 'modern') =>
      listToolsOfView(widgets, { fullSchemas: true }, era).find(({ name }) => name === 'check')?.outputSchema
    expect(outputIn('session')).to.have.deep.nested.property('properties.result.items', { type: 'integer' })
    expect(outputIn('modern')).to.deep.equal({ type: 'array', items: { type: 'integer' } })
  })

  it('describes once what a tool that changes things has in common with the one that creates them', () => {
    const tools = listToolsOfView(catalogue)
    const named = (name: string) => tools.find((one) => one.name === name)
    const [changes, creates] = [named('update_application'), named('create_application')]
    const described = (tool: typeof changes, member: string) =>
      JSON.stringify((tool?.inputSchema['properties'] as Record<string, object>)[member])
    expect(described(creates, 'theme')).to.contain('description')
    expect(described(changes, 'theme')).not.to.contain('description')
    expect(described(changes, 'appId')).to.contain('uuid')
    expect(changes?.description).to.contain('as in create_application')
    const alone = listToolsOfView(catalogue, { fullSchemas: true }).find(({ name }) => name === 'update_application')
    expect(described(alone, 'theme')).to.contain('description')
  })
})
