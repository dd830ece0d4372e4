import { expect } from 'chai'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Schema } from '../../../tools/openapi.ts'
import { trimSchema, removeTitle } from '../../../tools/catalogue/trim-schema.ts'

const root = (properties: Schema, more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...more,
})
const nothing = { type: 'null' }
const text = (description: string, rules: Schema = {}) => ({ type: 'string', description, ...rules })
const word = { minLength: 1, maxLength: 20, pattern: '^[a-z][a-z0-9-]*$' }

/** What a schema of one member `a`, and of more beside it, becomes. */
const member = (schema: Schema) => (trimSchema(root({ a: schema }))['properties'] as Record<string, Schema>)['a']

const values = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  200,
  '',
  'a',
  'A',
  '12',
  'draft',
  'eur',
  'x'.repeat(30),
  [],
  ['a'],
  ['a', 'a'],
  [1],
  [''],
  ['a', 'b', 'c', 'd'],
  {},
  { a: 'b' },
  { a: 1 },
  { b: null },
  { a: { a: 'b' } },
  { $ref: 'x' },
]

const schemas: Record<string, Schema> = {
  'text or null': { anyOf: [text('It.', word), nothing] },
  'a word of a list, or null': { anyOf: [{ type: 'string', enum: ['draft', 'a'] }, nothing] },
  'a number, text or null': {
    anyOf: [{ type: 'integer', minimum: 0, maximum: 100 }, { type: 'string', pattern: '^[0-9]+$' }, nothing],
  },
  'one of two types': {
    oneOf: [
      { type: 'number', minimum: 1 },
      { type: 'array', items: { type: 'string' }, maxItems: 3 },
    ],
  },
  'an object or null': {
    anyOf: [{ type: 'object', required: ['a'], properties: { a: { type: 'string' } } }, nothing],
  },
  'an integer or a number': { anyOf: [{ type: 'integer' }, { type: 'number', minimum: 100 }] },
  'a word or any number': { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'number' }] },
  'two kinds of text': {
    anyOf: [
      { type: 'string', maxLength: 1 },
      { type: 'string', minLength: 3 },
    ],
  },
  'alternatives beside a rule': { type: ['string', 'null'], anyOf: [{ type: 'string', maxLength: 1 }, nothing] },
  'a rule that binds every type': { anyOf: [{ type: 'string', not: { const: 'a' } }, { type: 'number' }] },
  'an object of anything': { type: 'object', patternProperties: { '^.*$': {} } },
  'an object of texts': { type: 'object', patternProperties: { '^.*$': { type: 'string' } } },
  'a closed object of anything': { type: 'object', patternProperties: { '^a$': {} }, additionalProperties: false },
  'a member named as a keyword': {
    type: 'object',
    properties: { $ref: text('A name.'), title: text('A name.'), examples: {} },
  },
  'a choice with names': {
    oneOf: [
      { const: 'a', title: 'Apple' },
      { const: 'draft', title: 'Draft' },
    ],
  },
}

describe('tools/trim: a trimmed schema', () => {
  for (const [name, schema] of Object.entries(schemas)) {
    it(`takes what it took: ${name}`, () => {
      const ajv = new Ajv2020({ strict: false })
      // More than once, so that it is written under $defs.
      const others = { b: { ...schema, description: 'Another.' }, c: { ...schema, title: 'C' }, d: { items: schema } }
      const many = root({ a: schema, ...others })
      const [before, after] = [ajv.compile(many), ajv.compile(trimSchema(many))]
      for (const value of values) {
        for (const place of ['a', 'b', 'c']) {
          expect(after({ [place]: value }), JSON.stringify(value)).to.equal(before({ [place]: value }))
        }
        expect(after({ d: [value] }), JSON.stringify([value])).to.equal(before({ d: [value] }))
      }
    })
  }

  it('has no examples, titles of parts and patterns that say nothing', () => {
    expect(member(text('It.', { title: 'A', examples: ['x'] }))).to.deep.equal(text('It.'))
    const free = { type: 'object', description: 'Free.' }
    expect(member({ ...free, patternProperties: { '^.*$': {} } })).to.deep.equal(free)
    const choice = { oneOf: [{ title: 'Apple', const: 'a' }] }
    expect(member(choice)).to.deep.equal(choice)
  })

  it('says alternatives of different types in one, with their one description', () => {
    const orNull = { type: ['string', 'null'], description: 'It.' }
    expect(member({ anyOf: [text('It.', word), nothing] })).to.deep.equal({ ...orNull, ...word })
    const listed = text('It.', { enum: ['a'] })
    expect(member({ anyOf: [listed, nothing] })).to.deep.equal({ ...orNull, enum: ['a', null] })
    const both = { anyOf: [text('A name.'), { type: 'integer', description: 'A number.' }] }
    expect(member(both)).to.deep.equal(both)
  })

  it('has what recurs under $defs, each place with its own description', () => {
    const members = { firstWord: text('First.', word), lastWord: text('Last.', word), other: text('Other.') }
    const schema = trimSchema(root(members))
    expect(schema['$defs']).to.deep.equal({ Word: { type: 'string', ...word } })
    expect(schema['properties']).to.deep.equal({
      firstWord: { $ref: '#/$defs/Word', description: 'First.' },
      lastWord: { $ref: '#/$defs/Word', description: 'Last.' },
      other: text('Other.'),
    })
  })

  it('gives what recurs a name that is free', () => {
    const members = { a: text('It.', word), b: text('It.', word), c: { $ref: '#/$defs/a' } }
    const schema = trimSchema(root(members, { $defs: { a: { type: 'number' } } }))
    expect(schema['$defs']).to.deep.equal({ a: { type: 'number' }, a2: text('It.', word) })
    expect(schema['properties']).to.deep.equal({
      a: { $ref: '#/$defs/a2' },
      b: { $ref: '#/$defs/a2' },
      c: { $ref: '#/$defs/a' },
    })
  })
})

describe('tools/trim: a shortened description', () => {
  it('does not begin with the title that stands beside it', () => {
    expect(removeTitle('Create a widget', 'Create a widget. It is a draft.')).to.equal('It is a draft.')
    expect(removeTitle('Create a widget', 'Create a widget.')).to.equal('Create a widget.')
    expect(removeTitle('Create a widget', 'Create a widget. ')).to.equal('Create a widget. ')
    expect(removeTitle('Create', 'Creates a draft.')).to.equal('Creates a draft.')
  })
})
