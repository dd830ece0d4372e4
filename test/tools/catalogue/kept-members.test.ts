import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import type { Tool } from '../../../tools/catalogue/catalogue.ts'
import { readCommittedCatalogue } from '../../support/bridge/committed-catalogue.ts'
import {
  resolveReference,
  isRecord,
  joinPointer,
  type ApiDocument,
  type LocatedSchema,
  type Schema,
} from '../../../tools/openapi.ts'

const document = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')) as ApiDocument
const catalogue = readCommittedCatalogue()
const ajv = new Ajv2020({ strict: false, logger: false })

const takesNull = (schema: Schema, $defs: unknown): boolean => ajv.compile({ ...schema, $defs })(null)
const takes = new Map<string, boolean>()

/** Words that say whether null is one of the values. */
const deciding = ['type', 'enum', 'const']

/** Whether a schema of the document takes null. */
function takesNullInDocument({ schema, pointer }: LocatedSchema): boolean {
  const known = takes.get(pointer)
  if (known !== undefined) return known
  const { schema: stated } = resolveReference(document, schema, pointer)
  const branches = Array.isArray(stated['anyOf']) ? (stated['anyOf'] as Schema[]) : []
  const found =
    branches.length > 0
      ? branches.some((one, at) => takesNullInDocument({ schema: one, pointer: joinPointer(pointer, 'anyOf', at) }))
      : takesNull(Object.fromEntries(Object.entries(stated).filter(([word]) => deciding.includes(word))), {})
  takes.set(pointer, found)
  return found
}

interface StatedMember {
  path: string
  kind: 'default' | 'null' | 'not null'
  value: unknown
}

/** Every default, and for every member whether it takes null, as the document states them below a schema. */
function statedBelow({ schema, pointer }: LocatedSchema, path: string, seen: readonly string[] = []): StatedMember[] {
  const stated = resolveReference(document, schema, pointer)
  if (seen.includes(stated.pointer)) return []
  const down = [...seen, stated.pointer]
  const properties = isRecord(stated.schema['properties']) ? stated.schema['properties'] : {}
  const inner = [
    ...Object.entries(properties).flatMap(([name, one]) => {
      const member = { schema: one as Schema, pointer: joinPointer(stated.pointer, 'properties', name) }
      const kind = takesNullInDocument(member) ? 'null' : 'not null'
      return [{ path: `${path}.${name}`, kind, value: null } as const, ...statedBelow(member, `${path}.${name}`, down)]
    }),
    ...(isRecord(stated.schema['items'])
      ? statedBelow(
          { schema: stated.schema['items'], pointer: joinPointer(stated.pointer, 'items') },
          `${path}[]`,
          down,
        )
      : []),
    ...(Array.isArray(stated.schema['anyOf'])
      ? (stated.schema['anyOf'] as Schema[]).flatMap((one, at) =>
          statedBelow({ schema: one, pointer: joinPointer(stated.pointer, 'anyOf', at) }, path, down),
        )
      : []),
  ]
  const beside = 'default' in schema ? schema['default'] : stated.schema['default']
  return [...(beside === undefined ? [] : [{ path, kind: 'default' as const, value: beside }]), ...inner]
}

/** The schemas that a tool shows at a path; `hidden` where what is nested there is shown by a link. */
function shownAt(root: Schema, path: string): readonly Schema[] | 'hidden' {
  const steps = path.split(/\.|(?=\[\])/).slice(1)
  let at: readonly Schema[] = [root]
  let isLinked = false
  for (const step of steps) {
    const wide = at.flatMap((one) => branchesOf(root, one))
    const next = wide.flatMap((one) => {
      const properties = isRecord(one['properties']) ? one['properties'] : {}
      const inner = step === '[]' ? one['items'] : properties[step]
      return isRecord(inner) ? [inner] : []
    })
    isLinked ||= wide.some((one) => JSON.stringify(one['description'] ?? '').includes('tessera://schemas/'))
    if (next.length === 0) return isLinked ? 'hidden' : []
    at = next
  }
  return at
}

/** A schema, what it refers to, and its branches. */
function branchesOf(root: Schema, schema: Schema): Schema[] {
  const ref = schema['$ref']
  const definitions = root['$defs'] as Schema
  const target = typeof ref === 'string' ? definitions[decodeURIComponent(ref.replace('#/$defs/', ''))] : undefined
  const branches = ['anyOf', 'allOf'].flatMap((word) => (Array.isArray(schema[word]) ? (schema[word] as Schema[]) : []))
  return [schema, ...[...(isRecord(target) ? [target] : []), ...branches].flatMap((one) => branchesOf(root, one))]
}

/** What the document states of a tool's body and parameters, by the names of arguments. */
function statedOf({ plan }: Tool): StatedMember[] {
  return plan.bindings
    .filter(({ argument }) => argument !== 'filters' && argument !== 'sorters')
    .flatMap(({ argument, schema }) => {
      const kind = takesNullInDocument(schema) ? ('null' as const) : ('not null' as const)
      return [{ path: `.${argument}`, kind, value: null }, ...statedBelow(schema, `.${argument}`)]
    })
}

describe('tools/list: members and texts kept from the document', () => {
  let seen = { default: 0, null: 0, 'not null': 0, hidden: 0 }

  for (const tool of [...catalogue.tools.values(), ...catalogue.readTools.values()]) {
    it(`is what ${tool.entry.name} shows: its default, and whether it takes null`, () => {
      const root = tool.entry.inputSchema
      for (const { path, kind, value } of statedOf(tool)) {
        const shown = shownAt(root, path)
        if (shown === 'hidden') {
          seen = { ...seen, hidden: seen.hidden + 1 }
          continue
        }
        seen = { ...seen, [kind]: seen[kind] + 1 }
        const here = shown.flatMap((one) => branchesOf(root, one))
        if (kind === 'default')
          expect(
            here.map((one) => one['default']),
            path,
          ).to.deep.include(value)
        else
          expect(
            shown.some((one) => takesNull(one, root['$defs'])),
            `${path} is ${kind}`,
          ).to.equal(kind === 'null')
      }
    })
  }

  it('was looked at for many members', () => {
    expect(seen.default).to.be.above(20)
    expect(seen.null).to.be.above(40)
    expect(seen['not null']).to.be.above(150)
    expect(seen.hidden).to.be.below(seen.null + seen['not null'])
  })
})
