import { InitError } from '../records/index.ts'
import type { ValueReader } from './mapping.jsonpath.ts'
import type { RecordShape } from './mapping.paths.ts'
import type { ParsedMapperRow } from './mapping.rows.ts'

const maxListedNames = { missing: 10, present: 20 }

/** The columns that rows name, and the columns that are missing. */
export interface ColumnMatch {
  readers: Map<string, ValueReader>
  /** The rows with missing columns, and the names of these columns. */
  incompleteRows: { row: ParsedMapperRow; missing: string[] }[]
  /** Columns that no row reads. */
  unused: string[]
}

/**
 * Finds the columns that rows name. A name means the column of exactly this name, or else the only column that differs
 * from it in surrounding blanks and in case alone. A row without its column has no value.
 * @throws InitError IMPORT_COLUMNS_MISSING if all columns are missing, or a column without which no record can be
 * made; IMPORT_COLUMN_TWICE
 */
export function findColumns(
  rows: readonly ParsedMapperRow[],
  columns: readonly string[],
  { requiredPaths }: Pick<RecordShape, 'requiredPaths'>,
): ColumnMatch {
  const find = createColumnFinder(columns)
  const names = new Set(rows.flatMap(({ sources }) => sources))
  const places = new Map([...names].map((name) => [name, find(name)]))
  const missing = [...names].filter((name) => places.get(name) === undefined)
  const incompleteRows = rows
    .map((row) => ({ row, missing: row.sources.filter((name) => places.get(name) === undefined) }))
    .filter((one) => one.missing.length > 0)
  const neededNames = new Set(incompleteRows.filter((one) => isFatal(one, requiredPaths)).flatMap((one) => one.missing))
  const fatal = missing.length === names.size ? missing : missing.filter((name) => neededNames.has(name))
  if (fatal.length > 0) throw createMissingColumnsError(fatal, columns)
  const read = new Set(places.values())
  return {
    readers: new Map(
      [...places].map(([name, at]) => [name, at === undefined ? () => undefined : createCellReader(at)]),
    ),
    incompleteRows,
    unused: columns.filter((_, at) => !read.has(at)),
  }
}

/**
 * Returns whether every row of the file would fail, because the mapper requires the value, or the record requires it
 * and nothing else fills it.
 */
function isFatal(
  { row: { destination, required, transforms, sources }, missing }: ColumnMatch['incompleteRows'][number],
  requiredPaths: readonly string[],
): boolean {
  if (transforms.some(({ fills }) => fills)) return false
  return required || (requiredPaths.includes(destination) && missing.length === sources.length)
}

const createCellReader =
  (at: number): ValueReader =>
  (cells) =>
    (cells as readonly string[])[at]

function createColumnFinder(columns: readonly string[]): (name: string) => number | undefined {
  const exact = groupPlaces(columns, (column) => column)
  const alike = groupPlaces(columns, normalizeName)
  return (name) => {
    const found = exact.get(name) ?? alike.get(normalizeName(name)) ?? []
    if (found.length > 1) {
      throw new InitError(
        'IMPORT_COLUMN_TWICE',
        `The file has ${found.length} columns that are called ${quoteNames([name])}: nobody can tell which one is meant.`,
      )
    }
    return found[0]
  }
}

const normalizeName = (name: string) => name.trim().toLowerCase()

function groupPlaces(columns: readonly string[], keyOf: (column: string) => string): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (const [at, column] of columns.entries()) {
    const key = keyOf(column)
    places.set(key, [...(places.get(key) ?? []), at])
  }
  return places
}

function createMissingColumnsError(missing: readonly string[], columns: readonly string[]): InitError {
  const more = (all: readonly string[], maxNames: number) =>
    all.length > maxNames ? ` and ${all.length - maxNames} more` : ''
  return new InitError(
    'IMPORT_COLUMNS_MISSING',
    `The mapper reads ${quoteNames(missing.slice(0, maxListedNames.missing))}${more(missing, maxListedNames.missing)}, which the file does not `
      + `have. It has ${quoteNames(columns.slice(0, maxListedNames.present))}${more(columns, maxListedNames.present)}.`,
  )
}

const quoteNames = (names: readonly string[]) => names.map((name) => `"${name.slice(0, 100)}"`).join(', ')
