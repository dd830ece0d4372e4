import { readFileSync } from 'node:fs'
import { createNumberCell, createRow, createWorkbook } from '../formats/workbook.maker.ts'

/** A file as a system exports it, of 30 rows, some of which no mapping could import. */
export interface ExportFile {
  name: string
  /** What a row of it is. */
  granularity: 'model' | 'batch' | 'item'
  /** Why rows cannot be imported, by their place, from 1. */
  impossible: Readonly<Record<number, string>>
  /** The sign between cells, and how its characters are written; a workbook is made of the table if `isWorkbook`. */
  delimiter: ',' | ';' | '\t'
  encoding?: 'latin1'
  isWorkbook?: true
}

export const exportRows = 30

export const exportFiles: readonly ExportFile[] = [
  {
    name: 'fashion-pim.csv',
    granularity: 'model',
    delimiter: ';',
    impossible: { 12: 'it has no name', 20: 'the check digit of its EAN is wrong' },
  },
  {
    name: 'sap-material.csv',
    granularity: 'model',
    delimiter: '\t',
    impossible: { 10: 'its weight is n.a.', 15: 'its country is D?' },
  },
  {
    name: 'shop-products.csv',
    granularity: 'model',
    delimiter: ',',
    impossible: { 17: 'it has no name', 28: 'its weight is a hyphen' },
  },
  {
    name: 'pelletteria-lotti.csv',
    granularity: 'batch',
    delimiter: ';',
    encoding: 'latin1',
    impossible: { 7: 'February has no 31st day', 14: 'it has no number of its batch' },
  },
  {
    name: 'epicerie-lots.csv',
    granularity: 'batch',
    delimiter: ';',
    impossible: { 2: 'its weight is about 250 g', 18: 'its day is 00' },
  },
  {
    name: 'elektronik-seriennummern.csv',
    granularity: 'item',
    delimiter: ';',
    encoding: 'latin1',
    impossible: { 13: 'it has no serial number', 19: 'its day is a month', 26: 'its weight is a word' },
  },
  {
    name: 'calzado-catalogo.csv',
    granularity: 'model',
    delimiter: ';',
    impossible: { 10: 'it has no name', 16: 'its weight is s/d' },
  },
  {
    name: 'furniture.csv',
    granularity: 'model',
    delimiter: ',',
    isWorkbook: true,
    impossible: { 14: 'it has no name', 23: 'its EAN has seven digits' },
  },
  {
    name: 'battery-passport.csv',
    granularity: 'item',
    delimiter: ',',
    impossible: { 9: 'it has no identifier', 17: 'a year has no 13th month' },
  },
  {
    name: 'data-pool.csv',
    granularity: 'model',
    delimiter: ',',
    impossible: { 5: 'the check digit of its GTIN is wrong', 12: 'it has no name' },
  },
]

/** Reads the bytes of an export, as CSV. */
export const readExport = ({ name }: ExportFile): Buffer => readFileSync(new URL(`./files/${name}`, import.meta.url))

/** Reads an export as the file that a person has, with its name: a workbook if it is one. */
export function openExport(file: ExportFile): { name: string; bytes: Buffer; type: string } {
  if (!file.isWorkbook) return { name: file.name, bytes: readExport(file), type: 'text/csv' }
  const rows = parseExport(file).map((cells, at) =>
    createRow(
      at + 1,
      cells.map((text) => toCell(text, at)),
    ),
  )
  return {
    name: file.name.replace(/csv$/, 'xlsx'),
    bytes: createWorkbook([{ name: 'Articles', rows: rows.join('') }]),
    type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  }
}

/** Returns the text of an export. */
export const decodeExport = (file: ExportFile): string =>
  readExport(file)
    .toString(file.encoding ?? 'utf8')
    .replace(/^\ufeff/, '')

/** Parses an export into its cells, the header among them. */
export function parseExport(file: ExportFile): string[][] {
  const pattern = new RegExp(`(?:"((?:[^"]|"")*)"|([^${file.delimiter}"]*))(?:${file.delimiter}|$)`, 'g')
  return decodeExport(file)
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map((line) =>
      [...line.matchAll(pattern)]
        .slice(0, countCells(line, file.delimiter))
        .map(([, quoted, plain = '']) => (quoted === undefined ? plain : quoted.replaceAll('""', '"'))),
    )
}

const countCells = (line: string, delimiter: string) => line.replaceAll(/"(?:[^"]|"")*"/g, '').split(delimiter).length

const firstDay = Date.UTC(1899, 11, 30)
const dayMs = 86_400_000

/** Writes a cell as programs do: numbers as numbers, days as numbers of days, what begins with 0 as text. */
function toCell(text: string, row: number) {
  if (text === '') return null
  if (row > 0 && /^\d{4}-\d{2}-\d{2}$/.test(text))
    return createNumberCell(String((Date.parse(text) - firstDay) / dayMs), 1)
  return row > 0 && /^(?:0|[1-9]\d{0,10})(?:\.\d+)?$/.test(text) ? createNumberCell(text) : text
}
