import { Ajv, type AnySchema } from 'ajv'
import { expect } from 'chai'
import fc from 'fast-check'
import { applyDefaults, compileFields } from '../../../../core/features/dpp/fields/fields.ts'
import { validateDefinitions } from '../../../../core/features/dpp/fields/fields.definitions.ts'
import type { FieldDefinition } from '../../../../core/features/dpp/index.ts'

const days = ['2026-01-01', '2024-02-29']
const links = ['https://example.com/a', 'http://example.com']
const ipfs = 'ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'
const texts = ['', 'a', 'abc', 'two\nlines', '2026-02-30', 'ftp://example.com', ipfs, ...days, ...links]

const nameOf = fc.constantFrom('a', 'b', 'c', 'a.b', 'toString', 'länge')
const bounds = fc.tuple(fc.nat(3), fc.nat(3)).map(([least, more]) => ({ minLength: least, maxLength: least + more }))
const required = fc
  .option(fc.boolean(), { nil: undefined })
  .map((value) => (value === undefined ? {} : { required: value }))

/** A valid definition; `depth` levels may still follow. */
function definition(name: fc.Arbitrary<string>, depth: number): fc.Arbitrary<FieldDefinition> {
  const leaves: fc.Arbitrary<Omit<FieldDefinition, 'name'>>[] = [
    fc.constantFrom('text', 'boolean', 'date', 'url', 'image', 'json').map((type) => ({ type: type as 'text' })),
    fc.option(bounds).map((own) => ({ type: 'string', ...own })),
    fc.option(fc.nat(5)).map((min) => ({ type: 'number', ...(min === null ? {} : { min, max: min + 3 }) })),
    fc.uniqueArray(fc.constantFrom(...texts), { minLength: 1 }).map((variants) => ({ type: 'enum', variants })),
  ]
  const nested: fc.Arbitrary<Omit<FieldDefinition, 'name'>>[] =
    depth === 0
      ? []
      : [
          definitions(depth - 1).map((fields) => ({ type: 'object', fields })),
          fc
            .tuple(fc.option(bounds), definition(fc.constant('[]'), depth - 1))
            .map(([own, itemsType]) => ({ type: 'array', ...own, itemsType })),
        ]
  return fc
    .tuple(name, required, fc.oneof(...leaves, ...nested))
    .map(([name, common, rest]) => ({ name, ...common, ...rest }))
}

function definitions(depth: number): fc.Arbitrary<FieldDefinition[]> {
  return fc.uniqueArray(definition(nameOf, depth), { maxLength: 4, selector: ({ name }) => name })
}

/** A value that is often, not always, right for the definition. */
function valueFor(of: FieldDefinition): fc.Arbitrary<unknown> {
  const odd = { weight: 1, arbitrary: fc.constantFrom<unknown>(null, 1, 'a', true, [], {}, [null], { a: 1 }) }
  return fc.oneof(odd, { weight: 9, arbitrary: fitting(of) })
}

function fitting(of: FieldDefinition): fc.Arbitrary<unknown> {
  switch (of.type) {
    case 'number':
      return fc.integer({ min: -1, max: 9 })
    case 'boolean':
      return fc.boolean()
    case 'json':
      return fc.jsonValue({ maxDepth: 3 })
    case 'array':
      return fc.array(valueFor(of.itemsType as FieldDefinition), { maxLength: 5 })
    case 'object':
      return valuesFor(of.fields ?? [])
    case 'enum':
      return fc.constantFrom(...(of.variants ?? []), 'other')
    case 'date':
      return fc.constantFrom('2026-02-30', ...days, ...days, ...days)
    case 'url':
      return fc.constantFrom(ipfs, ...links, ...links)
    case 'image':
      return fc.constantFrom('ftp://example.com', ipfs, ...links)
    default:
      return fc.constantFrom(...texts)
  }
}

function valuesFor(of: readonly FieldDefinition[]): fc.Arbitrary<Record<string, unknown>> {
  const members = Object.fromEntries(of.map((definition) => [definition.name, valueFor(definition)]))
  const some = fc.record(members, {
    requiredKeys: of.filter(({ required }) => required).map(({ name }) => name),
    noNullPrototype: true,
  })
  return fc.oneof(
    { weight: 12, arbitrary: some },
    { weight: 1, arbitrary: some.map((values) => ({ ...values, stray: 1 })) },
  )
}

/** The same meaning as JSON Schema, for a judge that is not ours. Null is allowed where nothing is required. */
function schemaOf(of: FieldDefinition): AnySchema {
  const inner = present(of)
  return of.required ? inner : { anyOf: [{ type: 'null' }, inner] }
}

function present(of: FieldDefinition): object {
  const { minLength = 0, maxLength = 99, min = -99, max = 99 } = of
  switch (of.type) {
    case 'string':
      return { type: 'string', minLength, maxLength, pattern: '^[^\\n]*$' }
    case 'text':
      return { type: 'string' }
    case 'number':
      return { type: 'number', minimum: min, maximum: max }
    case 'boolean':
      return { type: 'boolean' }
    case 'date':
      return { enum: days }
    case 'url':
      return { enum: links }
    case 'image':
      return { enum: [...links, ipfs] }
    case 'enum':
      return { enum: of.variants }
    case 'json':
      return { not: { type: 'null' } }
    case 'array':
      return {
        type: 'array',
        minItems: minLength,
        maxItems: maxLength,
        items: schemaOf(of.itemsType as FieldDefinition),
      }
    case 'object':
      return objectSchema(of.fields ?? [])
  }
}

function objectSchema(of: readonly FieldDefinition[]): object {
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(of.map((definition) => [definition.name, schemaOf(definition)])),
    required: of.filter((definition) => definition.required).map((definition) => definition.name),
  }
}

/** One for all runs: each instance compiles the schema of schemas anew, which takes most of its time. */
const ajv = new Ajv({ strict: false, ownProperties: true })

const cases = definitions(3).chain((of) => fc.tuple(fc.constant(of), valuesFor(of)))

describe('Sheet: random definitions and values', () => {
  it('are judged as an independent JSON Schema validator judges them', () => {
    let right = 0
    let wrong = 0
    fc.assert(
      fc.property(cases, ([of, values]) => {
        expect(validateDefinitions(of, 'passportsFields')).to.deep.equal([])
        const independent = ajv.compile(objectSchema(of))
        const expected = independent(values)
        const found = compileFields(of)(values, 'fields')
        expect(found.length === 0, JSON.stringify({ of, values, found, errors: independent.errors })).to.equal(expected)
        if (expected) right += 1
        else wrong += 1
      }),
      { numRuns: 400 },
    )
    expect(right, 'runs that were right').to.be.greaterThan(50)
    expect(wrong, 'runs that were wrong').to.be.greaterThan(50)
  })

  it('stay right when their defaults are filled in, and a second time changes nothing', () => {
    fc.assert(
      fc.property(cases, ([of, values]) => {
        fc.pre(compileFields(of)(values, 'fields').length === 0)
        const complete = applyDefaults(of, values)
        expect(compileFields(of)(complete, 'fields')).to.deep.equal([])
        expect(applyDefaults(of, complete)).to.deep.equal(complete)
      }),
      { numRuns: 200 },
    )
  })

  it('never make the judge throw, whatever the values are', () => {
    fc.assert(
      fc.property(definitions(3), fc.anything(), (of, values) => {
        expect(compileFields(of)(values, 'fields')).to.be.an('array')
      }),
      { numRuns: 300 },
    )
    fc.assert(
      fc.property(fc.anything(), (of) => {
        expect(validateDefinitions(of, 'productFields')).to.be.an('array')
        expect(validateDefinitions([of], 'productFields')).to.be.an('array')
      }),
      { numRuns: 300 },
    )
  })
})
