import type { Archive } from './archive.ts'
import { recordBytes } from '../formats.rows.ts'
import { brokenBook, largeBook } from './faults.ts'
import { Phrase, type Book, type SheetPart } from './parts.ts'
import { lengthened } from './strings.ts'
import { textOfNumber, unescaped } from './values.ts'
import { readXml, type XmlHandler } from './xml.ts'

/** Something in a cell that is no value. `at`: its column, from 0. */
export interface CellFault { at: number; code: string; message: string; value: string }

/** A row with something in it: its number as the sheet shows it, and the texts of its cells. */
export interface SheetRow { row: number; cells: string[]; faults: CellFault[] }

/** Source: Excel specifications and limits. */
const max = { rows: 1_048_576, columns: 16_384 }
/** Characters that are shown of what is wrong. */
const maxShown = 200

/** Cells that belong together for the eye, of which only the first has a value. */
export interface SheetCounts { merged: number }

/** Rows of a sheet in their order. @throws InitError IMPORT_WORKBOOK_BROKEN, IMPORT_TOO_LARGE */
export async function* readSheet(archive: Archive, book: Book, sheet: SheetPart, counts: SheetCounts): AsyncGenerator<SheetRow> {
  const reader = new SheetReader(book, counts)
  for await (const _ of readXml(archive.read(sheet.part), `The sheet ${sheet.name.slice(0, 100)}`, reader)) {
    for (const found of reader.take()) {
      const row = written(found, book)
      if (row) yield row
    }
  }
  if (!reader.seen) throw brokenBook(`The sheet ${sheet.name.slice(0, 100)} has no cells, not even empty ones.`)
}

/** A cell in work. */
interface Cell { at: number; type: string; style: number; value: string | null; text: string | null; formula: boolean }

/**
 * What was found in a row. Nothing is made of it before it is its turn: a few bytes can stand for a row of many cells,
 * and for a text of a megabyte in each of them.
 */
interface FoundRow { row: number; cells: { at: number; text: string | number }[]; faults: CellFault[]; size: number }

/** The row with every cell up to its last one; null for one that says nothing. A number is that of a text. */
function written({ row, cells: found, faults }: FoundRow, { strings }: Book): SheetRow | null {
  const cells: string[] = []
  for (const { at, text } of found) {
    while (cells.length < at) cells.push('')
    cells.push(typeof text === 'number' ? strings.get(text) : text)
  }
  return faults.length > 0 || cells.some((cell) => cell.trim() !== '') ? { row, cells, faults } : null
}

class SheetReader implements XmlHandler {
  seen = false
  readonly #book: Book
  readonly #counts: SheetCounts
  readonly #phrase = new Phrase()
  #rows: FoundRow[] = []
  #row: FoundRow | null = null
  #last = 0
  #cell: Cell | null = null
  #column = -1
  #inValue = false

  constructor(book: Book, counts: SheetCounts) {
    this.#book = book
    this.#counts = counts
  }

  take(): FoundRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'sheetData') this.seen = true
    else if (name === 'row') this.#openRow(attributes['r'])
    else if (name === 'c') this.#openCell(attributes)
    else if (name === 'mergeCell') this.#counts.merged++
    else if (this.#cell) this.#openWithin(this.#cell, name)
  }

  text(text: string): void {
    const cell = this.#cell
    if (!cell) return
    if (this.#inValue) cell.value = lengthened(cell.value, text)
    else if (this.#phrase.counts) cell.text = lengthened(cell.text, text)
  }

  close(name: string): void {
    if (name === 'v') this.#inValue = false
    else if (name === 'c' && this.#cell && this.#row) {
      this.#keep(this.#cell, this.#row)
      this.#cell = null
    } else if (name === 'row' && this.#row) {
      if (this.#row.cells.length + this.#row.faults.length > 0) this.#rows.push(this.#row)
      this.#row = null
    }
    this.#phrase.close(name)
  }

  #openRow(number: string | undefined): void {
    const row = number === undefined ? this.#last + 1 : Number(number)
    if (!Number.isInteger(row) || row <= this.#last || row > max.rows) throw brokenBook(`A row of the sheet behind row ${this.#last} has a wrong number.`)
    this.#last = row
    this.#column = -1
    this.#row = { row, cells: [], faults: [], size: 0 }
  }

  #openCell({ r, t = 'n', s = '0' }: Readonly<Record<string, string>>): void {
    const at = r === undefined ? this.#column + 1 : columnOf(r)
    if (at <= this.#column || at >= max.columns) throw brokenBook(`A cell of row ${this.#last} stands in a wrong place.`)
    this.#column = at
    this.#cell = { at, type: t, style: Number(s), value: null, text: null, formula: false }
  }

  #openWithin(cell: Cell, name: string): void {
    if (name === 'v') this.#inValue = true
    if (name === 'f') cell.formula = true
    this.#phrase.open(name)
  }

  #keep(cell: Cell, row: FoundRow): void {
    const { at } = cell
    const text = this.#valueOf(cell)
    if (typeof text === 'object') row.faults.push({ at, ...text, value: text.value.slice(0, maxShown) })
    else {
      const size = typeof text === 'number' ? this.#book.strings.sizeOf(text) ?? 0 : text.length
      row.size += size
      if (row.size > recordBytes) throw largeBook(`Row ${row.row} of the sheet is larger than 8 MiB.`)
      if (size > 0) row.cells.push({ at, text })
    }
  }

  /** The text of a cell, or the number of its text. */
  #valueOf({ type, style, value, text, formula }: Cell): string | number | Omit<CellFault, 'at'> {
    if (type === 'inlineStr') return unescaped(text ?? '')
    if (value === null || value.trim() === '') {
      if (!formula || (type === 'str' && value !== null)) return value ?? ''
      return fault('formula', 'has a formula whose result was not saved. Open the file in a spreadsheet program and save it', '')
    }
    if (type === 'str') return unescaped(value)
    if (type === 'e') return fault('cell_error', 'holds an error instead of a value', value)
    if (type === 's') return this.#book.strings.sizeOf(Number(value)) === undefined ? fault('malformed', 'refers to a text that is not there', value) : Number(value)
    if (type === 'b') return value === '1' ? 'true' : value === '0' ? 'false' : fault('malformed', 'is neither true nor false', value)
    if (type === 'd') return value
    const kind = this.#book.styles[style] ?? { kind: 'number' }
    return textOfNumber(value.trim(), kind, this.#book.calendar) ?? fault('malformed', kind.kind === 'number' ? 'is no number' : 'is no day or time', value)
  }
}

const fault = (code: string, message: string, value: string): Omit<CellFault, 'at'> => ({ code, message: `The cell ${message}.`, value })

/** The column of a reference as BC12, from 0; -1 for none. */
function columnOf(reference: string): number {
  const letters = /^\$?([A-Z]{1,3})\$?\d+$/.exec(reference)?.[1] ?? ''
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
}
