import { ElicitRequestFormParamsSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect } from 'chai'
import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { createElicitationParams as paramsOf } from '../../../bridge/protocol/elicitation.ts'
import type { ElicitationQuestion } from '../../../tools/own/elicitation.ts'
import { readCatalogue } from '../../../tools/catalogue/catalogue.ts'
import { createFormMember } from '../../../tools/arguments/forms.ts'
import { toApiDocument, DocumentError } from '../../../tools/openapi.ts'
import { hasCapabilities } from '../../../tools/own/required-capabilities.ts'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'

type Json = Record<string, unknown>

const address = 'http://127.0.0.1:3333'

/** A document with one operation that asks, whose body has these members. */
function asking(members: Json, words: Json, required: string[] = []) {
  const document = { ...createBridgeDocument(), paths: {} as Record<string, Json> }
  const hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }
  document.paths['/v1/invite/{place}'] = {
    post: {
      operationId: 'invite_v1',
      summary: 'Invite somebody',
      'x-mcp-type': 'tool',
      'x-mcp-name': 'invite',
      'x-mcp-hints': hints,
      ...words,
      parameters: [
        { name: 'place', in: 'path', required: true, schema: { type: 'string' } },
        { name: 'loud', in: 'query', required: true, schema: { type: 'boolean' } },
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { type: 'object', properties: members, required, additionalProperties: false },
          },
        },
      },
      responses: { 200: { description: 'Done.', content: { 'application/json': { schema: { type: 'object' } } } } },
    },
  }
  return document
}

function read(members: Json, words: Json, required: string[] = []) {
  const tool = readCatalogue(asking(members, words, required), address).tools.get('invite')
  if (!tool) throw new Error('There is no invite')
  return tool
}

const round = (members: string[], key = 'who') => ({ 'x-mcp-ask': [{ key, message: 'Who is it?', members }] })
const formOf = (schema: Json) => read({ it: schema }, round(['it'])).questions[0]?.members['it']

function refusal(work: () => unknown): string {
  try {
    work()
  } catch (cause) {
    if (cause instanceof DocumentError) return cause.message
    throw cause
  }
  return 'it was taken'
}

describe('x-mcp-ask: questions of an operation', () => {
  it('shows what is asked neither as an argument nor as a required one', () => {
    const tool = read({ name: { type: 'string' }, note: { type: 'string' } }, round(['name', 'loud']), ['name', 'note'])
    expect(tool.plan.inputSchema['properties']).to.have.all.keys('place', 'note', 'again')
    expect(tool.plan.inputSchema['required']).to.have.members(['place', 'note'])
    expect(tool.questions).to.have.length(1)
    expect(tool.questions[0]).to.deep.include({ key: 'who', message: 'Who is it?', requiresState: false })
    expect(tool.questions[0]?.required).to.have.members(['name', 'loud'])
    expect(Object.keys(tool.questions[0]?.members ?? {})).to.deep.equal(['name', 'loud'])
  })

  it('says in its description whom it asks for what', () => {
    expect(read({ name: { type: 'string' } }, round(['name', 'loud'])).entry.description).to.equal(
      'Invite somebody. The user is asked for name, loud.',
    )
  })

  it('makes forms of texts, numbers, yes or no, one choice and several, with their defaults', () => {
    const choices = [
      { const: 'a', title: 'The first' },
      { const: 'b', title: 'The second' },
    ]
    const schemas = [
      { type: 'string', title: 'Name', description: 'Of a person.', minLength: 1, maxLength: 9, default: 'Jo' },
      { type: 'string', format: 'email' },
      { type: 'integer', minimum: 1, maximum: 9, default: 3 },
      { type: 'number', default: 95.5 },
      { type: 'boolean', default: true },
      { type: 'string', enum: ['a', 'b'], default: 'a' },
      { type: 'string', enum: ['a', 'b'], enumNames: ['The first', 'The second'] },
      { type: 'string', oneOf: choices, default: 'b' },
      { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['a', 'b'] }, default: ['a'] },
      { type: 'array', items: { anyOf: choices } },
    ]
    const named = Object.fromEntries(schemas.map((schema, index) => [`it${index}`, schema]))
    expect(read(named, round(Object.keys(named))).questions[0]?.members).to.deep.equal(named)
  })

  it('makes forms that every revision takes, of whatever can be asked', () => {
    const words = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 })
    const titled = words.map((all) => all.map((value) => ({ const: value, title: `${value}!` })))
    const about = fc.record(
      { title: fc.string(), description: fc.string(), deprecated: fc.boolean() },
      { requiredKeys: [] },
    )
    const bounds = fc.record(
      { minimum: fc.integer(), maximum: fc.integer(), multipleOf: fc.integer({ min: 1 }), default: fc.integer() },
      { requiredKeys: [] },
    )
    const lengths = fc.record(
      {
        minLength: fc.nat(9),
        maxLength: fc.nat(99),
        pattern: fc.constant('^a'),
        default: fc.string(),
        format: fc.constantFrom('email', 'uri', 'uuid', 'date', 'date-time', 'ipv4'),
      },
      { requiredKeys: [] },
    )
    const shape: fc.Arbitrary<Json> = fc.oneof(
      lengths.map((rules) => ({ type: 'string', ...rules })),
      bounds.map((rules) => ({ type: 'integer', ...rules })),
      bounds.map((rules) => ({ type: 'number', ...rules })),
      fc.record({ type: fc.constant('boolean'), default: fc.boolean() }, { requiredKeys: ['type'] }),
      words.map((all) => ({ enum: all })),
      words.map((all) => ({ type: 'string', enum: all, enumNames: all.map((one) => `${one}!`) })),
      titled.map((oneOf) => ({ oneOf })),
      words.map((all) => ({ type: 'array', minItems: 1, items: { enum: all } })),
      titled.map((anyOf) => ({ type: 'array', items: { anyOf } })),
    )
    const nullable = fc
      .tuple(shape, fc.boolean())
      .map(([schema, may]): Json => (may ? { anyOf: [schema, { type: 'null' }] } : schema))
    const document = toApiDocument(createBridgeDocument())
    fc.assert(
      fc.property(nullable, about, (schema, more) => {
        const form = createFormMember(document, { schema: { ...schema, ...more }, pointer: '#' })
        const question: ElicitationQuestion = {
          key: 'k',
          message: 'm',
          members: { it: form },
          required: [],
          requiresState: false,
          validateContent: () => [],
        }
        for (const revision of ['2025-06-18', '2025-11-25', '2026-07-28']) {
          const params = paramsOf(question, revision)
          if (form['type'] === 'array' && revision === '2025-06-18') expect(params).to.equal(null)
          else
            expect(ElicitRequestFormParamsSchema.parse(params).requestedSchema.properties['it']).to.deep.equal(
              (params as { requestedSchema: { properties: Json } }).requestedSchema.properties['it'],
            )
        }
      }),
      { numRuns: 150 },
    )
  })

  it('shows in a form what elicitation has words for, and judges by the whole schema', () => {
    expect(formOf({ type: 'string', format: 'uuid', pattern: '^a' })).to.deep.equal({ type: 'string' })
    expect(formOf({ enum: ['a', 'b', null] })).to.deep.equal({ type: 'string', enum: ['a', 'b'] })
    expect(formOf({ const: 'a' })).to.deep.equal({ type: 'string', enum: ['a'] })
    expect(formOf({ type: ['integer', 'null'], default: null })).to.deep.equal({ type: 'integer' })
    const nullable = { description: 'Own.', anyOf: [{ type: 'string', description: 'Inner.' }, { type: 'null' }] }
    expect(formOf(nullable)).to.deep.equal({ type: 'string', description: 'Own.' })
    expect(formOf({ oneOf: [{ const: 'a' }, { const: 'b', title: 'B' }] })).to.deep.equal({
      type: 'string',
      oneOf: [
        { const: 'a', title: 'a' },
        { const: 'b', title: 'B' },
      ],
    })
    const {
      questions: [question],
    } = read({ it: { type: 'string', pattern: '^a' } }, round(['it']), ['it'])
    const wrong = (content: Json) => question?.validateContent(content).map(({ path, code }) => `${path} ${code}`)
    expect(wrong({ it: 'abc' })).to.deep.equal([])
    expect(wrong({ it: 'abc', surplus: 1 })).to.deep.equal([])
    expect(wrong({ it: 'b' })).to.deep.equal(['it pattern'])
    expect(wrong({})).to.deep.equal(['it required'])
    expect(wrong({ it: null })).to.deep.equal(['it required'])
  })

  it('follows references, those of a recurring schema too', () => {
    const document = asking(
      {
        one: { $ref: '#/components/schemas/Mail' },
        two: { $ref: '#/components/schemas/Mail', description: 'The second.' },
      },
      round(['one', 'two']),
    )
    document.components.schemas['Mail'] = { type: 'string', format: 'email', description: 'An address.' }
    const question = readCatalogue(document, address).tools.get('invite')?.questions[0]
    expect(question?.members).to.deep.equal({
      one: { type: 'string', description: 'An address.', format: 'email' },
      two: { type: 'string', description: 'The second.', format: 'email' },
    })
    expect(question?.validateContent({ one: 'a@example.org', two: 'nobody' }).map(({ path }) => path)).to.deep.equal([
      'two',
    ])
  })

  it('is refused with the place where the document asks for what no form can have', () => {
    for (const [schema, what] of [
      [{ type: 'object' }, 'a form has no such member'],
      [{}, 'a form has no such member'],
      [{ type: 'array', items: { type: 'string' } }, 'lists of choices only'],
      [{ type: 'array' }, 'lists of choices only'],
      [{ type: 'integer', enum: [1, 2] }, 'no choice of numbers'],
      [{ type: 'string', format: 'password' }, 'never asks for a secret'],
      [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, 'a form has no such member'],
    ] as const) {
      expect(
        refusal(() => formOf(schema)),
        JSON.stringify(schema),
      )
        .to.match(/: x-mcp-ask who: it: /)
        .and.to.contain(what)
    }
  })

  it('is refused where its questions are not well-formed or name what is not there', () => {
    const name = { name: { type: 'string' } }
    for (const [value, what] of [
      [[], 'not a list of questions'],
      [{ key: 'who' }, 'not a list of questions'],
      [[7], 'x-mcp-ask[0].key is not snake case'],
      [[{ key: 'Who', message: 'm', members: ['name'] }], 'key is not snake case'],
      [[{ key: 'who', message: ' ', members: ['name'] }], 'message is missing'],
      [[{ key: 'who', message: 'm', members: [] }], 'members names no argument'],
      [[{ key: 'who', message: 'm', members: [1] }], 'members names no argument'],
      [[{ key: 'who', message: 'm', members: ['nobody'] }], 'nobody is no argument'],
      [[{ key: 'who', message: 'm', members: ['place'] }], 'place is no argument'],
      [[{ key: 'who', message: 'm', members: ['name', 'name'] }], 'asks for name twice'],
      [
        [
          { key: 'who', message: 'm', members: ['name'] },
          { key: 'who', message: 'm', members: ['loud'] },
        ],
        'two questions who',
      ],
      [[{ key: 'confirm', message: 'm', members: ['name'] }], 'two questions confirm'],
    ] as const)
      expect(
        refusal(() => read(name, { 'x-mcp-ask': value })),
        JSON.stringify(value),
      ).to.contain(what)
    for (const [words, what] of [
      [{ 'x-mcp-confirm': 'yes' }, 'x-mcp-confirm is neither true nor false'],
      [{ 'x-mcp-confirm': true, 'x-mcp-preview': 'seldom' }, 'x-mcp-preview is neither always nor many'],
      [{ 'x-mcp-preview': 'always' }, 'x-mcp-preview needs x-mcp-confirm'],
      [{ 'x-mcp-confirm': true, 'x-mcp-preview': 'many' }, 'x-mcp-preview needs the query parameter dryRun'],
      [{ 'x-mcp-requires': 'sampling' }, 'x-mcp-requires is not an object'],
      [{ 'x-mcp-requires': {} }, 'x-mcp-requires is not an object'],
      [{ 'x-mcp-requires': { sampling: true } }, 'x-mcp-requires is not an object'],
    ] as const)
      expect(
        refusal(() => read(name, words)),
        JSON.stringify(words),
      ).to.contain(what)
    const reads = createBridgeDocument()
    Object.assign(reads.paths['/v1/widgets/stats']?.['get'] as Json, round(['a']))
    expect(JSON.stringify(readCatalogue(reads, address).leftOut)).to.contain('a resource asks nobody')
    for (const [word, value, what] of [
      ['x-mcp-requires', { sampling: {} }, 'a resource asks nobody'],
      ['x-mcp-confirm', true, 'only a tool can be confirmed'],
    ] as const) {
      const document = createBridgeDocument()
      Object.assign(document.paths['/v1/widgets/stats']?.['get'] as Json, { [word]: value })
      expect(JSON.stringify(readCatalogue(document, address).leftOut), word).to.contain(what)
    }
  })
})

describe('Client capabilities: elicitation', () => {
  it('has to hold everything that is required', () => {
    const cases: [Json, Json, boolean][] = [
      [{ sampling: {} }, { sampling: {} }, true],
      [{}, { sampling: {} }, false],
      [{ sampling: true }, { sampling: {} }, false],
      [{ sampling: { tools: {} } }, { sampling: {} }, true],
      [{ sampling: {} }, { sampling: { tools: {} } }, false],
      [{ sampling: {} }, { sampling: {}, roots: {} }, false],
      [
        { extensions: { 'io.modelcontextprotocol/tasks': {} } },
        { extensions: { 'io.modelcontextprotocol/tasks': {} } },
        true,
      ],
      [{ extensions: {} }, { extensions: { 'io.modelcontextprotocol/tasks': {} } }, false],
      [{}, { constructor: {} }, false],
    ]
    for (const [declared, required, fits] of cases)
      expect(hasCapabilities(declared, required), JSON.stringify([declared, required])).to.equal(fits)
  })

  it('takes forms where elicitation names no mode or the mode form', () => {
    for (const [elicitation, fits] of [
      [{}, true],
      [{ form: {} }, true],
      [{ form: {}, url: {} }, true],
      [{ applyDefaults: true }, true],
      [{ url: {} }, false],
      [true, false],
      [[], false],
      [null, false],
    ] as const) {
      for (const wanted of [{}, { form: {} }])
        expect(hasCapabilities({ elicitation }, { elicitation: wanted }), JSON.stringify(elicitation)).to.equal(fits)
    }
    expect(hasCapabilities({ elicitation: {} }, { elicitation: { url: {} } })).to.equal(false)
    expect(hasCapabilities({ elicitation: { url: {} } }, { elicitation: { url: {} } })).to.equal(true)
  })
})

describe('openapi.json: its questions and confirmations', () => {
  it('uses only those x-mcp words that the bridge knows, where it reads them', () => {
    const known = [
      'x-mcp-type',
      'x-mcp-name',
      'x-mcp-hints',
      'x-mcp-confirm',
      'x-mcp-preview',
      'x-mcp-ask',
      'x-mcp-requires',
      'x-mcp-toolset',
      'x-mcp-search',
    ]
    const ofSchemas = /^(components\/schemas|paths)\/.*: x-mcp-(secret|resource|short|result)$|^: x-mcp-server$/
    const ofParameters = /^paths\/[^:]*\/parameters\/\d+\/schema: x-mcp-omit$/
    const document = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')) as {
      paths: Record<string, Record<string, Json>>
    }
    const used: string[] = []
    const visit = (value: unknown, place: string[]): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [name, inner] of Object.entries(value)) {
        if (name.startsWith('x-mcp') && place.length > 0)
          used.push(place[0] === 'paths' && place.length === 3 ? name : `${place.join('/')}: ${name}`)
        visit(inner, [...place, name])
      }
    }
    visit(document, [])
    expect(
      [...new Set(used)].filter((name) => !known.includes(name) && !ofParameters.test(name) && !ofSchemas.test(name)),
    ).to.deep.equal([])
    expect(used).to.include('x-mcp-confirm')
  })
})
