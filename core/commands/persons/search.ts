import type { Client } from 'pg'
import type { Column, Table } from './catalogue.ts'
import type { Term } from './person.ts'

/** A row that may tell of a person: where it lies, and its columns as text (bytes as one character each). */
export interface Candidate { at: string; values: Record<string, string> }

/** SQL of a column as text that a regular expression can be held against. */
const asText = ({ name, type }: Column) => (type === 'bytea' ? `encode(${name}, 'escape')` : `${name}::text`)

/** Where rows lie in a table that have one of the terms, or something longer around it. */
export async function findRows(client: Client, { name, columns }: Table, terms: readonly Term[]): Promise<string[]> {
  if (terms.length === 0) return []
  const conditions = columns.map((column) => `${asText(column)} ~* $1`).join(' or ')
  const { rows } = await client.query<{ at: string }>(
    `select ctid::text as at from ${name} where ${conditions}`, [terms.map(({ rough }) => rough).join('|')])
  return rows.map(({ at }) => at)
}

/** Rows by where they lie. A row that has changed since lies elsewhere, and is found by the next search. */
export async function readRows(
  client: Client, { name, columns }: Table, places: readonly string[], lock = false,
): Promise<Candidate[]> {
  const shown = columns.map((column) => (column.type === 'bytea' ? column.name : `${column.name}::text`) + ` as ${column.name}`)
  const { rows } = await client.query<Record<string, string | Buffer | null>>(
    `select ctid::text as "ctid as text", ${shown.join(', ')} from ${name} where ctid = any($1::tid[])${lock ? ' for update' : ''}`,
    [places])
  return rows.map(({ 'ctid as text': at, ...values }) => ({
    at: String(at),
    values: Object.fromEntries(Object.entries(values).flatMap(([column, value]) => (value === null || value === undefined ? []
      : [[column, Buffer.isBuffer(value) ? value.toString('latin1') : value]]))),
  }))
}

/** What a column named `path` holds reads as a member of that name does. */
export const memberOf = (column: string): string => (column === 'path' ? '"path":"' : '')

/** The terms that a text has. */
export function termsIn(text: string, terms: readonly Term[]): Term[] {
  return terms.filter(({ exact }) => {
    exact.lastIndex = 0
    return exact.test(text)
  })
}

/** Some of a list after the other. */
export function* slicesOf<T>(list: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size)
}

/** Replaces the terms by as many characters that say nothing, so that what counts bytes still counts right. */
export function blankTerms(value: string, terms: readonly Term[]): string {
  return terms.reduce((text, { exact }) => text.replace(exact, (found) => found.replace(/[^\0]/g, 'x')), value)
}
