import type { RowIssue } from '../../../kernel/ports/record-sink.ts'
import { parseHeader, isBlankRecord, findRowIssue } from './formats.csv.ts'
import { createRowIssue } from './formats.items.ts'
import {
  createBrokenFileError,
  maxRecordBytes,
  createRecordSizeError,
  TextWindow,
  type PlacedRow,
} from './formats.rows.ts'
import { type Checkpoint, InitError } from '../records/index.ts'
import type { CellIssue } from './workbook/sheet.ts'

const lineFeed = 0x0a

/** A line of a staged sheet. */
type SheetLine = [row: number, cells: string[], faults?: CellIssue[]]

/** The most rows with titles or with names of groups that stand before the header. */
const maxTitleRows = 10

/**
 * Reads the columns of a staged sheet from its header: its first row with something in it, or the first one behind rows
 * of titles. An empty sheet has no columns.
 * @throws InitError
 */
export async function readSheetColumns(text: AsyncIterable<Buffer>): Promise<{ columns: string[]; after: Checkpoint }> {
  const beginning = { rows: 0, line: 1, bytes: 0 }
  const first: { line: SheetLine; end: number }[] = []
  for await (const lines of readSheetLines(text, beginning)) {
    first.push(...lines.slice(0, maxTitleRows + 1 - first.length))
    if (first.length > maxTitleRows) break
  }
  const header =
    first.find((one, at) => !first.slice(at + 1).some((later) => isTitleOf(one.line, later.line))) ?? first.at(-1)
  if (!header) return { columns: [], after: beginning }
  const {
    line: [row, cells, faults],
    end,
  } = header
  if (faults)
    throw new InitError(
      'IMPORT_FILE_BROKEN',
      `The header, in row ${row}, has a cell without a value: ${faults[0]?.message}`,
      { line: row },
    )
  return { columns: parseHeader(cells, row), after: { rows: 0, line: row + 1, bytes: end } }
}

/**
 * Returns whether a row is a title above another one, or has the names of groups of its columns in merged cells: the other
 * one has at least twice as many cells with something in them, all of them words.
 */
function isTitleOf([, cells]: SheetLine, [, header]: SheetLine): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '')
  const names = header.filter((cell) => cell.trim() !== '')
  return names.length >= 3 && filled.length * 2 <= names.length && names.every((name) => /\p{L}/u.test(name))
}

/** Yields the rows after the header. @throws InitError */
export async function* readSheetRows(
  text: AsyncIterable<Buffer>,
  columns: readonly string[],
  from: Checkpoint,
): AsyncGenerator<PlacedRow[]> {
  for await (const lines of readSheetLines(text, from)) {
    const rows = lines.flatMap(({ line: [row, cells, faults], end }): PlacedRow[] => {
      if (!faults && isBlankRecord(cells)) return []
      while (cells.length < columns.length) cells.push('')
      const issue = faults ? toRowIssue(faults, columns) : findRowIssue(cells, columns)
      return [{ line: row, value: issue ? null : cells, issue, end, next: row + 1 }]
    })
    if (rows.length > 0) yield rows
  }
}

function toRowIssue([first]: readonly CellIssue[], columns: readonly string[]): RowIssue {
  const { at = 0, code = 'malformed', message = '', value = '' } = first ?? {}
  return { ...createRowIssue(code, message, value), path: columns[at] ?? '' }
}

async function* readSheetLines(
  text: AsyncIterable<Buffer>,
  from: Checkpoint,
): AsyncGenerator<{ line: SheetLine; end: number }[]> {
  const window = new TextWindow(from.bytes)
  for await (const chunk of text) {
    const seen = window.bytes.length
    window.add(chunk)
    const { bytes, base } = window
    const parsedLines: { line: SheetLine; end: number }[] = []
    let start = 0
    for (let end = bytes.indexOf(lineFeed, seen); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      parsedLines.push({ line: JSON.parse(bytes.toString('utf8', start, end)) as SheetLine, end: base + end + 1 })
      start = end + 1
    }
    window.cut(base + start)
    if (parsedLines.length > 0) yield parsedLines
    if (window.bytes.length > maxRecordBytes) throw createRecordSizeError('A row of the sheet', from.line)
  }
  if (window.bytes.length > 0) throw createBrokenFileError('The sheet breaks off.', from.line)
}
