import type { RecordSink, RecordTarget, RowIssue } from '../../../kernel/ports/record-sink.ts'
import type { Context } from '../../../kernel/work.ts'
import { compileMapper, type TriedRow, tryRows } from '../mapping/index.ts'
import { InitError, type MapperRow, type SourceRow } from '../records/index.ts'
import { Columns, type SuggestionSample } from './columns.ts'
import { detectHabits, suggestTransforms } from './lexical/lexical.transforms.ts'
import { asides } from './suggest.rows.ts'
import type { SourceField } from './suggestions.schema.ts'

/** A change of a mapping, by the destinations whose rows go and the rows that come. */
export interface MappingChange {
  remove: string[]
  add: MapperRow[]
}

/** A change with which rows would no longer fail. `text`: the transforms, the column or the value that it is about. */
export interface Fix {
  kind: 'transforms' | 'column' | 'constant' | 'aside' | 'leaveOut'
  destination: string
  text: string
  change: MappingChange
}

/** The most kinds of faults for which fixes are looked for, and the most fixes of one. */
const maxFaults = 12
const maxFixes = 3
/** The most failing rows, and the most other rows, with which a fix is tried. */
const triedRows = { failing: 50, others: 20 } as const

const granularityPath = 'product.idGranularity'

/** Returns what a fault is, so that rows with the same one have the same fixes. */
export const getFaultKey = ({ path, code }: Pick<RowIssue, 'path' | 'code'>): string => `${path} ${code}`

/** Applies a change to the rows of a mapper. */
export const applyChange = (rows: readonly MapperRow[], { remove, add }: MappingChange): MapperRow[] => [
  ...rows.filter(({ destination }) => !remove.includes(destination)),
  ...add,
]

interface FixOptions {
  sink: RecordSink
  target: RecordTarget
  rows: readonly MapperRow[]
  fields: readonly SourceField[]
  sample: SuggestionSample
  /** The rows of the sample as they were tried. */
  tried: readonly TriedRow[]
}

/**
 * Finds changes of a mapping with which rows that fail would be imported. Each is tried with some of these rows and some
 * others: it is offered only if the fault goes, and what is good stays so.
 * @returns the fixes by `getFaultKey`
 */
export async function findFixes(context: Context, options: FixOptions): Promise<Map<string, Fix[]>> {
  const { tried, sample } = options
  const columns = new Columns(options.fields, sample)
  const faults = new Map<string, { issue: RowIssue; places: number[] }>()
  for (const [place, { errors }] of tried.entries()) {
    for (const issue of errors) {
      const known = faults.get(getFaultKey(issue)) ?? { issue, places: [] }
      known.places.push(place)
      faults.set(getFaultKey(issue), known)
    }
  }
  const good = tried.flatMap(({ errors }, place) => (errors.length === 0 ? [place] : [])).slice(0, triedRows.others)
  const found = new Map<string, Fix[]>()
  const frequent = [...faults].sort(([, a], [, b]) => b.places.length - a.places.length).slice(0, maxFaults)
  for (const [key, { issue, places }] of frequent) {
    const some = { failing: places.slice(0, triedRows.failing), good }
    const fixes: Fix[] = []
    for (const fix of listCandidates(issue, options, columns)) {
      if (fixes.length < maxFixes && (await helps(context, fix, { key, ...some }, options))) fixes.push(fix)
    }
    found.set(key, fixes)
  }
  return found
}

/** The rows that a fix is tried with: those with a fault, and some that are good. */
interface TriedPlaces {
  key: string
  failing: readonly number[]
  good: readonly number[]
}

/** Tries a fix: the fault has to go from most of its rows, and what is good has to stay so. */
async function helps(
  context: Context,
  { change }: Fix,
  { key, failing, good }: TriedPlaces,
  { rows: mapping, sample, sink, target }: FixOptions,
): Promise<boolean> {
  const pick = (places: readonly number[]): SourceRow[] => places.flatMap((place) => sample.rows[place] ?? [])
  try {
    const mapper = compileMapper(applyChange(mapping, change), sample.shape, sink)
    const tried = await tryRows(context, [...pick(failing), ...pick(good)], { sink, target, mapper })
    const left = tried.slice(0, failing.length).filter(({ errors }) => errors.some((one) => getFaultKey(one) === key))
    return left.length * 2 <= failing.length && tried.slice(failing.length).every(({ errors }) => errors.length === 0)
  } catch (cause) {
    if (cause instanceof InitError) return false
    throw cause
  }
}

/** Lists the changes that may help against a fault, the best first. */
function listCandidates(issue: RowIssue, options: FixOptions, columns: Columns): Fix[] {
  const row = options.rows.find(({ destination }) => isWithin(issue.path, destination))
  return [
    ...(row ? listTransformFixes(row, columns) : []),
    ...(issue.code === 'required' ? listFillings(issue.path, options, columns) : []),
    ...(issue.path === granularityPath || issue.code === 'granularity' ? listGranularities(options) : []),
    ...(row ? listRemovals(row, options) : listRemovalsBeside(issue.path, options)),
  ]
}

const isWithin = (path: string, destination: string) => path === destination || path.startsWith(`${destination}.`)

function listTransformFixes(row: MapperRow, columns: Columns): Fix[] {
  const { destination, kind, source, transforms = [] } = row
  const field = typeof source === 'string' ? columns.getField(source) : undefined
  if (kind !== 'field' || !field) return []
  const habits = detectHabits(columns.fields.map(({ id }) => ({ texts: columns.getValues(id).slice(0, 200) })))
  const wanted = suggestTransforms(destination, field, habits, columns.getValues(field.id))
  if (wanted.join() === transforms.join()) return []
  const change = { remove: [destination], add: [{ ...row, transforms: wanted }] }
  return [{ kind: 'transforms', destination, text: wanted.join(', '), change }]
}

/** The values that a member may have for all rows. */
const constantsByPath: readonly [RegExp, readonly string[]][] = [
  [/\.weight\.unit$/, ['KGM', 'GRM']],
  [/\.(?:length|width|height)\.unit$/, ['CMT', 'MMT']],
]

/** Lists what may fill a member that is missing: a value for all rows, or a column. */
function listFillings(path: string, { rows, sample }: FixOptions, columns: Columns): Fix[] {
  if (path === granularityPath) return []
  const [, values = []] = constantsByPath.find(([pattern]) => pattern.test(path)) ?? []
  const constants = values.map((value): Fix => {
    const add: MapperRow = { destination: path, kind: 'constant', value }
    return { kind: 'constant', destination: path, text: value, change: { remove: [path], add: [add] } }
  })
  if (constants.length > 0 || !/^product\.(?:name|\w+Number)$/.test(path)) return constants
  const isNumber = path !== 'product.name'
  const read = new Set(rows.flatMap(({ kind, source }) => (kind === 'field' ? source : [])))
  const fits = ({ id }: SourceField) =>
    isNumber ? columns.isUnique(id) !== false : columns.getValues(id).some((text) => /\p{L}{3}/u.test(text))
  return columns.fields
    .filter((field) => !/\{\{|\}\}/.test(field.id) && columns.getFilledShare(field.id) === 1 && fits(field))
    .sort((a, b) => Number(read.has(a.id)) - Number(read.has(b.id)))
    .slice(0, maxFixes)
    .map(({ id }): Fix => {
      const add: MapperRow =
        read.has(id) || sample.shape.format === 'json'
          ? { destination: path, kind: 'template', value: `{{${id}}}`, transforms: ['trim'] }
          : { destination: path, kind: 'field', source: id, transforms: ['trim'] }
      return { kind: 'column', destination: path, text: id, change: { remove: [path], add: [add] } }
    })
}

const listGranularities = ({ rows }: FixOptions): Fix[] =>
  ['model', 'batch', 'item']
    .filter((value) => !rows.some((row) => row.destination === granularityPath && row.value === value))
    .map((value): Fix => {
      const add: MapperRow = { destination: granularityPath, kind: 'constant', value }
      const change = { remove: [granularityPath], add: [add] }
      return { kind: 'constant', destination: granularityPath, text: value, change }
    })

/** Lists how a column can do without its destination: as a plain value, or left out. */
function listRemovals(row: MapperRow, { rows, sink }: FixOptions): Fix[] {
  const { destination, kind, source } = row
  if (sink.requiredPaths.includes(destination)) return []
  const aside = asides[destination]
  const text = typeof source === 'string' ? source : destination
  // What else is in the object of the value goes with it, or would be left alone there.
  const parent = destination.slice(0, destination.lastIndexOf('.') + 1)
  const beside = parent.split('.').length > 2 ? rows.filter((one) => one.destination.startsWith(parent)) : []
  const remove = [destination, ...beside.map((one) => one.destination)]
  const isFree = aside !== undefined && !rows.some((one) => one.destination === aside)
  const moved: Fix[] =
    kind === 'field' && isFree
      ? [
          {
            kind: 'aside',
            destination: aside,
            text,
            change: { remove, add: [{ destination: aside, kind, source: text, transforms: ['trim'] }] },
          },
        ]
      : []
  return [...moved, { kind: 'leaveOut', destination, text, change: { remove, add: [] } }]
}

/** Lists how the columns beside a missing member can do without their object. */
function listRemovalsBeside(path: string, options: FixOptions): Fix[] {
  const parent = path.slice(0, path.lastIndexOf('.') + 1)
  const beside = options.rows.find(({ destination, kind }) => kind === 'field' && destination.startsWith(parent))
  return parent.split('.').length > 2 && beside ? listRemovals(beside, options) : []
}
