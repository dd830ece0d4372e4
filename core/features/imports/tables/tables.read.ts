import { createProblem, createValidationProblem } from '../../../kernel/problem.ts'
import { type FileField, readSourceSample } from '../samples/index.ts'
import { hasColumns, openSource } from '../formats/index.ts'
import { assertTextSize } from '../intake/index.ts'
import type { SourceShape } from '../mapping/index.ts'
import { type Dialect, InitError, type SourceRow } from '../records/index.ts'
import { detectDialect, detectTextFormat } from '../staging/index.ts'
import { maxShown, type TableRequest } from './tables.schema.ts'

/** A table that was sent as text. */
export interface Table {
  /** The format that the text has, whatever it was sent as. */
  format: 'csv' | 'ndjson' | 'json'
  dialect: Dialect
  shape: SourceShape
  fields: readonly FileField[]
  /** The first rows, which are checked. */
  rows: readonly SourceRow[]
  /** The number of all rows. */
  total: number
}

/**
 * Reads a table from a text of at most 1 MiB: how it is written, its columns, its first rows, and how many it has.
 * @throws IMPORT_TOO_LARGE, IMPORT_BODY_MISSING, VALIDATION_FAILED if it cannot be read to its end
 */
export async function readTable({ text, format: declared }: TableRequest): Promise<Table> {
  assertTextSize(text)
  if (text.trim() === '') throw createProblem('IMPORT_BODY_MISSING', 'The table is empty.', { path: 'text' })
  const bytes = Buffer.from(text)
  const pieces = async function* () {
    yield bytes
  }
  return asTextIssue(async () => {
    const dialect = detectDialect(bytes, { format: declared ?? detectTextFormat(text), encoding: 'utf-8' }, true)
    const { shape, fields } = await readSourceSample(await openSource(pieces, dialect, null))
    const rows: SourceRow[] = []
    let total = 0
    for await (const batch of (await openSource(pieces, dialect, null)).batches(maxShown.checked)) {
      total = batch.after.rows
      rows.push(...batch.rows.slice(0, maxShown.checked - rows.length))
    }
    if (total === 0) throw createProblem('IMPORT_BODY_MISSING', 'The table has no row.', { path: 'text' })
    const format = hasColumns(dialect.format) ? 'csv' : (dialect.format as 'ndjson' | 'json')
    return { format, dialect, shape, fields, rows, total }
  })
}

/** Converts errors of a file to problems of the member `text`. */
async function asTextIssue<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    if (!(cause instanceof InitError)) throw cause
    const { code, message } = cause
    throw createValidationProblem([{ path: 'text', code: code.toLowerCase(), message: `cannot be read: ${message}` }])
  }
}
