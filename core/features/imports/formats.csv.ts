import { parse, CsvError, type Parser } from 'csv-parse'
import { unreadable } from './encodings.ts'
import { invalidBytes } from './encodings.survey.ts'
import { spoiledCell, spoiledRecord } from './formats.encoding.ts'
import { faultOf } from './formats.items.ts'
import { broken, recordBytes, tooLarge, Window, type PlacedRow } from './formats.rows.ts'
import { InitError, type Checkpoint, type Dialect, type RowError } from './imports.types.ts'

const mostColumns = 10_000
const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * A record as it stands in the file. `swallowed`: a quotation mark that stood open has taken in what came after it.
 * `spoiled`: the bytes of it that are no text, in hex.
 */
interface CsvRecord { cells: string[]; line: number; end: number; next: number; swallowed: boolean; spoiled: string | undefined }

/** How a CSV file is written. */
export type CsvDialect = Pick<Dialect, 'encoding' | 'guessed'> & { delimiter: string }

export interface Header { columns: string[]; after: Checkpoint }

/**
 * Quotation marks inside a cell that does not begin with one are text, empty lines are none, and lines may end in any
 * of the three ways, also mixed. Source: RFC 4180, taken broadly.
 */
const taken = { relax_quotes: true, relax_column_count: true, skip_empty_lines: true, record_delimiter: ['\r\n', '\n', '\r'] }

/** Cells of the first records of a text, as this delimiter divides them. @param whole whether the text is the file */
export function firstRecords(text: string, delimiter: string, whole: boolean, most = 20): string[][] {
  const records: string[][] = []
  const parser = parse({ ...taken, delimiter, to: most, on_record: (cells: string[]) => void records.push(cells) })
  parser.on('error', () => undefined)
  parser.end(text)
  parser.resume()
  if (!whole && records.length < most && records.length > 1) records.pop()
  return records
}

/** Records without a cell that says something are none: spreadsheets write them below their last row. */
export const isBlank = (cells: readonly string[]) => cells.every((cell) => cell.trim() === '')

/** What some programs tell others about the delimiter, in a line before the header. */
const isHint = (cells: readonly string[]) => /^sep=.?$/i.test(cells[0] ?? '') && isBlank(cells.slice(1))

/** The header and where it ends. Of a file without any record there are no columns. @throws InitError */
export async function readHeader(text: AsyncIterable<Buffer>, dialect: CsvDialect): Promise<Header> {
  const start = { rows: 0, line: 1, bytes: 0 }
  let last = start
  for await (const records of recordsOf(text, dialect, start)) {
    for (const { cells, line, end, next, spoiled } of records) {
      last = { rows: 0, line: next, bytes: end }
      if (isBlank(cells) || isHint(cells)) continue
      if (spoiled !== undefined || cells.some((cell) => spoiledCell(cell, dialect))) {
        throw unreadable(`The header, on line ${line}, has bytes that are no ${dialect.encoding}. Name the encoding of the file.`, line)
      }
      return { columns: headerOf(cells, line), after: last }
    }
  }
  return { columns: [], after: last }
}

/** The names of the columns. @throws InitError IMPORT_TOO_MANY_COLUMNS, IMPORT_NOT_TEXT */
export function headerOf(cells: readonly string[], line: number): string[] {
  if (cells.length > mostColumns) {
    throw new InitError('IMPORT_TOO_MANY_COLUMNS', `The header has ${cells.length} columns; at most 10,000 are read.`, { line })
  }
  if (cells.some((cell) => cell.includes('\0'))) {
    throw new InitError('IMPORT_NOT_TEXT', 'The header has characters that are not text.', { line })
  }
  return namesOf(cells)
}

const namesOf = (cells: readonly string[]) => cells.map((cell, at) => cell.trim() || `column_${at + 1}`)

/** Rows after the header. @throws InitError for a quotation mark that is never closed, and a record past its limit */
export async function* csvRows(
  text: AsyncIterable<Buffer>, dialect: CsvDialect, columns: readonly string[], from: Checkpoint,
): AsyncGenerator<PlacedRow[]> {
  for await (const records of recordsOf(text, dialect, from)) {
    const rows: PlacedRow[] = []
    for (const record of records) {
      const { cells, line, end, next } = record
      if (isBlank(cells)) continue
      const fault = faultIn(record, columns, dialect)
      rows.push({ line, value: fault ? null : cells, fault, end, next })
    }
    if (rows.length > 0) yield rows
  }
}

function faultIn({ cells, swallowed, spoiled }: CsvRecord, columns: readonly string[], dialect: CsvDialect): RowError | null {
  if (spoiled !== undefined) return spoiledRecord(spoiled)
  if (swallowed) {
    return faultOf('quotes', 'A quotation mark of this record is closed in a wrong place, or not at all.', cells.join(' '))
  }
  const unread = dialect.encoding === 'utf-8' ? undefined : cells.map((cell) => spoiledCell(cell, dialect)).find(Boolean)
  return unread ?? rowFault(cells, columns)
}

/** What is wrong with cells whatever file they came in. Those past the header that are empty are cut off. */
export function rowFault(cells: string[], columns: readonly string[]): RowError | null {
  const { length } = columns
  if (cells.length > length && isBlank(cells.slice(length))) cells.length = length
  if (cells.length !== length) return wrongCount(cells, length)
  if (cells[0]?.trim() === columns[0] && namesOf(cells).every((name, at) => name === columns[at])) {
    return faultOf('header_repeated', 'This line repeats the header; it is no row.', null)
  }
  const at = cells.findIndex((cell) => cell.includes('\0'))
  if (at < 0) return null
  return { ...faultOf('text', 'The cell has a character that is not text.', cells[at] ?? null), path: columns[at] ?? '' }
}

/** A cell over several lines that begins with a quotation mark: as text of its own, or because that one stood open. */
const isSuspect = (cell: string) => cell.startsWith('"') && /[\r\n]/.test(cell)

/** Each cell is looked for behind the one before it, so that a record of many takes no longer than it is. */
function hasSwallowed(cells: readonly string[], raw: string): boolean {
  let from = 0
  return cells.filter(isSuspect).some((cell) => {
    const quoted = `"${cell.replaceAll('"', '""')}"`
    const at = raw.indexOf(quoted, from)
    from = at + quoted.length
    return at < 0
  })
}

function wrongCount(cells: readonly string[], length: number): RowError {
  const few = cells.length < length
  const hint = few ? '' : ' A cell that holds the delimiter has to stand in quotation marks.'
  const counted = `${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}`
  const message = `The record has ${counted} where the header has ${length}.${hint}`
  return faultOf(few ? 'too_few_cells' : 'too_many_cells', message, cells.join(' '))
}

/** Every record with its physical lines, in the order of the file, those of a chunk at a time. @throws InitError */
async function* recordsOf(
  text: AsyncIterable<Buffer>, { delimiter, encoding }: CsvDialect, from: Checkpoint,
): AsyncGenerator<CsvRecord[]> {
  const window = new Window(from.bytes)
  const place = { end: from.bytes, line: from.line }
  let records: CsvRecord[] = []
  const parser = parse({
    ...taken, delimiter, max_record_size: recordBytes,
    on_record: (cells: string[], { bytes }: { bytes: number }) => {
      const end = from.bytes + bytes
      const { line, next } = linesIn(window, place.end, end, place.line)
      const swallowed = cells.some(isSuspect) && hasSwallowed(cells, window.text(place.end, end))
      // Every other encoding comes as text that was decoded.
      const spoiled = encoding === 'utf-8' ? invalidBytes(window.part(place.end, end)) : undefined
      records.push({ cells, line, end, next, swallowed, spoiled })
      Object.assign(place, { end, line: next })
    },
  })
  parser.on('error', () => undefined).resume()
  try {
    for await (const chunk of text) {
      window.add(chunk)
      const failure = await write(parser, chunk)
      window.cut(place.end)
      if (records.length > 0) yield records
      records = []
      if (failure) throw explained(failure, place.line)
      if (window.bytes.length > recordBytes) throw tooLarge(`The record on line ${place.line}`, place.line)
    }
    const failure = await end(parser)
    if (records.length > 0) yield records
    if (failure) throw explained(failure, place.line)
  } finally {
    parser.destroy()
  }
}

const write = (parser: Parser, chunk: Buffer): Promise<Error | null> =>
  new Promise((resolve) => parser.write(chunk, (error) => resolve(error ?? null)))

const end = (parser: Parser): Promise<Error | null> => new Promise((resolve) => {
  parser.once('error', resolve)
  parser.end((error?: Error | null) => resolve(error ?? null))
})

function explained(failure: Error, line: number): Error {
  if (!(failure instanceof CsvError)) return failure
  if (failure.code === 'CSV_MAX_RECORD_SIZE') return tooLarge(`The record on line ${line}, perhaps for a quotation mark that is never closed,`, line)
  if (failure.code === 'CSV_QUOTE_NOT_CLOSED') {
    return broken(`The record on line ${line} opens a quotation mark that is never closed.`, line)
  }
  return broken(`The record on line ${line} cannot be read.`, line)
}

/** On which line a record begins, behind empty lines that may precede it, and on which what follows it. */
function linesIn(window: Window, from: number, to: number, line: number): { line: number; next: number } {
  const { bytes, base } = window
  let at = from - base
  let next = line
  const isEnd = (byte: number | undefined) => byte === lineFeed || byte === carriageReturn
  const count = () => {
    const byte = bytes[at]
    if (byte === lineFeed || (byte === carriageReturn && bytes[at + 1] !== lineFeed)) next++
    at++
  }
  while (at < to - base && isEnd(bytes[at])) count()
  const begins = next
  while (at < to - base) count()
  return { line: begins, next }
}
