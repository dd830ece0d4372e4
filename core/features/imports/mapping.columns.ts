import { Product } from '../dpp/index.ts'
import { InitError } from './imports.types.ts'
import type { Reader } from './mapping.jsonpath.ts'
import type { ReadRow } from './mapping.rows.ts'

const told = { missing: 10, present: 20 }

/** Where columns stand that rows name, and what rows lack. */
export interface FoundColumns {
  readers: Map<string, Reader>
  /** Rows whose columns are not there, and which of them. */
  lacking: { row: ReadRow; missing: string[] }[]
  /** Columns that no row reads. */
  unused: string[]
}

/**
 * Finds the columns that rows name. A name means the column that is called so, else the only one that is but for blanks
 * around it and small or capital letters. A row without its column has no value.
 * @throws InitError IMPORT_COLUMNS_MISSING where a row lacks its column without which no passport can be made, or all
 *   columns are missing; IMPORT_COLUMN_TWICE
 */
export function findColumns(rows: readonly ReadRow[], columns: readonly string[]): FoundColumns {
  const find = finderOf(columns)
  const names = new Set(rows.flatMap(({ sources }) => sources))
  const places = new Map([...names].map((name) => [name, find(name)]))
  const missing = [...names].filter((name) => places.get(name) === undefined)
  const lacking = rows.map((row) => ({ row, missing: row.sources.filter((name) => places.get(name) === undefined) }))
    .filter((one) => one.missing.length > 0)
  const needed = new Set(lacking.filter(isFatal).flatMap((one) => one.missing))
  const fatal = missing.length === names.size ? missing : missing.filter((name) => needed.has(name))
  if (fatal.length > 0) throw missingColumns(fatal, columns)
  const read = new Set(places.values())
  return {
    readers: new Map([...places].map(([name, at]) => [name, at === undefined ? () => undefined : cellAt(at)])),
    lacking, unused: columns.filter((_, at) => !read.has(at)),
  }
}

/** Members that every passport of the product flow has. */
const needed = new Set(Product.required.map((name) => `product.${name}`))

/** Whether every row of the file would fail: the mapper demands the value, or the passport does and nothing else fills it. */
function isFatal({ row: { destination, required, transforms, sources }, missing }: FoundColumns['lacking'][number]): boolean {
  if (transforms.some(({ fills }) => fills)) return false
  return required || (needed.has(destination) && missing.length === sources.length)
}

const cellAt = (at: number): Reader => (cells) => (cells as readonly string[])[at]

function finderOf(columns: readonly string[]): (name: string) => number | undefined {
  const exact = placesBy(columns, (column) => column)
  const alike = placesBy(columns, loosely)
  return (name) => {
    const found = exact.get(name) ?? alike.get(loosely(name)) ?? []
    if (found.length > 1) {
      throw new InitError('IMPORT_COLUMN_TWICE',
        `The file has ${found.length} columns that are called ${quoted([name])}: nobody can tell which one is meant.`)
    }
    return found[0]
  }
}

const loosely = (name: string) => name.trim().toLowerCase()

function placesBy(columns: readonly string[], keyOf: (column: string) => string): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (const [at, column] of columns.entries()) {
    const key = keyOf(column)
    places.set(key, [...(places.get(key) ?? []), at])
  }
  return places
}

function missingColumns(missing: readonly string[], columns: readonly string[]): InitError {
  const more = (all: readonly string[], most: number) => (all.length > most ? ` and ${all.length - most} more` : '')
  return new InitError('IMPORT_COLUMNS_MISSING',
    `The mapper reads ${quoted(missing.slice(0, told.missing))}${more(missing, told.missing)}, which the file does not `
    + `have. It has ${quoted(columns.slice(0, told.present))}${more(columns, told.present)}.`)
}

const quoted = (names: readonly string[]) => names.map((name) => `"${name.slice(0, 100)}"`).join(', ')
