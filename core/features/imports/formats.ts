import { csvRows, readHeader } from './formats.csv.ts'
import { itemsOf } from './formats.json.ts'
import { linesOf } from './formats.lines.ts'
import { inSlices } from './formats.rows.ts'
import { sheetColumns, sheetRows } from './formats.sheet.ts'
import { textOf } from './formats.text.ts'
import type { Checkpoint, Dialect, Pieces, Source } from './imports.types.ts'

const beginning: Checkpoint = { rows: 0, line: 1, bytes: 0 }

/**
 * Opens a staged file for reading. Nothing but the header is read before `batches` is asked, and what is before `from`
 * is not read again, or where its encoding demands it only decoded.
 *
 * A record has at most 8 MiB, a header 10,000 columns. CSV: empty lines and records of empty cells are no rows; a
 * record with too few or too many cells fails alone, as does one that repeats the header; surrounding blanks are kept.
 * JSON: one list. NDJSON: a line a value. @param from where an earlier reading has got to; null: from the beginning
 * @throws InitError for a header that cannot be read
 */
export async function openSource(pieces: Pieces, dialect: Dialect, from: Checkpoint | null): Promise<Source> {
  if (dialect.format === 'csv') return openCsv(pieces, dialect, from)
  if (dialect.format === 'xlsx') return openSheet(pieces, dialect, from)
  const start = from ?? beginning
  const read = dialect.format === 'json' ? itemsOf : linesOf
  return {
    columns: null,
    batches: (size) => inSlices(read(textOf(pieces, dialect, start.bytes), start), size, start.rows),
  }
}

async function openCsv(pieces: Pieces, dialect: Dialect, from: Checkpoint | null): Promise<Source> {
  const written = { ...dialect, delimiter: dialect.delimiter ?? ',' }
  const { columns, after } = await readHeader(textOf(pieces, dialect, 0), written)
  const start = from ?? after
  return {
    columns,
    batches: (size) =>
      inSlices(csvRows(textOf(pieces, dialect, start.bytes), written, columns, start), size, start.rows),
  }
}

async function openSheet(pieces: Pieces, dialect: Dialect, from: Checkpoint | null): Promise<Source> {
  const { columns, after } = await sheetColumns(textOf(pieces, dialect, 0))
  const start = from ?? after
  return {
    columns,
    batches: (size) => inSlices(sheetRows(textOf(pieces, dialect, start.bytes), columns, start), size, start.rows),
  }
}

/** Whether files of a format have columns, which only a mapper can tell where to go. */
export const hasColumns = (format: Dialect['format']): boolean => format === 'csv' || format === 'xlsx'

/** How many rows a source has, counted up to `most` + 1. Uses the source up. @throws InitError */
export async function countRows(source: Source, most: number): Promise<number> {
  let rows = 0
  for await (const { after } of source.batches(Math.min(1_000, most + 1))) {
    rows = after.rows
    if (rows > most) break
  }
  return Math.min(rows, most + 1)
}
