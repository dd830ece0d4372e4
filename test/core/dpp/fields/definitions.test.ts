import { expect } from 'chai'
import { countDefinitions, validateDefinitions } from '../../../../core/features/dpp/fields/fields.definitions.ts'
import { pathExists } from '../../../../core/features/dpp/fields/fields.paths.ts'
import type { FieldDefinition } from '../../../../core/features/dpp/index.ts'

function findings(definitions: unknown): Record<string, string> {
  return Object.fromEntries(validateDefinitions(definitions, 'passportsFields').map(({ path, code }) => [path, code]))
}

/** What is found in one definition, keyed by the path below it. */
function found(definition: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(findings([{ name: 'it', ...definition }])).map(([path, code]) => [
      path.slice('passportsFields[0].'.length),
      code,
    ]),
  )
}

function nested(depth: number): FieldDefinition {
  return depth === 1 ? { name: 'leaf', type: 'string' } : { name: 'level', type: 'object', fields: [nested(depth - 1)] }
}

describe('Sheet: definitions of fields', () => {
  it('take every type with its own members', () => {
    expect(
      findings([
        { name: 'a', type: 'string', label: 'A', required: true, minLength: 1, maxLength: 9, default: 'x' },
        { name: 'b', type: 'text' },
        { name: 'c', type: 'number', min: 0, max: 0, default: 0 },
        { name: 'd', type: 'boolean', default: false },
        { name: 'e', type: 'date', min: '2026-01-01', max: '2026-01-01T12:00:00Z' },
        { name: 'f', type: 'url' },
        { name: 'g', type: 'image' },
        { name: 'h', type: 'enum', variants: ['x', 'y'], default: 'y' },
        { name: 'i', type: 'json', default: [1] },
        {
          name: 'j',
          type: 'array',
          minLength: 0,
          maxLength: 2,
          itemsType: { name: '[]', type: 'string' },
          default: ['x'],
        },
        { name: 'k', type: 'object', fields: [{ name: 'a', type: 'number' }] },
        { name: 'x'.repeat(64), type: 'text' },
        { name: 'with.dot', type: 'text' },
      ]),
    ).to.deep.equal({})
  })

  it('refuse names that are missing, too long, reserved or taken', () => {
    expect(findings([{ type: 'text' }])).to.deep.equal({ 'passportsFields[0].name': 'required' })
    for (const name of ['', 'x'.repeat(65), 7, null])
      expect(found({ name, type: 'text' }), String(name)).to.deep.equal({ name: 'type' })
    for (const name of ['__proto__', 'constructor', 'prototype', '[]'])
      expect(found({ name, type: 'text' }), name).to.deep.equal({ name: 'reserved' })
    expect(found({ name: 'nul\0', type: 'text' })).to.deep.equal({ name: 'format' })
    expect(
      findings([
        { name: 'a', type: 'text' },
        { name: 'a', type: 'number' },
      ]),
    ).to.deep.equal({ 'passportsFields[1].name': 'unique' })
    expect(
      found({
        type: 'object',
        fields: [
          { name: 'b', type: 'text' },
          { name: 'b', type: 'text' },
        ],
      }),
    ).to.deep.equal({ 'fields[1].name': 'unique' })
  })

  it('refuse unknown types and members that a type does not take', () => {
    expect(found({ type: 'integer' })).to.deep.equal({ type: 'enum' })
    expect(found({})).to.deep.equal({ type: 'required' })
    expect(found({ type: 'text', maxLength: 3 })).to.deep.equal({ maxLength: 'unknown_member' })
    expect(found({ type: 'string', variants: ['a'] })).to.deep.equal({ variants: 'unknown_member' })
    expect(found({ type: 'object', fields: [{ name: 'b', type: 'text', requird: true }] })).to.deep.equal({
      'fields[0].requird': 'unknown_member',
    })
    expect(found({ type: 'text', required: 'yes', label: 7 })).to.deep.equal({ required: 'type', label: 'type' })
  })

  it('refuse bounds that contradict each other or are no bounds', () => {
    expect(found({ type: 'number', min: 2, max: 1 })).to.deep.equal({ min: 'contradiction' })
    expect(found({ type: 'number', min: '2' })).to.deep.equal({ min: 'type' })
    expect(found({ type: 'date', min: '2026-01-02', max: '2026-01-01' })).to.deep.equal({ min: 'contradiction' })
    expect(found({ type: 'date', max: '2026-02-30' })).to.deep.equal({ max: 'type' })
    expect(found({ type: 'date', max: 7 })).to.deep.equal({ max: 'type' })
    expect(found({ type: 'string', minLength: 3, maxLength: 2 })).to.deep.equal({ minLength: 'contradiction' })
    expect(found({ type: 'string', minLength: -1 })).to.deep.equal({ minLength: 'type' })
    expect(found({ type: 'array', maxLength: 1.5, itemsType: { name: '[]', type: 'text' } })).to.deep.equal({
      maxLength: 'type',
    })
  })

  it('refuse an enum without 1 to 500 unique variants', () => {
    expect(found({ type: 'enum' })).to.deep.equal({ variants: 'contradiction' })
    expect(found({ type: 'enum', variants: 'red' })).to.deep.equal({ variants: 'type' })
    expect(found({ type: 'enum', variants: [] })).to.deep.equal({ variants: 'min_items' })
    expect(found({ type: 'enum', variants: Array.from({ length: 500 }, (_, index) => `v${index}`) })).to.deep.equal({})
    expect(found({ type: 'enum', variants: Array.from({ length: 501 }, (_, index) => `v${index}`) })).to.deep.equal({
      variants: 'max_items',
    })
    expect(found({ type: 'enum', variants: ['a', 'b', 'a', 3] })).to.deep.equal({
      'variants[2]': 'unique',
      'variants[3]': 'type',
    })
  })

  it('refuse arrays without elements of their own and objects without members', () => {
    expect(found({ type: 'array' })).to.deep.equal({ itemsType: 'contradiction' })
    expect(found({ type: 'array', itemsType: { name: 'part', type: 'text' } })).to.deep.equal({
      'itemsType.name': 'format',
    })
    expect(found({ type: 'array', itemsType: { type: 'text' } })).to.deep.equal({ 'itemsType.name': 'required' })
    expect(found({ type: 'array', itemsType: 'text' })).to.deep.equal({ itemsType: 'type' })
    expect(found({ type: 'object' })).to.deep.equal({ fields: 'contradiction' })
    expect(found({ type: 'object', fields: {} })).to.deep.equal({ fields: 'type' })
  })

  it('refuse a default that the definition itself would refuse', () => {
    expect(found({ type: 'number', default: '1' })).to.deep.equal({ default: 'type' })
    expect(found({ type: 'number', max: 3, default: 4 })).to.deep.equal({ default: 'max_value' })
    expect(found({ type: 'enum', variants: ['a'], default: 'b' })).to.deep.equal({ default: 'enum' })
    expect(found({ type: 'date', default: '2026-02-30' })).to.deep.equal({ default: 'format' })
    expect(found({ type: 'object', fields: [{ name: 'a', type: 'text', required: true }], default: {} })).to.deep.equal(
      { 'default.a': 'required' },
    )
    expect(found({ type: 'text', default: null })).to.deep.equal({})
  })

  it('nest at most 6 deep and count at most 500', () => {
    expect(findings([nested(6)])).to.deep.equal({})
    const path = `passportsFields[0]${'.fields[0]'.repeat(6)}`
    expect(findings([nested(7)])).to.deep.equal({ [path]: 'too_deep' })
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ name: `f${index}`, type: 'text' as const }))
    expect(findings(many(500))).to.deep.equal({})
    expect(findings(many(501))).to.deep.equal({ passportsFields: 'too_many' })
    const inside = [
      { name: 'o', type: 'object' as const, fields: many(499) },
      { name: 'last', type: 'text' as const },
    ]
    expect(countDefinitions(inside)).to.equal(501)
    expect(findings(inside)).to.deep.equal({ passportsFields: 'too_many' })
  })

  it('are a list of objects', () => {
    expect(findings('a')).to.deep.equal({ passportsFields: 'type' })
    expect(findings([null, 'a', []])).to.deep.equal({
      'passportsFields[0]': 'type',
      'passportsFields[1]': 'type',
      'passportsFields[2]': 'type',
    })
  })
})

describe('Sheet: paths into definitions', () => {
  const definitions: FieldDefinition[] = [
    { name: 'serial', type: 'string' },
    {
      name: 'a',
      type: 'object',
      fields: [
        { name: 'b', type: 'text' },
        { name: 'b.c', type: 'text' },
      ],
    },
    { name: 'a.x', type: 'text' },
    {
      name: 'parts',
      type: 'array',
      itemsType: { name: '[]', type: 'object', fields: [{ name: 'weight', type: 'number' }] },
    },
    {
      name: 'grid',
      type: 'array',
      itemsType: { name: '[]', type: 'array', itemsType: { name: '[]', type: 'number' } },
    },
    { name: 'free', type: 'json' },
  ]

  it('exist for every field, nested ones and elements of arrays', () => {
    for (const path of [
      'serial',
      'a',
      'a.b',
      'a.b.c',
      'a.x',
      'parts',
      'parts[]',
      'parts[].weight',
      'parts.[].weight',
      'parts[12].weight',
      'grid[][3]',
      'free',
    ]) {
      expect(pathExists(definitions, path), path).to.equal(true)
    }
  })

  it('do not exist for anything else', () => {
    for (const path of [
      '',
      'Serial',
      'serial.x',
      'serialx',
      'a.c',
      'a.',
      '.a',
      'parts.weight',
      'parts[].size',
      'parts[-1]',
      'parts[01]',
      'free.any',
      'toString',
      'grid[][][]',
    ]) {
      expect(pathExists(definitions, path), path).to.equal(false)
    }
  })
})
