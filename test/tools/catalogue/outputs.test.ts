import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import fc from 'fast-check'
import { readCatalogue, type Tool } from '../../../tools/catalogue/catalogue.ts'
import { createValueArbitrary } from '../../support/values/schema-arbitraries.ts'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'
import { readCommittedCatalogue } from '../../support/bridge/committed-catalogue.ts'

type Json = Record<string, unknown>

const text = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')
const committed = readCommittedCatalogue()
const tools = [...committed.tools.values(), ...committed.readTools.values()]

/** The document with its schemas where a schema that stands on its own has them. */
const standing = JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')) as {
  paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, { schema: Json }> }> }>>
  components: { schemas: Json }
}

/** Schemas of the JSON that an operation answers, as the document states them. */
const statedOf = ({ operation: { method, path } }: Tool): Json[] =>
  Object.entries(standing.paths[path]?.[method.toLowerCase()]?.responses ?? {})
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content = {} }]) => ({ ...Object.values(content)[0]?.schema, $defs: standing.components.schemas }))

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** What the schemas of both eras find wrong with an answer. */
const wrong = ({ validateOutput }: Tool, body: unknown) => [
  ...(validateOutput('session')?.(isRecord(body) ? body : { result: body }) ?? []),
  ...(validateOutput('modern')?.(body) ?? []),
]

/** A tool of a document whose one operation answers what these schemas say. */
function answering(...schemas: Json[]): Tool {
  const document = createBridgeDocument()
  const [echo] = Object.values(document.paths['/v1/echo'] as Record<string, Json>)
  const responses = Object.fromEntries(
    schemas.map((schema, at) => [
      String(200 + at),
      { description: 'Done.', content: { 'application/json': { schema } } },
    ]),
  )
  document.paths['/v1/echo'] = { post: { ...echo, responses } }
  const tool = readCatalogue(document, 'http://127.0.0.1:3333').tools.get('echo')
  if (!tool) throw new Error('There is no echo')
  return tool
}

const closed = (properties: Json, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

describe('tools/list: outputSchema of a tool', () => {
  it('takes every answer that the document allows, in both eras', () => {
    for (const tool of tools.filter(({ outputSchemas }) => outputSchemas !== null)) {
      const values = fc.oneof(...statedOf(tool).map(createValueArbitrary))
      fc.assert(
        fc.property(values, (body) => {
          expect(wrong(tool, JSON.parse(JSON.stringify(body))), tool.entry.name).to.deep.equal([])
        }),
        { numRuns: 15 },
      )
    }
  })

  it('takes members that the document does not know yet', () => {
    const all = JSON.stringify(tools.map(({ outputSchemas }) => outputSchemas))
    expect(all).not.to.match(/"(additional|unevaluated)Properties":false/)
    const nested = answering(closed({ a: closed({ b: { type: 'integer' } }, ['b']) }, ['a']))
    expect(wrong(nested, { a: { b: 1, more: 2 }, more: 3 })).to.deep.equal([])
    expect(wrong(nested, { a: { b: 'text', more: 2 } })).to.have.length(2)
  })

  it('is no stricter for it where branches were told apart by what they close, or were ruled out', () => {
    const one = closed({ a: { type: 'string' } })
    const other = closed({ b: { type: 'string' } })
    expect(wrong(answering({ oneOf: [one, other] }), { a: 'x' })).to.deep.equal([])
    expect(wrong(answering({ anyOf: [{ type: 'object' }], oneOf: [one, other] }), { b: 'x' })).to.deep.equal([])
    expect(wrong(answering({ type: 'object', not: one }), { a: 'x', c: 1 })).to.deep.equal([])
    expect(wrong(answering({ type: 'object', if: one, then: { required: ['a'] } }), { c: 1 })).to.deep.equal([])
  })

  it('has an object at its root in the session era, and is the answer itself in the modern one', () => {
    for (const { outputSchemas } of tools)
      if (outputSchemas) expect(outputSchemas.session).to.include({ type: 'object' })
    const list = { type: 'array', items: { type: 'integer' } }
    const single = answering(list).outputSchemas
    expect(single?.session).to.deep.equal({ type: 'object', properties: { result: list }, required: ['result'] })
    expect(single?.modern).to.deep.equal(list)
    const either = answering(list, { $ref: '#/components/schemas/Size' })
    for (const body of [[1], { value: 1 }]) expect(wrong(either, body)).to.deep.equal([])
    expect(wrong(either, 'text')).not.to.deep.equal([])
  })

  it('is left out where an answer may be something else than JSON', () => {
    const without = tools.filter(({ outputSchemas }) => outputSchemas === null).map(({ entry }) => entry.name)
    expect(without).to.include('get_dpp_passport_qr_code')
    for (const { operation, outputSchemas, entry } of tools) {
      const types = operation.successes.map(({ content }) => content.map(({ mediaType }) => mediaType))
      const isJson = types.every((list) => list.length > 0 && list.every((type) => /\bjson$/.test(type)))
      expect(outputSchemas !== null, entry.name).to.equal(isJson)
    }
  })
})
