import { InitError } from './imports.types.ts'
import type { Reader } from './mapping.jsonpath.ts'
import type { ReadRow } from './mapping.rows.ts'

const told = { missing: 10, present: 20 }

/**
 * Readers of the columns that rows name. A name means the column that is called so, else the only one that is but for
 * blanks around it and small or capital letters. A row without its column has no value.
 * @throws InitError IMPORT_COLUMNS_MISSING where a row that is required lacks its column, or all columns are missing;
 *   IMPORT_COLUMN_TWICE
 */
export function columnReaders(rows: readonly ReadRow[], columns: readonly string[]): Map<string, Reader> {
  const find = finderOf(columns)
  const names = new Set(rows.flatMap(({ sources }) => sources))
  const places = new Map([...names].map((name) => [name, find(name)]))
  const missing = [...names].filter((name) => places.get(name) === undefined)
  const needed = new Set(rows.filter(({ required, transforms }) => required && !transforms.some(({ fills }) => fills))
    .flatMap(({ sources }) => sources))
  const fatal = missing.length === names.size ? missing : missing.filter((name) => needed.has(name))
  if (fatal.length > 0) throw missingColumns(fatal, columns)
  return new Map([...places].map(([name, at]) => [name, at === undefined ? () => undefined : cellAt(at)]))
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
