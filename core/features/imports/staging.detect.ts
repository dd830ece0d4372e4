import { areBothUtf16, encodingNamed, unreadable, type Encoding } from './encodings.ts'
import { surveyOf } from './encodings.survey.ts'
import { firstRecords } from './formats.csv.ts'
import { markBytes } from './formats.text.ts'
import { InitError, type Dialect } from './imports.types.ts'

export type Format = Dialect['format']
type Written = Pick<Dialect, 'encoding' | 'bom' | 'guessed'>

/** What a file was sent as; what is not said is found out. */
export interface Declared {
  format: Format
  /** Label of its encoding, as `charset` of a content type has it. */
  encoding?: string | undefined
  /** CSV: what stands between two cells. */
  delimiter?: string | undefined
  /** Excel: the sheet that is read; else the first one. */
  sheet?: string | undefined
}

/** What a caller can name as delimiter: a character, or a tabulator by its name. */
export const delimiterPattern = '^([^"\\r\\n]|tab)$'

/** The character that stands between two cells, as it was named. */
export const delimiterNamed = (name: string | null | undefined): string | undefined => (name === 'tab' ? '\t' : name ?? undefined)

const marks: readonly [Encoding, Buffer][] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
]

/**
 * How the first bytes of a file are written. What was declared decides, unless the file begins with the mark of another
 * encoding: that is refused. Text in UTF-16 is known by its mark, or by the zero bytes of its Latin letters. It is UTF-8
 * where less than one line in a hundred is not, or where more lines are that need it; else it is taken for Windows-1252.
 * Source: Unicode, section 23.8. @throws InitError IMPORT_ENCODING_INVALID
 */
export function encodingOf(head: Buffer, label: string | undefined, whole: boolean): Written {
  const declared = label === undefined ? undefined : encodingNamed(label)
  const [mark] = marks.find(([, bytes]) => head.subarray(0, bytes.length).equals(bytes)) ?? []
  if (mark) {
    if (declared === undefined || declared === mark || areBothUtf16(declared, mark)) return { encoding: mark, bom: true }
    throw unreadable(`The file is said to be ${declared}, but begins with the mark of ${mark}.`)
  }
  if (declared) return { encoding: declared, bom: false }
  const wide = wideOf(head.subarray(0, 4_096))
  if (wide) return { encoding: wide, bom: false }
  const { broken, foreign, lines, firstBroken } = surveyOf(head, whole)
  if (broken === 0 || broken * 100 < lines || foreign >= broken) return { encoding: 'utf-8', bom: false }
  if (!unassigned.test(head.toString('latin1'))) return { encoding: 'windows-1252', bom: false, guessed: true }
  throw unreadable(
    `The file is not UTF-8 from line ${firstBroken} on, nor Windows-1252. Name its encoding, as ?encoding=shift_jis.`, firstBroken)
}

/** Bytes that Windows-1252 gives no character. */
const unassigned = /[\x81\x8d\x8f\x90\x9d]/

function wideOf(sample: Buffer): Encoding | undefined {
  if (sample.length < 4) return undefined
  const zeros = [0, 0]
  sample.forEach((byte, at) => { if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1 })
  const [even = 0, odd = 0] = zeros
  const many = sample.length / 5
  if (odd > many && even * 10 < odd) return 'utf-16le'
  return even > many && odd * 10 < even ? 'utf-16be' : undefined
}

/**
 * What a file is, by its beginning. @param whole whether the head is all of it
 * @throws InitError IMPORT_BODY_MISSING, IMPORT_NOT_TEXT, IMPORT_NOT_A_LIST, IMPORT_FILE_BROKEN, IMPORT_ENCODING_INVALID
 */
export function dialectOf(head: Buffer, { format: declared, encoding, delimiter }: Declared, whole: boolean): Dialect {
  if (declared === 'xlsx') return { format: 'xlsx', encoding: 'utf-8', bom: false }
  refuseForeign(head)
  const isCsv = declared === 'csv'
  const written = isCsv ? encodingOf(head, encoding, whole) : jsonEncoding(head, encoding)
  const text = new TextDecoder(written.encoding, { ignoreBOM: true }).decode(head.subarray(markBytes(written)))
  if (whole && text.trim() === '') throw new InitError('IMPORT_BODY_MISSING', 'The file is empty.')
  if (!isCsv) return { format: jsonFormat(text, declared), ...written }
  return { format: 'csv', ...written, ...divided(text, whole, delimiter) }
}

/** JSON has one encoding. Source: RFC 8259, section 8.1. */
function jsonEncoding(head: Buffer, label: string | undefined): Written {
  const [mark] = marks.find(([, bytes]) => head.subarray(0, bytes.length).equals(bytes)) ?? []
  const declared = label === undefined ? 'utf-8' : encodingNamed(label)
  const other = [mark, declared, wideOf(head.subarray(0, 4_096))].find((one) => one !== undefined && one !== 'utf-8')
  if (other === undefined) return { encoding: 'utf-8', bom: mark !== undefined }
  throw unreadable(`The file is ${other}; JSON is UTF-8.`)
}

/** The media type of a workbook. Source: ECMA-376, part 1. */
export const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** Beginnings of files that are sent as CSV by mistake. Source: the formats' own specifications. */
const foreign: readonly [string, Buffer, string][] = [
  ['an Excel workbook or another ZIP archive', Buffer.from('PK\x03\x04', 'latin1'), `A workbook is sent as ${workbookType}.`],
  ['an Excel workbook of the old kind, or one with a password', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'Save it as CSV, and send that.'],
  ['a PDF document', Buffer.from('%PDF-', 'latin1'), 'Export its data as CSV, and send that.'],
  ['compressed by gzip', Buffer.from([0x1f, 0x8b]), 'Unpack it, or send it with Content-Encoding: gzip.'],
]

/** @throws InitError IMPORT_NOT_TEXT for the beginning of another kind of file */
export function refuseForeign(head: Buffer): void {
  const [what, , advice] = foreign.find(([, bytes]) => head.subarray(0, bytes.length).equals(bytes)) ?? []
  if (what !== undefined) throw new InitError('IMPORT_NOT_TEXT', `The file is ${what}. ${advice}`)
}

const firstSign = /[^\s]/u

/** A list; or values line by line, which are taken for what they are also where a list was announced. */
function jsonFormat(text: string, declared: Format): Format {
  const sign = firstSign.exec(text)?.[0]
  if (sign === '[') return 'json'
  if (declared === 'ndjson') return 'ndjson'
  if (sign !== '{') {
    const found = sign === undefined ? 'has nothing but blanks' : `begins with “${sign}”`
    throw new InitError('IMPORT_FILE_BROKEN', `The file ${found}, where a list of JSON begins with “[”.`, { line: 0 })
  }
  const [first = '', ...more] = text.trim().split('\n', 20)
  if (isJson(first) && more.some((line) => line.trim().startsWith('{'))) return 'ndjson'
  throw new InitError('IMPORT_NOT_A_LIST',
    'The file is one JSON object. Send a list, “[…]”, also of a single passport; or an object a line, as application/x-ndjson.')
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const delimiters = [',', ';', '\t'] as const
/** Characters that the delimiter is looked for in, unless the header alone has more. */
const sampled = 64 * 1024

/**
 * The delimiter that divides the first records most alike, and into most columns where two do so equally well. A file of
 * a single column is divided by commas. What was declared decides, else a line `sep=;` that a spreadsheet wrote.
 */
function divided(text: string, whole: boolean, declared: string | undefined): Pick<Dialect, 'delimiter' | 'columns'> {
  const hint = /^sep=([,;\t|])\r?\n/i.exec(text)
  const body = hint ? text.slice(hint[0].length) : text
  const sample = /[\r\n]/.test(body.slice(0, sampled).trimStart()) ? body.slice(0, sampled) : body
  const known = declared ?? hint?.[1]
  const tried = (known === undefined ? delimiters : [known]).map((delimiter) => {
    const records = firstRecords(sample, delimiter, whole && sample.length === body.length).filter((cells) => cells.some((cell) => cell.trim() !== ''))
    const columns = records[0]?.length ?? 0
    const alike = records.filter((cells) => cells.length === columns).length / Math.max(1, records.length)
    return { delimiter, columns, score: columns > 1 ? alike : 0 }
  })
  const [best] = tried.sort((a, b) => b.score - a.score || b.columns - a.columns)
  const { delimiter = ',', columns = 0 } = best ?? {}
  return { delimiter, ...(columns > 0 && { columns }) }
}
