import { InitError, type ImportWarning } from '../imports.types.ts'
import { Archive } from './archive.ts'
import { brokenBook } from './faults.ts'
import { readBook, type SheetPart } from './parts.ts'
import { readSheet, type SheetCounts } from './sheet.ts'

/** Bytes of a workbook, packed: it is read as a whole, since its list of parts stands at its end. */
export const workbookLimit = 32 * 1024 * 1024

/** Characters of lines that are handed on together. */
const chunkLength = 64 * 1024

/** A sheet that is being read. */
export interface OpenSheet {
  name: string
  /** A line of JSON for each row with something in it: its number, its cells as text, and what is wrong with some. */
  lines: AsyncIterable<Buffer>
  /** What else there is to say of the workbook, once the lines are read. */
  warnings(): ImportWarning[]
}

/**
 * Opens a sheet of an Excel workbook: the one of that name, else the first that is not hidden.
 * @throws InitError IMPORT_WORKBOOK_BROKEN, IMPORT_SHEET_MISSING, IMPORT_TOO_LARGE
 */
export async function openWorkbook(bytes: Buffer, wanted: string | undefined): Promise<OpenSheet> {
  const archive = await Archive.open(bytes)
  const book = await readBook(archive)
  const sheet = chosen(book.sheets, wanted)
  const counts: SheetCounts = { merged: 0 }
  async function* lines(): AsyncGenerator<Buffer> {
    let text = ''
    for await (const { row, cells, faults } of readSheet(archive, book, sheet, counts)) {
      text += `${JSON.stringify([row, cells, ...(faults.length > 0 ? [faults] : [])])}\n`
      if (text.length < chunkLength) continue
      yield Buffer.from(text)
      text = ''
    }
    if (text !== '') yield Buffer.from(text)
  }
  const others = book.sheets.filter((one) => one !== sheet).map(({ name }) => `"${name.slice(0, 100)}"`)
  return {
    name: sheet.name, lines: lines(),
    warnings: () => [
      ...(others.length === 0 ? [] : [warning('sheets_unread', others.length,
        `Only the sheet "${sheet.name.slice(0, 100)}" was read, not ${others.slice(0, 10).join(', ')}: ?sheet= names another one, or \`sheet\` of the mapper that fetches it.`)]),
      ...(counts.merged === 0 ? [] : [warning('cells_merged', counts.merged, 'Of cells that are merged only the first one has the value.')]),
    ],
  }
}

const warning = (code: string, count: number, message: string): ImportWarning => ({ code, path: '', message, count })

function chosen(sheets: readonly SheetPart[], wanted: string | undefined): SheetPart {
  if (sheets.length === 0) throw brokenBook('The workbook has no sheet with cells.')
  const found = wanted === undefined ? sheets.find(({ hidden }) => !hidden) ?? sheets[0]
    : sheets.find(({ name }) => name === wanted) ?? sheets.find(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  if (found) return found
  const names = sheets.slice(0, 20).map(({ name }) => `"${name.slice(0, 100)}"`).join(', ')
  throw new InitError('IMPORT_SHEET_MISSING', `The workbook has no sheet "${(wanted ?? '').slice(0, 100)}". It has ${names}.`)
}
