import { expect } from 'chai'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { readCatalogue, type Tool, type ToolEntry } from '../../../tools/catalogue/catalogue.ts'
import type { Schema } from '../../../tools/openapi.ts'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'
import { readCommittedCatalogue } from '../../support/bridge/committed-catalogue.ts'
import { listToolsOfView } from '../../support/bridge/tool-views.ts'

const api = 'http://127.0.0.1:3333'
const catalogue = readCatalogue(createBridgeDocument(), api)
const listed = listToolsOfView(catalogue)
const full = listToolsOfView(catalogue, { fullSchemas: true })

function entry(name: string, of = catalogue): ToolEntry {
  const found = listToolsOfView(of).find((one) => one.name === name)
  if (!found) throw new Error(`There is no ${name}`)
  return found
}
const argumentsOf = (name: string) => Object.keys(entry(name).inputSchema['properties'] as Schema)
const argument = (name: string, of: string) =>
  (entry(name).inputSchema['properties'] as Record<string, Schema>)[of] as Schema

describe('tools/catalogue: operations as tools and resources', () => {
  it('makes a tool of every operation annotated as one, ordered by name', () => {
    const names = listed.map(({ name }) => name)
    expect(names).to.deep.equal([...names].sort())
    expect(names).to.include.members(['create_widget', 'get_widget_token', 'publish_widgets', 'update_widget'])
    expect(names).not.to.include('list_widgets')
  })

  it('leaves out what is not annotated, and models even where they are', () => {
    const everything = JSON.stringify([full, catalogue.resources.statics, catalogue.resources.templates])
    expect(everything).not.to.match(/get_secret|follow_job|"chat"|llm/)
  })

  it('has the same bytes for the same document', () => {
    const again = readCatalogue(createBridgeDocument(), api)
    expect(JSON.stringify(listToolsOfView(again, { fullSchemas: true }))).to.equal(JSON.stringify(full))
    expect(JSON.stringify(listToolsOfView(again))).to.equal(JSON.stringify(listed))
    expect(JSON.stringify(again.resources.templates)).to.equal(JSON.stringify(catalogue.resources.templates))
  })

  it('hands on all four hints as the document states them', () => {
    expect(entry('delete_widget').annotations).to.deep.equal({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    })
    expect(entry('get_widget_token').annotations).to.deep.equal({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    })
  })

  it('says of an irreversible tool that it is', () => {
    expect(entry('delete_widget').description).to.match(/irreversible/i)
    expect(entry('create_widget').description).not.to.match(/irreversible/i)
  })

  it('lists output schemas only in the full list', () => {
    expect(listed.filter((one) => one.outputSchema)).to.deep.equal([])
    const created = full.find(({ name }) => name === 'create_widget')
    expect(created?.outputSchema).to.include({ type: 'object' })
    const wrapped = full.find(({ name }) => name === 'check')?.outputSchema
    expect(wrapped).to.deep.equal({
      type: 'object',
      properties: { result: { type: 'array', items: { type: 'integer' } } },
      required: ['result'],
    })
    expect(full.find(({ name }) => name === 'draw')?.outputSchema).to.equal(undefined)
    expect(full.find(({ name }) => name === 'forget')?.outputSchema).to.equal(undefined)
  })
})

describe('tools/catalogue: arguments of a tool', () => {
  it('stand side by side, from path, query and body', () => {
    expect(argumentsOf('publish_widgets')).to.deep.equal([
      'currentPage',
      'pageSize',
      'filters',
      'sorters',
      'tags',
      'again',
    ])
    expect(argumentsOf('mint_widget')).to.deep.equal(['id', 'items', 'again'])
    expect(argumentsOf('get_widget_token')).to.deep.equal(['id'])
  })

  it('leave the name to the body on a clash', () => {
    expect(argumentsOf('update_widget')).to.have.members(['id_path', 'name_query', 'name', 'id', 'note'])
    expect(entry('update_widget').inputSchema['required']).to.deep.equal(['id_path'])
  })

  it('never include a header', () => {
    expect(JSON.stringify(listed)).not.to.match(/Idempotency-Key/i)
  })

  it('hold every member of the body with all its rules', () => {
    expect(argumentsOf('create_widget')).to.have.members([
      'again',
      'name',
      'status',
      'inner',
      'outer',
      'part',
      'maker',
      'thing',
      'fields',
    ])
    expect(argument('create_widget', 'name')).to.deep.equal({
      type: 'string',
      minLength: 1,
      maxLength: 200,
      description: 'Shown to people.',
    })
    expect(entry('create_widget').inputSchema['required']).to.deep.equal(['name', 'status'])
    expect(entry('update_widget').description).to.contain('{"minProperties":1}')
  })

  it('are one argument where the body is not a closed object', () => {
    expect(argument('check', 'body')).to.deep.equal({ type: 'object', description: 'Any credential.' })
    expect(argument('note', 'body')).to.include({ type: 'string' })
    expect(argument('upload', 'body')).to.include({ type: 'string', contentEncoding: 'base64' })
  })

  it('are not required where the body is not', () => {
    expect(entry('forget').inputSchema).not.to.have.property('required')
  })

  it('take a member that is named $ref as a name', () => {
    const { maker } = entry('create_widget').inputSchema['properties'] as Record<string, Schema>
    expect(JSON.stringify(maker)).to.contain('A member of this name.')
  })

  it('keep what recurs or recurses in $defs, and only that', () => {
    const schema = entry('create_widget').inputSchema
    expect(Object.keys(schema['$defs'] as Schema)).to.have.members(['Size', 'Part'])
    expect(argument('create_widget', 'inner')).to.deep.equal({ $ref: '#/$defs/Size' })
    expect(entry('mint_widget').inputSchema).not.to.have.property('$defs')
  })

  it('take filters by field or as a list, with the fields and operators of the list', () => {
    const validateFilters = new Ajv2020({ strict: false }).compile(argument('publish_widgets', 'filters'))
    expect(validateFilters({ status: { eq: 'draft' } })).to.equal(true)
    expect(validateFilters([{ field: 'status', operator: 'eq', value: 'draft' }])).to.equal(true)
    expect(validateFilters({ colour: { eq: 'red' } })).to.equal(false)
    expect(validateFilters({ status: { like: 'x' } })).to.equal(false)
    expect(validateFilters({ status: 'draft' })).to.equal(false)
  })
})

describe('tools/catalogue: input schemas of openapi.json', () => {
  for (const { name, inputSchema } of listToolsOfView(readCommittedCatalogue(), { readTools: true })) {
    it(`are closed objects without a combinator at the root: ${name}`, () => {
      expect(inputSchema).to.include({ type: 'object', additionalProperties: false })
      for (const keyword of ['anyOf', 'oneOf', 'allOf', 'not', 'if', '$ref', 'enum'])
        expect(inputSchema).not.to.have.property(keyword)
      expect(() =>
        new Ajv2020({ strict: false, logger: false, validateFormats: false }).compile(inputSchema),
      ).not.to.throw()
      const refs = JSON.stringify(inputSchema).match(/"\$ref":"[^"]*"/g) ?? []
      expect(refs.filter((ref) => !ref.startsWith('"$ref":"#/$defs/'))).to.deep.equal([])
    })
  }
})

describe('tools/catalogue: operations of openapi.json that only read', () => {
  const { tools, resources } = readCommittedCatalogue()

  it('are resources, except for a secret and for what came of a campaign, which is asked for in the middle of work', () => {
    const gets = [...tools.values()].filter(({ operation }) => operation.method === 'GET')
    expect(gets.map(({ entry: { name } }) => name).sort()).to.deep.equal([
      'export_loyalty_campaign_deliveries',
      'get_dpp_passport_magic_token',
      'get_loyalty_campaign',
      'get_loyalty_campaign_stats',
    ])
    const names = [...resources.statics, ...resources.templates].map(({ name }) => name)
    expect(names).to.include.members(['get_account', 'list_accounts', 'list_loyalty_ledger', 'list_loyalty_orders'])
  })
})

describe('tools/catalogue: a nested object of more than 8 members', () => {
  const shown = JSON.stringify(argument('create_widget', 'thing'))

  it('is shown by its required members and the address of the whole', () => {
    expect(shown).to.contain('"required":["name"]').and.not.to.contain('member0')
    expect(shown).to.contain('all 38: the resource tessera://schemas/BigThing')
  })

  it('allows what it does not show', () => {
    const validateWidget = new Ajv2020({ strict: false }).compile(entry('create_widget').inputSchema)
    expect(
      validateWidget({ name: 'a', status: 'draft', thing: { name: 'b', member3: 'c', weight: { value: 1 } } }),
    ).to.equal(true)
    expect(validateWidget({ name: 'a', status: 'draft', thing: { member3: 'c' } })).to.equal(false)
    expect(validateWidget({ name: 'a', status: 'draft', thing: null })).to.equal(true)
  })

  it('can be read in full, with everything it refers to', () => {
    const match = catalogue.resources.matchAddress('tessera://schemas/BigThing')
    const other = catalogue.resources.matchAddress(`${api}/openapi.json#/components/schemas/BigThing`)
    expect(match).to.deep.equal(other)
    const schema = JSON.parse(match.is === 'own' ? match.text : '{}') as Schema
    expect(Object.keys(schema['properties'] as Schema)).to.have.length(24)
    expect(Object.keys(schema['$defs'] as Schema)).to.deep.equal(['Size'])
    expect(() => new Ajv2020({ strict: false }).compile(schema)).not.to.throw()
  })

  it('counts what recurs once, so that an object of few kinds is shown whole', () => {
    const document = createBridgeDocument()
    const properties = Object.fromEntries(
      Array.from({ length: 5 }, (_, index) => [`size${index}`, { $ref: '#/components/schemas/Size' }]),
    )
    document.components.schemas['BigThing'] = { type: 'object', properties }
    expect(JSON.stringify(entry('create_widget', readCatalogue(document, api)))).to.contain('size4')
  })
})

describe('tools/catalogue: descriptions that say what is said elsewhere', () => {
  const listArgument = (parameter: object, name: string) => {
    const document = createBridgeDocument()
    Object.assign(document.paths['/v1/widgets/{id}/token'] as object, { parameters: [parameter] })
    const { get } = document.paths['/v1/widgets/{id}/token'] as { get: { parameters: object[] } }
    get.parameters = []
    const catalogueOfOne = readCatalogue(document, api)
    const { entry: listedEntry, plan } = catalogueOfOne.tools.get('get_widget_token') as Tool
    const of = (schema: Schema) => (schema['properties'] as Record<string, Schema>)[name]
    return { listed: of(listedEntry.inputSchema)?.['description'], full: of(plan.inputSchema)?.['description'] }
  }
  const id = (description: string) => ({
    name: 'id',
    in: 'path',
    required: true,
    description,
    schema: { type: 'string', format: 'uuid' },
  })

  it('are left out of the list where the name of the tool names the thing', () => {
    const text = 'Identifier of the green widget.'
    expect(listArgument(id(text), 'id')).to.deep.equal({ listed: undefined, full: text })
  })

  it('stay where the names do not say which thing it is, or the description says more', () => {
    for (const text of ['Identifier of the gadget.', 'Identifier of the widget. Not of its part.', 'Any widget.'])
      expect(listArgument(id(text), 'id')).to.deep.equal({ listed: text, full: text })
  })
})

describe('tools/catalogue: an object with x-mcp-short', () => {
  it('is shown with its required members and the address of all, which are validated all the same', () => {
    const document = createBridgeDocument()
    const { properties } = document.components.schemas['NewWidget'] as { properties: Record<string, unknown> }
    const member = { type: 'integer' }
    document.components.schemas['Range'] = {
      type: 'object',
      required: ['from'],
      properties: { from: member, to: member },
      'x-mcp-short': true,
    }
    properties['range'] = { $ref: '#/components/schemas/Range' }
    const tool = readCatalogue(document, api).tools.get('create_widget')
    const { range } = tool?.entry.inputSchema['properties'] as Record<string, object>
    expect(range).to.deep.equal({
      type: 'object',
      description: 'Required members only; all 2: the resource tessera://schemas/Range',
      properties: { from: member },
      required: ['from'],
    })
    const widget = (to: unknown) => ({ name: 'a', status: 'draft', range: { from: 1, to } })
    expect(tool?.validateArguments(widget(2)) ?? []).to.deep.equal([])
    expect(tool?.validateArguments(widget('two')) ?? []).not.to.deep.equal([])
  })
})

describe('tools/catalogue: a list with x-mcp-short', () => {
  it('is shown with the address of its items, which are validated all the same', () => {
    const document = createBridgeDocument()
    const { properties } = document.components.schemas['NewWidget'] as { properties: Record<string, unknown> }
    properties['sizes'] = { type: 'array', items: { $ref: '#/components/schemas/Size' }, 'x-mcp-short': true }
    const tool = readCatalogue(document, api).tools.get('create_widget')
    const { sizes } = tool?.entry.inputSchema['properties'] as Record<string, object>
    expect(sizes).to.deep.equal({
      type: 'array',
      items: {
        type: 'object',
        description: 'All 2 members are in the resource tessera://schemas/Size',
      },
    })
    const widget = (size: object) => ({ name: 'a', status: 'draft', sizes: [size] })
    expect(tool?.validateArguments(widget({ value: 1 })) ?? []).to.deep.equal([])
    expect(tool?.validateArguments(widget({ value: 'one' })) ?? []).not.to.deep.equal([])
  })
})
