import { expect } from 'chai'
import { createExample, type JsonSchema } from '../../../../core/http/openapi/examples/create-example.ts'
import { Examples } from '../../../../core/http/openapi/examples/examples.ts'
import { examplesByMedia } from '../../../../core/http/openapi/examples/media.ts'
import { examplesByMember, examplesByTitle } from '../../../../core/http/openapi/examples/members.ts'

const title = 'SendMemberCode'
const titled = { type: 'object', title }
const name = 'label'

describe('GET /openapi.json: the example of a schema', () => {
  it('is the first of these: by its title, by its member, its own, an enum value, by its name, of a branch, by its type', () => {
    for (const [schema, expected, member = '', parent = ''] of [
      [{ ...titled, examples: [1] }, examplesByTitle[title]],
      [{ type: 'string', examples: ['own'] }, examplesByMember['DidDocument.id'], 'id', 'DidDocument'],
      [{ type: 'string', examples: ['own', 'other'], const: 'fixed' }, 'own', name],
      [{ type: 'string', const: 'fixed', enum: ['fixed'] }, 'fixed', name],
      [{ const: null }, null, name],
      [{ type: 'string', enum: ['a', examplesByMember[name]] }, examplesByMember[name], name],
      [{ type: 'string', enum: ['a', 'b'], default: 'b' }, 'b', name],
      [{ type: 'string', enum: ['a', 'b'] }, 'a', name],
      [{ type: 'string' }, examplesByMember[name], name],
      [{ anyOf: [{ type: 'null' }, { type: 'string' }] }, examplesByMember[name], name],
      [{ type: 'integer' }, 1, name],
      [{ oneOf: [{ type: 'null' }, { type: 'boolean' }, { type: 'string' }] }, false],
      [{ anyOf: [{ type: 'null' }] }, {}],
    ] as [JsonSchema, unknown, string?, string?][])
      expect(createExample(schema, member, parent), JSON.stringify(schema)).to.deep.equal(expected)
  })

  it('has the type of the schema where nothing else is known', () => {
    for (const [schema, expected] of [
      [{ type: 'array', items: { type: 'integer', minimum: 3 } }, [3]],
      [{ type: 'array' }, []],
      [{ type: 'number', default: 2.5, minimum: 1 }, 2.5],
      [{ type: 'number' }, 1],
      [{ type: 'boolean', default: true }, true],
      [{ type: 'boolean' }, false],
      [{ type: 'string', default: 'a', format: 'date' }, 'a'],
      [{ type: 'string', format: 'date' }, '2026-01-31'],
      [{ type: 'string' }, 'text'],
      [{ type: 'null' }, null],
      [{}, {}],
    ] as [JsonSchema, unknown][])
      expect(createExample(schema), JSON.stringify(schema)).to.deep.equal(expected)
  })

  it('has all members of an object, each by the name of the member and the title of the object', () => {
    const properties = { id: { type: 'string' }, label: { type: 'string' }, unknown: { type: 'boolean' } }
    expect(createExample({ type: 'object', title: 'DidDocument', properties })).to.deep.equal({
      id: examplesByMember['DidDocument.id'],
      label: examplesByMember['label'],
      unknown: false,
    })
    expect(createExample({ type: 'object', properties: { nested: { type: 'object', properties } } })).to.deep.equal({
      nested: { id: examplesByMember['id'], label: examplesByMember['label'], unknown: false },
    })
    expect(createExample({ type: 'object' })).to.deep.equal({})
  })
})

describe('GET /openapi.json: the name of an example', () => {
  it('is the title of the schema, or that of the operation and its type, of the type, or of the operation', () => {
    const examples = new Examples()
    const csv = 'text/csv'
    for (const [schema, operation, type, name] of [
      [{ title, type: 'object' }, 'create_import_v1', csv, title],
      [{ type: 'string' }, 'create_import_v1', csv, 'create_import.text-csv'],
      [null, 'create_import_v1', csv, 'create_import.text-csv'],
      [null, 'do_v1', 'image/png', 'image-png'],
      [{ type: 'boolean' }, 'do_v1', csv, 'do'],
      [null, 'undo_v1', csv, 'undo'],
    ] as [JsonSchema | null, string, string, string][])
      expect(examples.createReference(schema, operation, type), name).to.deep.equal({
        examples: { [name]: { $ref: `#/components/examples/${name}` } },
      })
    const all = examples.listExamples()
    expect(Object.keys(all)).to.deep.equal([title, 'create_import.text-csv', 'do', 'image-png', 'undo'])
    expect([all[title], all['create_import.text-csv'], all['do'], all['image-png'], all['undo']]).to.deep.equal([
      { value: examplesByTitle[title] },
      examplesByMedia['create_import text/csv'],
      { value: false },
      examplesByMedia['image/png'],
      { value: {} },
    ])
  })
})
