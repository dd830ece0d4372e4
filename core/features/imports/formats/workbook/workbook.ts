import { type ImportWarning, InitError } from '../../records/index.ts'
import { Archive } from './archive.ts'
import { createBrokenWorkbookError } from './errors.ts'
import { readWorkbookParts, type SheetPart } from './parts.ts'
import { readSheet, type SheetCounts } from './sheet.ts'

/** The maximum size of a packed workbook in bytes: it is read as a whole, because its list of parts is at its end. */
export const maxWorkbookBytes = 32 * 1024 * 1024

/** The number of characters of lines that are yielded together. */
const chunkLength = 64 * 1024

/** A sheet that is being read. */
export interface OpenSheet {
  name: string
  /** The names of the other sheets that are shown. */
  others: readonly string[]
  /**
   * A line of JSON for each row with something in it: its number, its cells as text, and the issues of its cells, if
   * any.
   */
  lines: AsyncIterable<Buffer>
  /** Returns the warnings about the workbook; to be called when all lines have been read. */
  warnings(): ImportWarning[]
}

/**
 * Opens a sheet of an Excel workbook.
 * @param wanted the name of the sheet; if undefined, the first sheet that is not hidden is opened
 * @throws InitError IMPORT_WORKBOOK_BROKEN, IMPORT_SHEET_MISSING, IMPORT_TOO_LARGE
 */
export async function openWorkbook(bytes: Buffer, wanted: string | undefined): Promise<OpenSheet> {
  const archive = await Archive.open(bytes)
  const parts = await readWorkbookParts(archive)
  const sheet = chooseSheet(parts.sheets, wanted)
  const counts: SheetCounts = { merged: 0 }
  async function* lines(): AsyncGenerator<Buffer> {
    let text = ''
    for await (const { row, cells, issues } of readSheet(archive, parts, sheet, counts)) {
      text += `${JSON.stringify([row, cells, ...(issues.length > 0 ? [issues] : [])])}\n`
      if (text.length < chunkLength) continue
      yield Buffer.from(text)
      text = ''
    }
    if (text !== '') yield Buffer.from(text)
  }
  const others = parts.sheets.filter((one) => one !== sheet).map(({ name }) => `"${name.slice(0, 100)}"`)
  return {
    name: sheet.name,
    others: parts.sheets.filter((one) => one !== sheet && !one.hidden).map(({ name }) => name),
    lines: lines(),
    warnings: () => [
      ...(others.length === 0
        ? []
        : [
            createWarning(
              'sheets_unread',
              others.length,
              `Only the sheet "${sheet.name.slice(0, 100)}" was read, not ${others.slice(0, 10).join(', ')}: ?sheet= names another one, or \`sheet\` of the mapper that fetches it.`,
            ),
          ]),
      ...(counts.merged === 0
        ? []
        : [createWarning('cells_merged', counts.merged, 'Of cells that are merged only the first one has the value.')]),
    ],
  }
}

const createWarning = (code: string, count: number, message: string): ImportWarning => ({
  code,
  path: '',
  message,
  count,
})

function chooseSheet(sheets: readonly SheetPart[], wanted: string | undefined): SheetPart {
  if (sheets.length === 0) throw createBrokenWorkbookError('The workbook has no sheet with cells.')
  const found =
    wanted === undefined
      ? (sheets.find(({ hidden }) => !hidden) ?? sheets[0])
      : (sheets.find(({ name }) => name === wanted)
        ?? sheets.find(({ name }) => name.toLowerCase() === wanted.toLowerCase()))
  if (found) return found
  const names = sheets
    .slice(0, 20)
    .map(({ name }) => `"${name.slice(0, 100)}"`)
    .join(', ')
  throw new InitError(
    'IMPORT_SHEET_MISSING',
    `The workbook has no sheet "${(wanted ?? '').slice(0, 100)}". It has ${names}.`,
  )
}
