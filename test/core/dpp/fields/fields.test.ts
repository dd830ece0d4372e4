import { expect } from 'chai'
import { applyDefaults, compileFields, getSheetValidator } from '../../../../core/features/dpp/fields/fields.ts'
import type { FieldDefinition, FieldType } from '../../../../core/features/dpp/index.ts'

/** The codes found, keyed by path. */
function findings(definitions: FieldDefinition[], values: unknown, at = 'fields'): Record<string, string> {
  return Object.fromEntries(compileFields(definitions)(values, at).map(({ path, code }) => [path, code]))
}

/** The code found for one value of a field, or null. */
function verdict(definition: Omit<FieldDefinition, 'name'>, value: unknown): string | null {
  return findings([{ name: 'it', ...definition }], { it: value })['fields.it'] ?? null
}

function expectTaken(type: FieldType, values: readonly unknown[]): void {
  for (const value of values) expect(verdict({ type }, value), JSON.stringify(value)).to.equal(null)
}

function expectRefused(type: FieldType, values: readonly unknown[]): void {
  for (const value of values) expect(verdict({ type }, value), JSON.stringify(value)).to.be.a('string')
}

describe('Sheet: values of fields', () => {
  it('names an unknown key, a missing required one and a wrong type at their dotted paths', () => {
    const definitions: FieldDefinition[] = [
      { name: 'serialNumber', type: 'string', required: true },
      {
        name: 'parts',
        type: 'array',
        itemsType: { name: '[]', type: 'object', fields: [{ name: 'weight', type: 'number', required: true }] },
      },
    ]
    const values = { parts: [{ weight: 1 }, {}, { weight: 'heavy' }], colour: 'red' }
    expect(findings(definitions, values)).to.deep.equal({
      'fields.serialNumber': 'required',
      'fields.parts[1].weight': 'required',
      'fields.parts[2].weight': 'type',
      'fields.colour': 'unknown_member',
    })
    expect(findings(definitions, { serialNumber: 'a' }, '[7]')).to.deep.equal({})
    expect(findings(definitions, { serialNumber: 1 }, '[7]')).to.deep.equal({ '[7].serialNumber': 'type' })
    expect(findings(definitions, [], 'fields')).to.deep.equal({ fields: 'type' })
  })

  it('takes null for absent: allowed where nothing is required, missing where something is', () => {
    expect(verdict({ type: 'number' }, null)).to.equal(null)
    expect(verdict({ type: 'number', required: true }, null)).to.equal('required')
    expect(verdict({ type: 'number', required: true, default: 3 }, null)).to.equal(null)
    expect(
      findings([{ name: 'it', type: 'array', itemsType: { name: '[]', type: 'number' } }], { it: [1, null] }),
    ).to.deep.equal({})
    expect(
      findings([{ name: 'it', type: 'array', itemsType: { name: '[]', type: 'number', required: true } }], {
        it: [1, null],
      }),
    ).to.deep.equal({ 'fields.it[1]': 'required' })
  })

  it('keeps string to one line and lets text have many', () => {
    expectTaken('string', ['', 'one line', 'tab\there', '🎒'])
    expectRefused('string', ['two\nlines', 'two\rlines', 'two\u2028lines', 'nul\0', '\ud800', 1, {}, []])
    expectTaken('text', ['two\nlines', ''])
    expectRefused('text', ['nul\0', '\udc00', true])
  })

  it('counts characters, not UTF-16 units, for the length of a string', () => {
    const definition = { type: 'string', minLength: 2, maxLength: 3 } as const
    expect(verdict(definition, '🎒')).to.equal('min_length')
    expect(verdict(definition, '🎒🎒🎒')).to.equal(null)
    expect(verdict(definition, 'abcd')).to.equal('max_length')
  })

  it('holds numbers to their bounds', () => {
    const definition = { type: 'number', min: -1.5, max: 10 } as const
    expect(verdict(definition, -1.5)).to.equal(null)
    expect(verdict(definition, -1.6)).to.equal('min_value')
    expect(verdict(definition, 10.01)).to.equal('max_value')
    expectRefused('number', ['1', true, Infinity, NaN, {}])
    expectRefused('boolean', ['true', 0, 1])
    expectTaken('boolean', [true, false])
  })

  it('takes only days of the calendar and RFC 3339 instants as dates', () => {
    expectTaken('date', [
      '2024-02-29',
      '0001-01-01',
      '2026-12-31T23:59:59Z',
      '2026-12-31t23:59:59.123456z',
      '2026-12-31T10:00:00+05:30',
      '2016-12-31T23:59:60Z',
      '2017-01-01T00:59:60+01:00',
    ])
    expectRefused('date', [
      '2023-02-29',
      '2026-04-31',
      '2026-00-10',
      '2026-13-01',
      '26-01-01',
      '2026-1-1',
      '2026-01-01 10:00:00Z',
      '2026-01-01T10:00:00',
      '2026-01-01T24:00:00Z',
      '2026-01-01T10:60:00Z',
      '2026-01-01T10:00:60Z',
      '2026-01-01T10:00:00+24:00',
      '2026-01-01T10:00Z',
      '2026-01-01Z',
      ' 2026-01-01',
      '2026-01-01\n',
      '1767225600',
      1767225600,
    ])
  })

  it('holds dates to their bounds, a day as bound taking all its instants', () => {
    const definition = { type: 'date', min: '2026-01-10', max: '2026-01-20' } as const
    expect(verdict(definition, '2026-01-10')).to.equal(null)
    expect(verdict(definition, '2026-01-20T23:59:59.999Z')).to.equal(null)
    expect(verdict(definition, '2026-01-21T00:00:00Z')).to.equal('max_value')
    expect(verdict(definition, '2026-01-10T00:30:00+01:00')).to.equal('min_value')
  })

  it('takes absolute web addresses, and ipfs for images', () => {
    const web = [
      'https://example.com',
      'http://example.com:8080/a/b?c=d#e',
      'HTTPS://EXAMPLE.COM/',
      'https://bücher.example/ä',
      'http://[::1]/',
    ]
    expectTaken('url', web)
    expectTaken('image', [
      ...web,
      'ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi',
      'ipfs://QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKRZoR/a.png',
    ])
    const wrong = [
      '',
      'example.com',
      '/a',
      '//example.com/a',
      'ftp://example.com',
      'javascript:alert(1)',
      'https:example.com',
      'https://',
      'http:///a',
      'https://a b.example',
      'https://example.com/a b',
      'https://example.com/\n',
      ' https://example.com',
      'https://example.com:99999',
      'https://exa<mple.com',
      'data:text/plain,a',
      `https://example.com/${'a'.repeat(2048)}`,
      7,
    ]
    expectRefused('url', [...wrong, 'ipfs://bafy'])
    expectRefused('image', [...wrong, 'ipfs://', 'ipfs:///a', 'ipfs:bafy'])
  })

  it('takes only the variants of an enum', () => {
    const definition = { type: 'enum', variants: ['red', 'green'] } as const
    expect(verdict(definition, 'red')).to.equal(null)
    expect(verdict(definition, 'Red')).to.equal('enum')
    expect(verdict(definition, 1)).to.equal('type')
  })

  it('takes any JSON of bounded depth', () => {
    expectTaken('json', [1, 'a\nb', [], { a: [{ b: null }] }, false])
    let deep: unknown = 1
    for (let level = 0; level < 20; level += 1) deep = [deep]
    expectTaken('json', [deep])
    expectRefused('json', [[deep], { a: 'nul\0' }, { 'nul\0': 1 }])
  })

  it('holds arrays to their length', () => {
    const definition: Omit<FieldDefinition, 'name'> = {
      type: 'array',
      minLength: 1,
      maxLength: 2,
      itemsType: { name: '[]', type: 'string' },
    }
    expect(verdict(definition, [])).to.equal('min_items')
    expect(verdict(definition, ['a', 'b'])).to.equal(null)
    expect(verdict(definition, ['a', 'b', 'c'])).to.equal('max_items')
    expect(verdict(definition, 'ab')).to.equal('type')
  })

  it('takes members of Object.prototype for what they are: unknown keys, or names like all others', () => {
    const values = JSON.parse('{"__proto__": {"a": 1}, "toString": 1}') as unknown
    expect(findings([], values)).to.deep.equal({
      'fields.__proto__': 'unknown_member',
      'fields.toString': 'unknown_member',
    })
    expect(findings([{ name: 'toString', type: 'number', required: true }], {})).to.deep.equal({
      'fields.toString': 'required',
    })
    expect(findings([{ name: 'valueOf', type: 'number' }], { valueOf: 1 })).to.deep.equal({})
  })

  it('stops at 100 violations', () => {
    const definitions: FieldDefinition[] = [{ name: 'it', type: 'array', itemsType: { name: '[]', type: 'number' } }]
    expect(compileFields(definitions)({ it: new Array(100_000).fill('x') }, 'fields')).to.have.length(100)
  })

  it('validates 10,000 rows of twenty fields with one compiled validator', () => {
    const definitions = Array.from({ length: 20 }, (_, index): FieldDefinition => ({
      name: `f${index}`,
      required: true,
      ...(index % 2 ? { type: 'date' } : { type: 'url' }),
    }))
    const row = Object.fromEntries(
      definitions.map(({ name, type }) => [name, type === 'date' ? '2026-01-01T00:00:00Z' : 'https://example.com/a']),
    )
    const validate = compileFields(definitions)
    for (let line = 0; line < 10_000; line += 1) expect(validate(row, `[${line}]`)).to.have.length(0)
  })

  it('compiles a schemaVersion of a sheet once', () => {
    const sheet = {
      id: crypto.randomUUID(),
      schemaVersion: 1,
      productFields: [],
      passportsFields: [{ name: 'a', type: 'number' as const }],
    }
    expect(getSheetValidator(sheet, 'passportsFields')).to.equal(getSheetValidator({ ...sheet }, 'passportsFields'))
    const next = { ...sheet, schemaVersion: 2, passportsFields: [] }
    expect(getSheetValidator(next, 'passportsFields')({ a: 1 }, 'fields')).to.have.length(1)
    expect(getSheetValidator(sheet, 'passportsFields')({ a: 1 }, 'fields')).to.have.length(0)
    expect(getSheetValidator(sheet, 'productFields')({ a: 1 }, 'fields')).to.have.length(1)
  })
})

describe('Sheet: defaults', () => {
  const definitions: FieldDefinition[] = [
    { name: 'colour', type: 'string', default: 'red' },
    { name: 'note', type: 'string' },
    {
      name: 'box',
      type: 'object',
      fields: [
        { name: 'size', type: 'number', default: 3 },
        { name: 'tag', type: 'string' },
      ],
    },
    {
      name: 'parts',
      type: 'array',
      itemsType: { name: '[]', type: 'object', fields: [{ name: 'count', type: 'number', default: 1 }] },
    },
  ]

  it('stand in for what is absent, at every depth, and never for what was sent', () => {
    expect(applyDefaults(definitions, {})).to.deep.equal({ colour: 'red' })
    expect(applyDefaults(definitions, { colour: 'blue', box: {}, parts: [{}, { count: 5 }, null] })).to.deep.equal({
      colour: 'blue',
      box: { size: 3 },
      parts: [{ count: 1 }, { count: 5 }, null],
    })
  })

  it('leave null values out, as they are absent', () => {
    expect(applyDefaults(definitions, { colour: null, note: null, box: { tag: null } })).to.deep.equal({
      colour: 'red',
      box: { size: 3 },
    })
  })

  it('keep falsy values', () => {
    expect(
      applyDefaults(
        [
          { name: 'n', type: 'number', default: 7 },
          { name: 'b', type: 'boolean', default: true },
        ],
        { n: 0, b: false },
      ),
    ).to.deep.equal({ n: 0, b: false })
  })
})
