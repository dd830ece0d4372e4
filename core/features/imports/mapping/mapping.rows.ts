import type { Issue } from '../../../kernel/problem.ts'
import { ContainerTree, parsePath, type Container, type PathPart, type RecordShape } from './mapping.paths.ts'
import type { MapperRow } from '../records/index.ts'
import { isMissing, parseTransform, type Transform } from '../transforms/index.ts'

/** The maximum length of the text of a template, and of a constant as JSON. */
const maxValueLength = 10_000
const maxPlaceholders = 20

/** How a row makes its value from the values of its sources; a missing source has the value undefined. */
export type ValueRule =
  | { kind: 'field' }
  | { kind: 'constant'; value: unknown }
  /** `texts` has one element more than there are sources. */
  | { kind: 'template'; texts: readonly string[] }
  | { kind: 'lookup'; lookup: ReadonlyMap<string, string>; defaultValue: string | undefined }
  | { kind: 'concat'; separator: string }

/** A parsed row of a mapper. */
export interface ParsedMapperRow {
  destination: string
  container: number
  key: PathPart
  making: ValueRule
  sources: readonly string[]
  transforms: readonly Transform[]
  required: boolean
}

export interface ParsedMapper {
  rows: ParsedMapperRow[]
  containers: readonly Container[]
  issues: Issue[]
}

/** Parses the rows of a mapper and collects the issues, at paths such as `rows[3].transforms[0]`. */
export function parseMapperRows(rows: readonly MapperRow[], records: RecordShape): ParsedMapper {
  const containers = new ContainerTree()
  const issues: Issue[] = []
  const read = rows.flatMap((row, index) => {
    const report = (member: string, code: string, message: string) =>
      void issues.push({ path: `rows[${index}].${member}`, code, message })
    const before = issues.length
    const place = findPlace(parsePath(row.destination, records), containers, report)
    const transforms = parseTransforms(row, report)
    const made = parseValueRule(row, report)
    if (issues.length > before || !place || !made) return []
    return [{ destination: row.destination, ...place, ...made, transforms, required: row.required === true }]
  })
  return { rows: read, containers: containers.all, issues }
}

type IssueReporter = (member: string, code: string, message: string) => void

function findPlace(parts: PathPart[] | string, containers: ContainerTree, report: IssueReporter) {
  const place = typeof parts === 'string' ? parts : containers.add(parts)
  if (typeof place !== 'string') return place
  report('destination', typeof parts === 'string' ? 'unknown_path' : 'clash', place)
  return undefined
}

function parseTransforms({ transforms = [] }: MapperRow, report: IssueReporter): Transform[] {
  return transforms.flatMap((written, at) => {
    const transform = parseTransform(written)
    if (typeof transform !== 'string') return [transform]
    report(`transforms[${at}]`, 'transform', transform)
    return []
  })
}

type ParsedValueRule = Pick<ParsedMapperRow, 'making' | 'sources'>

/** The members that rows of a kind have in addition to those of all rows. */
const membersByKind: Record<MapperRow['kind'], readonly (keyof MapperRow)[]> = {
  field: ['source'],
  constant: ['value'],
  template: ['value'],
  lookup: ['source', 'lookup', 'lookupDefault'],
  concat: ['source', 'value'],
}

function parseValueRule(row: MapperRow, report: IssueReporter): ParsedValueRule | undefined {
  for (const member of ['source', 'value', 'lookup', 'lookupDefault'] as const) {
    if (row[member] !== undefined && !membersByKind[row.kind].includes(member)) {
      report(member, 'unknown_member', `is nothing for a row of kind ${row.kind}`)
    }
  }
  if (row.kind === 'constant') return parseConstant(row, report)
  if (row.kind === 'template') return parseTemplate(row, report)
  if (row.kind === 'concat') return parseConcat(row, report)
  if (typeof row.source !== 'string') {
    report('source', getIssueCode(row.source), 'has to be a text')
    return undefined
  }
  return row.kind === 'field'
    ? { making: { kind: 'field' }, sources: [row.source] }
    : parseLookup(row, row.source, report)
}

/** Returns the code of the issue for a value that is missing or of the wrong type. */
const getIssueCode = (value: unknown) => (value === undefined ? 'required' : 'type')

function parseConstant({ value }: MapperRow, report: IssueReporter): ParsedValueRule | undefined {
  if (isMissing(value)) return void report('value', 'required', 'has to be a value')
  if (JSON.stringify(value).length > maxValueLength) {
    return void report('value', 'too_long', `has more than ${maxValueLength} characters as JSON`)
  }
  return { making: { kind: 'constant', value }, sources: [] }
}

/** Parses a template without regular expressions, so that no text takes long. */
function parseTemplate({ value }: MapperRow, report: IssueReporter): ParsedValueRule | undefined {
  if (typeof value !== 'string') return void report('value', getIssueCode(value), 'has to be a text')
  if (value.length > maxValueLength)
    return void report('value', 'too_long', `has more than ${maxValueLength} characters`)
  const [first = '', ...pieces] = value.split('{{')
  const texts = [first]
  const sources: string[] = []
  for (const piece of pieces) {
    const end = piece.indexOf('}}')
    const source = piece.slice(0, Math.max(end, 0)).trim()
    if (source === '') return void report('value', 'placeholder', 'has a {{ without a source and }} behind it')
    sources.push(source)
    texts.push(piece.slice(end + 2))
  }
  if (sources.length === 0) return void report('value', 'placeholder', 'has no {{source}}; a fixed value is a constant')
  if (sources.length > maxPlaceholders) {
    return void report('value', 'too_many', `has more than ${maxPlaceholders} sources`)
  }
  return { making: { kind: 'template', texts }, sources }
}

function parseConcat({ source, value = '' }: MapperRow, report: IssueReporter): ParsedValueRule | undefined {
  if (!Array.isArray(source)) return void report('source', getIssueCode(source), 'has to be a list')
  if (typeof value !== 'string' || value.length > 100) {
    return void report('value', 'type', 'has to be a text of at most 100 characters')
  }
  return { making: { kind: 'concat', separator: value }, sources: source }
}

function parseLookup(
  { lookup, lookupDefault }: MapperRow,
  source: string,
  report: IssueReporter,
): ParsedValueRule | undefined {
  if (lookup === undefined) return void report('lookup', 'required', 'has to be an object')
  const table = new Map(Object.entries(lookup))
  return { making: { kind: 'lookup', lookup: table, defaultValue: lookupDefault }, sources: [source] }
}
