import { readCsvRows, readHeader } from './formats.csv.ts'
import { readItems } from './formats.json.ts'
import { readLines } from './formats.lines.ts'
import { groupIntoBatches } from './formats.rows.ts'
import { readSheetColumns, readSheetRows } from './formats.sheet.ts'
import { readText } from './formats.text.ts'
import type { Checkpoint, Dialect, Pieces, Source } from '../records/index.ts'

const startCheckpoint: Checkpoint = { rows: 0, line: 1, bytes: 0 }

/**
 * Opens a staged file for reading. Only the header is read before `batches` is called. The text before `from` is not
 * read again, or only decoded if the encoding requires that.
 *
 * A record has at most 8 MiB, a header 10,000 columns. CSV: empty lines and records of empty cells are no rows; a
 * record with too few or too many cells fails alone, as does one that repeats the header; surrounding blanks are kept.
 * JSON: one list. NDJSON: one value per line.
 * @param from the checkpoint that an earlier reading has reached; null: from the beginning
 * @throws InitError if the header cannot be read
 */
export async function openSource(pieces: Pieces, dialect: Dialect, from: Checkpoint | null): Promise<Source> {
  if (dialect.format === 'csv') return openCsv(pieces, dialect, from)
  if (dialect.format === 'xlsx') return openSheet(pieces, dialect, from)
  const start = from ?? startCheckpoint
  const read = dialect.format === 'json' ? readItems : readLines
  return {
    columns: null,
    batches: (size) => groupIntoBatches(read(readText(pieces, dialect, start.bytes), start), size, start.rows),
  }
}

async function openCsv(pieces: Pieces, dialect: Dialect, from: Checkpoint | null): Promise<Source> {
  const csvDialect = { ...dialect, delimiter: dialect.delimiter ?? ',' }
  const { columns, after } = await readHeader(readText(pieces, dialect, 0), csvDialect)
  const start = from ?? after
  return {
    columns,
    batches: (size) =>
      groupIntoBatches(
        readCsvRows(readText(pieces, dialect, start.bytes), csvDialect, columns, start),
        size,
        start.rows,
      ),
  }
}

async function openSheet(pieces: Pieces, dialect: Dialect, from: Checkpoint | null): Promise<Source> {
  const { columns, after } = await readSheetColumns(readText(pieces, dialect, 0))
  const start = from ?? after
  return {
    columns,
    batches: (size) =>
      groupIntoBatches(readSheetRows(readText(pieces, dialect, start.bytes), columns, start), size, start.rows),
  }
}

/** Returns whether files of a format have columns; only a mapper can say where columns go. */
export const hasColumns = (format: Dialect['format']): boolean => format === 'csv' || format === 'xlsx'

/** Counts the rows of a source, up to `maxRows` + 1. The source cannot be read afterwards. @throws InitError */
export async function countRows(source: Source, maxRows: number): Promise<number> {
  let rows = 0
  for await (const { after } of source.batches(Math.min(1_000, maxRows + 1))) {
    rows = after.rows
    if (rows > maxRows) break
  }
  return Math.min(rows, maxRows + 1)
}
