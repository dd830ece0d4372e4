import type { Violation } from '../../kernel/problem.ts'
import { Containers, partsOf, type Container, type PathPart } from './mapping.paths.ts'
import type { MapperRow } from './mappers.schema.ts'
import { transformOf, type Transform } from './transforms.ts'
import { isNone } from './transforms.types.ts'

/** Characters of the text of a template, and what JSON a constant may have. */
const longestValue = 10_000
const mostPlaceholders = 20

/** What makes a value of what stands at the sources; absent sources are undefined. */
export type Making =
  | { kind: 'field' }
  | { kind: 'constant'; value: unknown }
  /** `texts` has one more than there are sources. */
  | { kind: 'template'; texts: readonly string[] }
  | { kind: 'lookup'; lookup: ReadonlyMap<string, string>; other: string | undefined }
  | { kind: 'concat'; joint: string }

/** A row of a mapper, understood. */
export interface ReadRow {
  destination: string
  container: number
  key: PathPart
  making: Making
  sources: readonly string[]
  transforms: readonly Transform[]
  required: boolean
}

export interface ReadRows { rows: ReadRow[]; containers: readonly Container[]; wrong: Violation[] }

/** The rows of a mapper, understood, and what is wrong with them at paths as `rows[3].transforms[0]`. */
export function readRows(rows: readonly MapperRow[]): ReadRows {
  const containers = new Containers()
  const wrong: Violation[] = []
  const read = rows.flatMap((row, index) => {
    const tell = (member: string, code: string, message: string) =>
      void wrong.push({ path: `rows[${index}].${member}`, code, message })
    const before = wrong.length
    const place = placeOf(row, containers, tell)
    const transforms = transformsOf(row, tell)
    const made = makingOf(row, tell)
    if (wrong.length > before || !place || !made) return []
    return [{ destination: row.destination, ...place, ...made, transforms, required: row.required === true }]
  })
  return { rows: read, containers: containers.all, wrong }
}

type Tell = (member: string, code: string, message: string) => void

function placeOf({ destination }: MapperRow, containers: Containers, tell: Tell) {
  const parts = partsOf(destination)
  const place = typeof parts === 'string' ? parts : containers.add(parts)
  if (typeof place !== 'string') return place
  tell('destination', typeof parts === 'string' ? 'unknown_path' : 'clash', place)
  return undefined
}

function transformsOf({ transforms = [] }: MapperRow, tell: Tell): Transform[] {
  return transforms.flatMap((written, at) => {
    const transform = transformOf(written)
    if (typeof transform !== 'string') return [transform]
    tell(`transforms[${at}]`, 'transform', transform)
    return []
  })
}

type Made = Pick<ReadRow, 'making' | 'sources'>

/** Members that rows of a kind have beside those of all rows. */
const members: Record<MapperRow['kind'], readonly (keyof MapperRow)[]> = {
  field: ['source'],
  constant: ['value'],
  template: ['value'],
  lookup: ['source', 'lookup', 'lookupDefault'],
  concat: ['source', 'value'],
}

function makingOf(row: MapperRow, tell: Tell): Made | undefined {
  for (const member of ['source', 'value', 'lookup', 'lookupDefault'] as const) {
    if (row[member] !== undefined && !members[row.kind].includes(member)) {
      tell(member, 'unknown_member', `is nothing for a row of kind ${row.kind}`)
    }
  }
  if (row.kind === 'constant') return constantOf(row, tell)
  if (row.kind === 'template') return templateOf(row, tell)
  if (row.kind === 'concat') return concatOf(row, tell)
  if (typeof row.source !== 'string') {
    tell('source', kindOf(row.source), 'has to be a text')
    return undefined
  }
  return row.kind === 'field' ? { making: { kind: 'field' }, sources: [row.source] } : lookupOf(row, row.source, tell)
}

/** What is wrong with something that is not as it has to be. */
const kindOf = (value: unknown) => (value === undefined ? 'required' : 'type')

function constantOf({ value }: MapperRow, tell: Tell): Made | undefined {
  if (isNone(value)) return void tell('value', 'required', 'has to be a value')
  if (JSON.stringify(value).length > longestValue) {
    return void tell('value', 'too_long', `has more than ${longestValue} characters as JSON`)
  }
  return { making: { kind: 'constant', value }, sources: [] }
}

/** Without regular expressions on the way, so that no text takes long. */
function templateOf({ value }: MapperRow, tell: Tell): Made | undefined {
  if (typeof value !== 'string') return void tell('value', kindOf(value), 'has to be a text')
  if (value.length > longestValue) return void tell('value', 'too_long', `has more than ${longestValue} characters`)
  const [first = '', ...pieces] = value.split('{{')
  const texts = [first]
  const sources: string[] = []
  for (const piece of pieces) {
    const end = piece.indexOf('}}')
    const source = piece.slice(0, Math.max(end, 0)).trim()
    if (source === '') return void tell('value', 'placeholder', 'has a {{ without a source and }} behind it')
    sources.push(source)
    texts.push(piece.slice(end + 2))
  }
  if (sources.length === 0) return void tell('value', 'placeholder', 'has no {{source}}; a fixed value is a constant')
  if (sources.length > mostPlaceholders) {
    return void tell('value', 'too_many', `has more than ${mostPlaceholders} sources`)
  }
  return { making: { kind: 'template', texts }, sources }
}

function concatOf({ source, value = '' }: MapperRow, tell: Tell): Made | undefined {
  if (!Array.isArray(source)) return void tell('source', kindOf(source), 'has to be a list')
  if (typeof value !== 'string' || value.length > 100) {
    return void tell('value', 'type', 'has to be a text of at most 100 characters')
  }
  return { making: { kind: 'concat', joint: value }, sources: source }
}

function lookupOf({ lookup, lookupDefault }: MapperRow, source: string, tell: Tell): Made | undefined {
  if (lookup === undefined) return void tell('lookup', 'required', 'has to be an object')
  const table = new Map(Object.entries(lookup))
  return { making: { kind: 'lookup', lookup: table, other: lookupDefault }, sources: [source] }
}
