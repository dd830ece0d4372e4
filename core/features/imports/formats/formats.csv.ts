import type { RowIssue } from '../../../kernel/ports/record-sink.ts'
import { parse, CsvError, type Parser } from 'csv-parse'
import { type Checkpoint, createEncodingError, type Dialect, findInvalidBytes, InitError } from '../records/index.ts'
import { findInvalidCellIssue, createInvalidRecordIssue } from './formats.encoding.ts'
import { createRowIssue } from './formats.items.ts'
import {
  createBrokenFileError,
  maxRecordBytes,
  createRecordSizeError,
  TextWindow,
  type PlacedRow,
} from './formats.rows.ts'

const maxColumns = 10_000
const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * A record as it stands in the file. `hasOpenQuote`: an unclosed quotation mark has swallowed the text after it.
 * `invalidHex`: those of its bytes that are not text, in hex.
 */
interface CsvRecord {
  cells: string[]
  line: number
  end: number
  next: number
  hasOpenQuote: boolean
  invalidHex: string | undefined
}

/** The encoding and the delimiter of a CSV file. */
export type CsvDialect = Pick<Dialect, 'encoding' | 'guessed'> & { delimiter: string }

export interface Header {
  columns: string[]
  after: Checkpoint
}

/**
 * The options of the parser. Quotation marks inside a cell that does not begin with one are text, empty lines are no
 * records, and lines may end in any of the three ways, also mixed. Source: RFC 4180, interpreted liberally.
 */
const parserOptions = {
  relax_quotes: true,
  relax_column_count: true,
  skip_empty_lines: true,
  record_delimiter: ['\r\n', '\n', '\r'],
}

/**
 * Reads the cells of the first records of a text, split by this delimiter.
 * @param whole whether the text is the whole file
 */
export function readFirstRecords(text: string, delimiter: string, whole: boolean, maxRecords = 20): string[][] {
  const records: string[][] = []
  const parser = parse({
    ...parserOptions,
    delimiter,
    to: maxRecords,
    on_record: (cells: string[]) => void records.push(cells),
  })
  parser.on('error', () => undefined)
  parser.end(text)
  parser.resume()
  if (!whole && records.length < maxRecords && records.length > 1) records.pop()
  return records
}

/** Returns whether all cells of a record are blank: spreadsheets write such records below their last row. */
export const isBlankRecord = (cells: readonly string[]) => cells.every((cell) => cell.trim() === '')

/**
 * Returns whether a record is the line before the header that some programs write to name the delimiter, such as
 * `sep=;`.
 */
const isDelimiterHint = (cells: readonly string[]) => /^sep=.?$/i.test(cells[0] ?? '') && isBlankRecord(cells.slice(1))

/** Reads the header and the place after it. A file without any record has no columns. @throws InitError */
export async function readHeader(text: AsyncIterable<Buffer>, dialect: CsvDialect): Promise<Header> {
  const start = { rows: 0, line: 1, bytes: 0 }
  let last = start
  for await (const records of readRecords(text, dialect, start)) {
    for (const { cells, line, end, next, invalidHex } of records) {
      last = { rows: 0, line: next, bytes: end }
      if (isBlankRecord(cells) || isDelimiterHint(cells)) continue
      if (invalidHex !== undefined || cells.some((cell) => findInvalidCellIssue(cell, dialect))) {
        throw createEncodingError(
          `The header, on line ${line}, has bytes that are no ${dialect.encoding}. Name the encoding of the file.`,
          line,
        )
      }
      return { columns: parseHeader(cells, line), after: last }
    }
  }
  return { columns: [], after: last }
}

/** Returns the names of the columns. @throws InitError IMPORT_TOO_MANY_COLUMNS, IMPORT_NOT_TEXT */
export function parseHeader(cells: readonly string[], line: number): string[] {
  if (cells.length > maxColumns) {
    throw new InitError('IMPORT_TOO_MANY_COLUMNS', `The header has ${cells.length} columns; at most 10,000 are read.`, {
      line,
    })
  }
  if (cells.some((cell) => cell.includes('\0'))) {
    throw new InitError('IMPORT_NOT_TEXT', 'The header has characters that are not text.', { line })
  }
  return toColumnNames(cells)
}

const toColumnNames = (cells: readonly string[]) => cells.map((cell, at) => cell.trim() || `column_${at + 1}`)

/**
 * Yields the rows after the header.
 * @throws InitError for a quotation mark that is never closed, and for a record that is too large
 */
export async function* readCsvRows(
  text: AsyncIterable<Buffer>,
  dialect: CsvDialect,
  columns: readonly string[],
  from: Checkpoint,
): AsyncGenerator<PlacedRow[]> {
  for await (const records of readRecords(text, dialect, from)) {
    const rows: PlacedRow[] = []
    for (const record of records) {
      const { cells, line, end, next } = record
      if (isBlankRecord(cells)) continue
      const issue = findRecordIssue(record, columns, dialect)
      rows.push({ line, value: issue ? null : cells, issue, end, next })
    }
    if (rows.length > 0) yield rows
  }
}

function findRecordIssue(
  { cells, hasOpenQuote, invalidHex }: CsvRecord,
  columns: readonly string[],
  dialect: CsvDialect,
): RowIssue | null {
  if (invalidHex !== undefined) return createInvalidRecordIssue(invalidHex)
  if (hasOpenQuote) {
    return createRowIssue(
      'quotes',
      'A quotation mark of this record is closed in a wrong place, or not at all.',
      cells.join(' '),
    )
  }
  const unread =
    dialect.encoding === 'utf-8' ? undefined : cells.map((cell) => findInvalidCellIssue(cell, dialect)).find(Boolean)
  return unread ?? findRowIssue(cells, columns)
}

/** Finds what is wrong with the cells of a row in any format. Cuts off empty cells beyond the header. */
export function findRowIssue(cells: string[], columns: readonly string[]): RowIssue | null {
  const { length } = columns
  if (cells.length > length && isBlankRecord(cells.slice(length))) cells.length = length
  if (cells.length !== length) return createCellCountIssue(cells, length)
  if (cells[0]?.trim() === columns[0] && toColumnNames(cells).every((name, at) => name === columns[at])) {
    return createRowIssue('header_repeated', 'This line repeats the header; it is no row.', null)
  }
  const at = cells.findIndex((cell) => cell.includes('\0'))
  if (at < 0) return null
  return {
    ...createRowIssue('text', 'The cell has a character that is not text.', cells[at] ?? null),
    path: columns[at] ?? '',
  }
}

/**
 * Returns whether a cell begins with a quotation mark and has several lines: the mark is either text or was never
 * closed.
 */
const isSuspect = (cell: string) => cell.startsWith('"') && /[\r\n]/.test(cell)

/**
 * Returns whether an unclosed quotation mark has swallowed text: a suspect cell does not occur in quotes in the raw
 * record. Each cell is searched for after the one before it, so that a record of many cells takes time in proportion to
 * its length.
 */
function hasSwallowed(cells: readonly string[], raw: string): boolean {
  let from = 0
  return cells.filter(isSuspect).some((cell) => {
    const quoted = `"${cell.replaceAll('"', '""')}"`
    const at = raw.indexOf(quoted, from)
    from = at + quoted.length
    return at < 0
  })
}

function createCellCountIssue(cells: readonly string[], length: number): RowIssue {
  const few = cells.length < length
  const hint = few ? '' : ' A cell that holds the delimiter has to stand in quotation marks.'
  const counted = `${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}`
  const message = `The record has ${counted} where the header has ${length}.${hint}`
  return createRowIssue(few ? 'too_few_cells' : 'too_many_cells', message, cells.join(' '))
}

/** Yields every record with its physical lines in the order of the file, grouped by chunk. @throws InitError */
async function* readRecords(
  text: AsyncIterable<Buffer>,
  { delimiter, encoding }: CsvDialect,
  from: Checkpoint,
): AsyncGenerator<CsvRecord[]> {
  const window = new TextWindow(from.bytes)
  const place = { end: from.bytes, line: from.line }
  let records: CsvRecord[] = []
  const parser = parse({
    ...parserOptions,
    delimiter,
    max_record_size: maxRecordBytes,
    on_record: (cells: string[], { bytes }: { bytes: number }) => {
      const end = from.bytes + bytes
      const { line, next } = countLines(window, place.end, end, place.line)
      const hasOpenQuote = cells.some(isSuspect) && hasSwallowed(cells, window.getText(place.end, end))
      // The text of every other encoding was decoded already.
      const invalidHex = encoding === 'utf-8' ? findInvalidBytes(window.getBytes(place.end, end)) : undefined
      records.push({ cells, line, end, next, hasOpenQuote, invalidHex })
      Object.assign(place, { end, line: next })
    },
  })
  parser.on('error', () => undefined).resume()
  try {
    for await (const chunk of text) {
      window.add(chunk)
      const failure = await writeChunk(parser, chunk)
      window.cut(place.end)
      if (records.length > 0) yield records
      records = []
      if (failure) throw explainFailure(failure, place.line)
      if (window.bytes.length > maxRecordBytes)
        throw createRecordSizeError(`The record on line ${place.line}`, place.line)
    }
    const failure = await endParser(parser)
    if (records.length > 0) yield records
    if (failure) throw explainFailure(failure, place.line)
  } finally {
    parser.destroy()
  }
}

const writeChunk = (parser: Parser, chunk: Buffer): Promise<Error | null> =>
  new Promise((resolve) => parser.write(chunk, (error) => resolve(error ?? null)))

const endParser = (parser: Parser): Promise<Error | null> =>
  new Promise((resolve) => {
    parser.once('error', resolve)
    parser.end((error?: Error | null) => resolve(error ?? null))
  })

function explainFailure(failure: Error, line: number): Error {
  if (!(failure instanceof CsvError)) return failure
  if (failure.code === 'CSV_MAX_RECORD_SIZE')
    return createRecordSizeError(`The record on line ${line}, perhaps for a quotation mark that is never closed,`, line)
  if (failure.code === 'CSV_QUOTE_NOT_CLOSED') {
    return createBrokenFileError(`The record on line ${line} opens a quotation mark that is never closed.`, line)
  }
  return createBrokenFileError(`The record on line ${line} cannot be read.`, line)
}

/**
 * Returns the line on which a record begins, after any empty lines before it, and the line on which the next one
 * begins.
 */
function countLines(window: TextWindow, from: number, to: number, line: number): { line: number; next: number } {
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
