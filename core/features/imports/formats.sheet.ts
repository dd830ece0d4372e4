import { headerOf, isBlank, rowFault } from './formats.csv.ts'
import { faultOf } from './formats.items.ts'
import { broken, recordBytes, tooLarge, Window, type PlacedRow } from './formats.rows.ts'
import { InitError, type Checkpoint, type RowError } from './imports.types.ts'
import type { CellFault } from './workbook/sheet.ts'

const lineFeed = 0x0a

/** A line of a staged sheet. */
type Line = [row: number, cells: string[], faults?: CellFault[]]

/** The columns of a staged sheet, by its first row with something in it. Of an empty one there are none. @throws InitError */
export async function sheetColumns(text: AsyncIterable<Buffer>): Promise<{ columns: string[]; after: Checkpoint }> {
  const beginning = { rows: 0, line: 1, bytes: 0 }
  for await (const [first] of linesOf(text, beginning)) {
    if (!first) continue
    const { line: [row, cells, faults], end } = first
    if (faults) throw new InitError('IMPORT_FILE_BROKEN', `The header, in row ${row}, has a cell without a value: ${faults[0]?.message}`, { line: row })
    return { columns: headerOf(cells, row), after: { rows: 0, line: row + 1, bytes: end } }
  }
  return { columns: [], after: beginning }
}

/** Rows after the header. @throws InitError */
export async function* sheetRows(text: AsyncIterable<Buffer>, columns: readonly string[], from: Checkpoint): AsyncGenerator<PlacedRow[]> {
  for await (const lines of linesOf(text, from)) {
    const rows = lines.flatMap(({ line: [row, cells, faults], end }): PlacedRow[] => {
      if (!faults && isBlank(cells)) return []
      while (cells.length < columns.length) cells.push('')
      const fault = faults ? cellFault(faults, columns) : rowFault(cells, columns)
      return [{ line: row, value: fault ? null : cells, fault, end, next: row + 1 }]
    })
    if (rows.length > 0) yield rows
  }
}

function cellFault([first]: readonly CellFault[], columns: readonly string[]): RowError {
  const { at = 0, code = 'malformed', message = '', value = '' } = first ?? {}
  return { ...faultOf(code, message, value), path: columns[at] ?? '' }
}

async function* linesOf(text: AsyncIterable<Buffer>, from: Checkpoint): AsyncGenerator<{ line: Line; end: number }[]> {
  const window = new Window(from.bytes)
  for await (const chunk of text) {
    const seen = window.bytes.length
    window.add(chunk)
    const { bytes, base } = window
    const found: { line: Line; end: number }[] = []
    let start = 0
    for (let end = bytes.indexOf(lineFeed, seen); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      found.push({ line: JSON.parse(bytes.toString('utf8', start, end)) as Line, end: base + end + 1 })
      start = end + 1
    }
    window.cut(base + start)
    if (found.length > 0) yield found
    if (window.bytes.length > recordBytes) throw tooLarge('A row of the sheet', from.line)
  }
  if (window.bytes.length > 0) throw broken('The sheet breaks off.', from.line)
}
