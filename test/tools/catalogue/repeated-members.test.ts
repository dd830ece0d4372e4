import { expect } from 'chai'
import type { ToolEntry } from '../../../tools/catalogue/catalogue.ts'
import { removeRepeatedMembers } from '../../../tools/catalogue/repeated-members.ts'
import type { Schema } from '../../../tools/openapi.ts'

const annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }
const words = 'A description of some length, so that a reference to another tool saves enough to be worth it.'
const text = { type: 'string', description: words, maxLength: 200 }
const choices = (last: string) => Array.from({ length: 30 }, (_, at) => `choice${at}`).concat(last)

const createEntry = (name: string, properties: Schema, $defs?: Schema): ToolEntry => ({
  name,
  title: name,
  description: 'Does it.',
  inputSchema: { type: 'object', properties, additionalProperties: false, ...($defs && { $defs }) },
  annotations,
})
const show = (...tools: ToolEntry[]) => removeRepeatedMembers(tools).map(({ inputSchema }) => inputSchema['properties'])

describe('tools/list: members that another tool writes out', () => {
  it('are bare, and the tool names the other one', () => {
    const tools = [createEntry('archive_thing', { name: text, id: text }), createEntry('create_thing', { name: text })]
    const [archive, create] = removeRepeatedMembers(tools)
    expect(archive?.inputSchema['properties']).to.deep.equal({ name: { type: 'string' }, id: text })
    expect(archive?.description).to.equal('Does it. Bare members: as in create_thing.')
    expect(create).to.deep.equal(tools[1])
  })

  it('are written out where anything of them differs', () => {
    const own = { name: { ...text, maxLength: 201 } }
    expect(show(createEntry('create_thing', { name: text }), createEntry('update_thing', own))[1]).to.deep.equal(own)
    const named = { name: { $ref: '#/$defs/Name', description: words + words } }
    const create = createEntry('create_thing', named, { Name: text })
    const update = createEntry('update_thing', named, { Name: { ...text, maxLength: 201 } })
    expect(show(create, update)[1]).to.deep.equal(named)
  })

  it('take the sentences along that describe them, except where the tool only reads', () => {
    const filters = { filters: text }
    const line = 'Filters: id, product.name eq. Sorters: id.'
    const create = { ...createEntry('create_thing', filters), description: `Makes it. ${line} filters: [] means all.` }
    const change = (more: object) => ({ ...createEntry('thing', filters), ...more })
    const describe = (tool: ToolEntry) => removeRepeatedMembers([create, tool])[1]?.description
    const bare = 'Bare members: as in create_thing.'
    expect(describe(change({ description: create.description }))).to.equal(`Makes it. Sorters: id. ${bare}`)
    const other = 'Does it. Filters: id eq. Sorters: id.'
    expect(describe(change({ description: other }))).to.equal(`${other} ${bare}`)
    const read = change({ description: create.description, annotations: { ...annotations, readOnlyHint: true } })
    expect(describe(read)).to.equal(`${create.description} ${bare}`)
  })

  it('have a long list of choices once, where the lists are equal', () => {
    const member = (last: string) => ({ type: 'string', enum: choices(last), description: last })
    const shown = show(
      createEntry('create_a', { network: member('x') }),
      createEntry('create_b', { where: { ...member('x'), description: 'Here.' }, other: member('y') }),
    )
    expect(shown[0]).to.deep.equal({ network: member('x') })
    expect(shown[1]).to.deep.equal({
      where: { type: 'string', description: 'Here. Values as in create_a.network.' },
      other: member('y'),
    })
  })
})
