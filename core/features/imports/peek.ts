import type { Knex } from 'knex'
import { openSource } from './formats.ts'
import type { SourceRow } from './imports.types.ts'
import type { SourceShape } from './mapping.ts'
import { stagedPieces } from './staging.ts'
import type { Draft } from './drafts.ts'

/** Something that a mapper can take values from, and what its values look like. */
export interface FileField {
  /** CSV: name of the column. JSON: a JSONPath into one item. */
  id: string
  /** Name for people. */
  name: string
  example?: string
  /** Different values, and missing ones, among the rows that were looked at. */
  distinct: number
  nulls: number
  /** A few different values. */
  examples: string[]
}

export interface Peek {
  shape: SourceShape
  fields: FileField[]
  /** The first rows. */
  rows: SourceRow[]
}

/** Rows that are looked at, fields that are told of, and characters of a value that is shown. */
const looked = 200
const mostFields = 1_000
const shownOf = 80

/** The fields of a staged file with examples, and its first rows. @throws InitError where it cannot be read */
export async function peek(
  db: Knex, { upload, dialect }: Pick<Draft, 'upload' | 'dialect'>, rows: number,
): Promise<Peek> {
  const source = await openSource(stagedPieces(db, upload), dialect, null)
  let found: SourceRow[] = []
  for await (const batch of source.batches(looked)) {
    found = batch.rows
    break
  }
  const values = found.filter(({ fault }) => fault === null).map(({ value }) => value)
  const fields = source.columns ? columnsOf(source.columns, values as string[][]) : membersOf(values)
  return {
    shape: source.columns ? { format: 'csv', columns: source.columns } : { format: 'json' },
    fields, rows: found.slice(0, rows),
  }
}

function columnsOf(columns: readonly string[], rows: readonly (readonly string[])[]): FileField[] {
  return columns.slice(0, mostFields).map((name, at) => fieldOf(name, name, rows.map((cells) => cells[at])))
}

/** Members of the items, those of an object inside each as well. */
function membersOf(items: readonly unknown[]): FileField[] {
  const found = new Map<string, { name: string; values: unknown[] }>()
  const note = (path: string, name: string, value: unknown) => {
    const known = found.get(path) ?? { name, values: [] }
    if (found.size < mostFields) found.set(path, known)
    known.values.push(value)
  }
  for (const item of items.filter(isObject)) {
    for (const [name, value] of Object.entries(item)) {
      if (!isObject(value)) note(`$${step(name)}`, name, value)
      else for (const [inner, one] of Object.entries(value)) note(`$${step(name)}${step(inner)}`, `${name}.${inner}`, one)
    }
  }
  return [...found].map(([path, { name, values }]) =>
    fieldOf(path, name, [...values, ...Array.from({ length: items.length - values.length }, () => null)]))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A step into a member. Source: RFC 9535, section 2.5.1. */
const step = (name: string) =>
  /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}']`

function fieldOf(id: string, name: string, values: readonly unknown[]): FileField {
  const texts = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value ?? '')))
    .map((text) => (text === '""' ? '' : text))
  const different = [...new Set(texts.filter((text) => text.trim() !== ''))]
  const examples = different.slice(0, 3)
    .map((text) => (text.length > shownOf ? `${text.slice(0, shownOf - 1)}…` : text))
  const nulls = texts.filter((text) => text.trim() === '').length
  const [first] = different
  return {
    id, name, ...(first !== undefined && { example: first.slice(0, 1_000) }), distinct: different.length, nulls, examples,
  }
}
