import type { Archive } from './archive.ts'
import { maxRecordBytes } from '../formats.rows.ts'
import { createBrokenWorkbookError, createLargeWorkbookError } from './errors.ts'
import { PhraseTracker, type WorkbookParts, type SheetPart } from './parts.ts'
import { appendText } from './strings.ts'
import { formatNumber, decodeEscapes } from './values.ts'
import { readXml, type XmlHandler } from './xml.ts'

/** An issue of a cell that holds no value. `at`: its column, from 0. */
export interface CellIssue {
  at: number
  code: string
  message: string
  value: string
}

/** A row with something in it: its number as the sheet shows it, and the texts of its cells. */
export interface SheetRow {
  row: number
  cells: string[]
  issues: CellIssue[]
}

/** The maximum size of a sheet. Source: Excel specifications and limits. */
const sheetLimits = { rows: 1_048_576, columns: 16_384 }
/** The maximum length of the value that an issue shows. */
const maxShownLength = 200

/** The number of merged ranges of cells; only the first cell of a range has a value. */
export interface SheetCounts {
  merged: number
}

/** Yields the rows of a sheet in their order. @throws InitError IMPORT_WORKBOOK_BROKEN, IMPORT_TOO_LARGE */
export async function* readSheet(
  archive: Archive,
  book: WorkbookParts,
  sheet: SheetPart,
  counts: SheetCounts,
): AsyncGenerator<SheetRow> {
  const reader = new SheetReader(book, counts)
  for await (const _ of readXml(archive.read(sheet.part), `The sheet ${sheet.name.slice(0, 100)}`, reader)) {
    for (const found of reader.take()) {
      const row = completeRow(found, book)
      if (row) yield row
    }
  }
  if (!reader.seen)
    throw createBrokenWorkbookError(`The sheet ${sheet.name.slice(0, 100)} has no cells, not even empty ones.`)
}

/** A cell that is being read. */
interface Cell {
  at: number
  type: string
  style: number
  value: string | null
  text: string | null
  formula: boolean
}

/**
 * What was found in a row. Its texts are not created before the row's turn: a few bytes can stand for a row of many
 * cells with a text of a megabyte in each.
 */
interface PendingRow {
  row: number
  cells: { at: number; text: string | number }[]
  issues: CellIssue[]
  size: number
}

/**
 * Returns the row with every cell up to its last one; null if all cells are blank and none has an issue. A number
 * stands for a shared text.
 */
function completeRow({ row, cells: pendingCells, issues }: PendingRow, { strings }: WorkbookParts): SheetRow | null {
  const cells: string[] = []
  for (const { at, text } of pendingCells) {
    while (cells.length < at) cells.push('')
    cells.push(typeof text === 'number' ? strings.get(text) : text)
  }
  return issues.length > 0 || cells.some((cell) => cell.trim() !== '') ? { row, cells, issues } : null
}

class SheetReader implements XmlHandler {
  seen = false
  readonly #book: WorkbookParts
  readonly #counts: SheetCounts
  readonly #phrase = new PhraseTracker()
  #rows: PendingRow[] = []
  #row: PendingRow | null = null
  #lastRow = 0
  #currentCell: Cell | null = null
  #column = -1
  #inValue = false

  constructor(book: WorkbookParts, counts: SheetCounts) {
    this.#book = book
    this.#counts = counts
  }

  take(): PendingRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'sheetData') this.seen = true
    else if (name === 'row') this.#openRow(attributes['r'])
    else if (name === 'c') this.#openCell(attributes)
    else if (name === 'mergeCell') this.#counts.merged++
    else if (this.#currentCell) this.#openWithin(this.#currentCell, name)
  }

  text(text: string): void {
    const cell = this.#currentCell
    if (!cell) return
    if (this.#inValue) cell.value = appendText(cell.value, text)
    else if (this.#phrase.counts) cell.text = appendText(cell.text, text)
  }

  close(name: string): void {
    if (name === 'v') this.#inValue = false
    else if (name === 'c' && this.#currentCell && this.#row) {
      this.#keepCell(this.#currentCell, this.#row)
      this.#currentCell = null
    } else if (name === 'row' && this.#row) {
      if (this.#row.cells.length + this.#row.issues.length > 0) this.#rows.push(this.#row)
      this.#row = null
    }
    this.#phrase.close(name)
  }

  #openRow(number: string | undefined): void {
    const row = number === undefined ? this.#lastRow + 1 : Number(number)
    if (!Number.isInteger(row) || row <= this.#lastRow || row > sheetLimits.rows)
      throw createBrokenWorkbookError(`A row of the sheet behind row ${this.#lastRow} has a wrong number.`)
    this.#lastRow = row
    this.#column = -1
    this.#row = { row, cells: [], issues: [], size: 0 }
  }

  #openCell({ r, t = 'n', s = '0' }: Readonly<Record<string, string>>): void {
    const at = r === undefined ? this.#column + 1 : parseColumn(r)
    if (at <= this.#column || at >= sheetLimits.columns)
      throw createBrokenWorkbookError(`A cell of row ${this.#lastRow} stands in a wrong place.`)
    this.#column = at
    this.#currentCell = { at, type: t, style: Number(s), value: null, text: null, formula: false }
  }

  #openWithin(cell: Cell, name: string): void {
    if (name === 'v') this.#inValue = true
    if (name === 'f') cell.formula = true
    this.#phrase.open(name)
  }

  #keepCell(cell: Cell, row: PendingRow): void {
    const { at } = cell
    const text = this.#readValue(cell)
    if (typeof text === 'object') row.issues.push({ at, ...text, value: text.value.slice(0, maxShownLength) })
    else {
      const size = typeof text === 'number' ? (this.#book.strings.sizeOf(text) ?? 0) : text.length
      row.size += size
      if (row.size > maxRecordBytes) throw createLargeWorkbookError(`Row ${row.row} of the sheet is larger than 8 MiB.`)
      if (size > 0) row.cells.push({ at, text })
    }
  }

  /** Returns the text of a cell, the number of its shared text, or its issue. */
  #readValue({ type, style, value, text, formula }: Cell): string | number | Omit<CellIssue, 'at'> {
    if (type === 'inlineStr') return decodeEscapes(text ?? '')
    if (value === null || value.trim() === '') {
      if (!formula || (type === 'str' && value !== null)) return value ?? ''
      return createCellIssue(
        'formula',
        'has a formula whose result was not saved. Open the file in a spreadsheet program and save it',
        '',
      )
    }
    if (type === 'str') return decodeEscapes(value)
    if (type === 'e') return createCellIssue('cell_error', 'holds an error instead of a value', value)
    if (type === 's')
      return this.#book.strings.sizeOf(Number(value)) === undefined
        ? createCellIssue('malformed', 'refers to a text that is not there', value)
        : Number(value)
    if (type === 'b')
      return value === '1'
        ? 'true'
        : value === '0'
          ? 'false'
          : createCellIssue('malformed', 'is neither true nor false', value)
    if (type === 'd') return value
    const kind = this.#book.styles[style] ?? { kind: 'number' }
    return (
      formatNumber(value.trim(), kind, this.#book.calendar)
      ?? createCellIssue('malformed', kind.kind === 'number' ? 'is no number' : 'is no day or time', value)
    )
  }
}

const createCellIssue = (code: string, message: string, value: string): Omit<CellIssue, 'at'> => ({
  code,
  message: `The cell ${message}.`,
  value,
})

/** Returns the column of a reference such as BC12, from 0; -1 if there is none. */
function parseColumn(reference: string): number {
  const letters = /^\$?([A-Z]{1,3})\$?\d+$/.exec(reference)?.[1] ?? ''
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
}
