import type { Client } from 'pg'
import type { SearchedColumn, SearchedTable } from './catalogue.ts'
import type { Term } from './person.ts'

/** A row that may name a person: its place in the table, and its columns as text (bytes as one character each). */
export interface Candidate {
  at: string
  values: Record<string, string>
}

/** Creates the SQL of a column as text for a regular expression. */
const toTextSql = ({ name, type }: SearchedColumn) => (type === 'bytea' ? `encode(${name}, 'escape')` : `${name}::text`)

/** Finds the places of rows in a table that contain a term, or a longer text around a term. */
export async function findRows(
  client: Client,
  { name, columns }: SearchedTable,
  terms: readonly Term[],
): Promise<string[]> {
  if (terms.length === 0) return []
  const conditions = columns.map((column) => `${toTextSql(column)} ~* $1`).join(' or ')
  const { rows } = await client.query<{ at: string }>(`select ctid::text as at from ${name} where ${conditions}`, [
    terms.map(({ sqlPattern }) => sqlPattern).join('|'),
  ])
  return rows.map(({ at }) => at)
}

/** Reads rows by their places. A row that has changed since then has another place, and the next search finds it. */
export async function readRows(
  client: Client,
  { name, columns }: SearchedTable,
  places: readonly string[],
  lock = false,
): Promise<Candidate[]> {
  const shown = columns.map(
    (column) => (column.type === 'bytea' ? column.name : `${column.name}::text`) + ` as ${column.name}`,
  )
  const { rows } = await client.query<Record<string, string | Buffer | null>>(
    `select ctid::text as "ctid as text", ${shown.join(', ')} from ${name} where ctid = any($1::tid[])${lock ? ' for update' : ''}`,
    [places],
  )
  return rows.map(({ 'ctid as text': at, ...values }) => ({
    at: String(at),
    values: Object.fromEntries(
      Object.entries(values).flatMap(([column, value]) =>
        value === null || value === undefined
          ? []
          : [[column, Buffer.isBuffer(value) ? value.toString('latin1') : value]],
      ),
    ),
  }))
}

/** Returns a prefix that makes the value of a column named `path` look like a member of that name. */
export const getMemberPrefix = (column: string): string => (column === 'path' ? '"path":"' : '')

/** Returns the terms that a text contains. */
export function findTerms(text: string, terms: readonly Term[]): Term[] {
  return terms.filter(({ pattern }) => {
    pattern.lastIndex = 0
    return pattern.test(text)
  })
}

export function* splitIntoSlices<T>(list: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size)
}

/**
 * Replaces the characters of terms by `x`, except zero bytes. The length stays the same, so that byte counts stay
 * right.
 */
export function blankTerms(value: string, terms: readonly Term[]): string {
  return terms.reduce((text, { pattern }) => text.replace(pattern, (found) => found.replace(/[^\0]/g, 'x')), value)
}
