import {
  areBothUtf16,
  createEncodingError,
  type Dialect,
  type Encoding,
  InitError,
  parseEncoding,
  surveyLines,
} from '../records/index.ts'
import { getMarkBytes, readFirstRecords } from '../formats/index.ts'

export type Format = Dialect['format']
type DetectedEncoding = Pick<Dialect, 'encoding' | 'bom' | 'guessed'>

/** How a file was declared when it was sent; what is undefined is detected. */
export interface FileDeclaration {
  format: Format
  /** The label of the encoding, as in `charset` of a content type. */
  encoding?: string | undefined
  /** CSV: the character between two cells. */
  delimiter?: string | undefined
  /** Excel: the name of the sheet to read; if undefined, the first one. */
  sheet?: string | undefined
}

const byteOrderMarks: readonly [Encoding, Buffer][] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
]

/**
 * Detects the encoding of a file from its first bytes. The declared encoding decides, unless the file begins with the
 * mark of another encoding, which is refused. UTF-16 is recognized by its mark, or by the zero bytes of its Latin
 * letters. A file is UTF-8 if less than one line in a hundred is not UTF-8, or if at least as many lines have more than
 * ASCII and are valid UTF-8; otherwise it is taken for Windows-1252.
 * @throws InitError IMPORT_ENCODING_INVALID
 * Source: Unicode, section 23.8
 */
export function detectEncoding(head: Buffer, label: string | undefined, whole: boolean): DetectedEncoding {
  const declared = label === undefined ? undefined : parseEncoding(label)
  const [mark] = byteOrderMarks.find(([, bytes]) => head.subarray(0, bytes.length).equals(bytes)) ?? []
  if (mark) {
    if (declared === undefined || declared === mark || areBothUtf16(declared, mark))
      return { encoding: mark, bom: true }
    throw createEncodingError(`The file is said to be ${declared}, but begins with the mark of ${mark}.`)
  }
  if (declared) return { encoding: declared, bom: false }
  const wide = detectUtf16(head.subarray(0, 4_096))
  if (wide) return { encoding: wide, bom: false }
  const { broken, foreign, lines, firstBroken } = surveyLines(head, whole)
  if (broken === 0 || broken * 100 < lines || foreign >= broken) return { encoding: 'utf-8', bom: false }
  if (!unassignedBytes.test(head.toString('latin1'))) return { encoding: 'windows-1252', bom: false, guessed: true }
  throw createEncodingError(
    `The file is not UTF-8 from line ${firstBroken} on, nor Windows-1252. Name its encoding, as ?encoding=shift_jis.`,
    firstBroken,
  )
}

/** The bytes to which Windows-1252 assigns no character. */
const unassignedBytes = /[\x81\x8d\x8f\x90\x9d]/

function detectUtf16(sample: Buffer): Encoding | undefined {
  if (sample.length < 4) return undefined
  const zeros = [0, 0]
  sample.forEach((byte, at) => {
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  })
  const [even = 0, odd = 0] = zeros
  const many = sample.length / 5
  if (odd > many && even * 10 < odd) return 'utf-16le'
  return even > many && odd * 10 < even ? 'utf-16be' : undefined
}

/**
 * Detects the format of a file from its beginning.
 * @param whole whether `head` is the whole file
 * @throws InitError IMPORT_BODY_MISSING, IMPORT_NOT_TEXT, IMPORT_NOT_A_LIST, IMPORT_FILE_BROKEN,
 * IMPORT_ENCODING_INVALID
 */
export function detectDialect(
  head: Buffer,
  { format: declared, encoding, delimiter }: FileDeclaration,
  whole: boolean,
): Dialect {
  if (declared === 'xlsx') return { format: 'xlsx', encoding: 'utf-8', bom: false }
  assertNoForeignFormat(head)
  const isCsv = declared === 'csv'
  const written = isCsv ? detectEncoding(head, encoding, whole) : detectJsonEncoding(head, encoding)
  const text = new TextDecoder(written.encoding, { ignoreBOM: true }).decode(head.subarray(getMarkBytes(written)))
  if (whole && text.trim() === '') throw new InitError('IMPORT_BODY_MISSING', 'The file is empty.')
  if (!isCsv) return { format: detectJsonFormat(text, declared), ...written }
  return { format: 'csv', ...written, ...detectDelimiter(text, whole, delimiter) }
}

/**
 * Asserts that JSON is in its only encoding, UTF-8.
 * @throws InitError IMPORT_ENCODING_INVALID
 * Source: RFC 8259, section 8.1.
 */
function detectJsonEncoding(head: Buffer, label: string | undefined): DetectedEncoding {
  const [mark] = byteOrderMarks.find(([, bytes]) => head.subarray(0, bytes.length).equals(bytes)) ?? []
  const declared = label === undefined ? 'utf-8' : parseEncoding(label)
  const other = [mark, declared, detectUtf16(head.subarray(0, 4_096))].find(
    (one) => one !== undefined && one !== 'utf-8',
  )
  if (other === undefined) return { encoding: 'utf-8', bom: mark !== undefined }
  throw createEncodingError(`The file is ${other}; JSON is UTF-8.`)
}

/** Detects the format of a text whose sender named none: JSON begins with a bracket, and all else is CSV. */
export function detectTextFormat(text: string): Exclude<Format, 'xlsx'> {
  const sign = firstCharacter.exec(text)?.[0]
  return sign === '[' ? 'json' : sign === '{' ? 'ndjson' : 'csv'
}

/** The media type of a workbook. Source: ECMA-376, part 1. */
export const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** The first bytes of files that are sent as CSV by mistake. Source: the formats' own specifications. */
const foreignFormats: readonly [string, Buffer, string][] = [
  [
    'an Excel workbook or another ZIP archive',
    Buffer.from('PK\x03\x04', 'latin1'),
    `A workbook is sent as ${workbookType}.`,
  ],
  [
    'an Excel workbook of the old kind, or one with a password',
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    'Save it as CSV, and send that.',
  ],
  ['a PDF document', Buffer.from('%PDF-', 'latin1'), 'Export its data as CSV, and send that.'],
  ['compressed by gzip', Buffer.from([0x1f, 0x8b]), 'Unpack it, or send it with Content-Encoding: gzip.'],
]

/** @throws InitError IMPORT_NOT_TEXT if the file begins like another kind of file */
export function assertNoForeignFormat(head: Buffer): void {
  const [what, , advice] = foreignFormats.find(([, bytes]) => head.subarray(0, bytes.length).equals(bytes)) ?? []
  if (what !== undefined) throw new InitError('IMPORT_NOT_TEXT', `The file is ${what}. ${advice}`)
}

const firstCharacter = /[^\s]/u

/** Detects whether JSON is one list or a value per line; the latter is accepted even if a list was declared. */
function detectJsonFormat(text: string, declared: Format): Format {
  const sign = firstCharacter.exec(text)?.[0]
  if (sign === '[') return 'json'
  if (declared === 'ndjson') return 'ndjson'
  if (sign !== '{') {
    const found = sign === undefined ? 'has nothing but blanks' : `begins with “${sign}”`
    throw new InitError('IMPORT_FILE_BROKEN', `The file ${found}, where a list of JSON begins with “[”.`, { line: 0 })
  }
  const [first = '', ...more] = text.trim().split('\n', 20)
  if (isJson(first) && more.some((line) => line.trim().startsWith('{'))) return 'ndjson'
  throw new InitError(
    'IMPORT_NOT_A_LIST',
    'The file is one JSON object. Send a list, “[…]”, also of a single passport; or an object a line, as application/x-ndjson.',
  )
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
/** The maximum length of the text in which the delimiter is searched for, unless the header alone is longer. */
const maxSampleLength = 64 * 1024

/**
 * Detects the delimiter of CSV. A declared delimiter decides, or else a first line such as `sep=;`, which spreadsheets
 * write. Otherwise it is the delimiter that gives most of the first records as many cells as the header; among equals,
 * the one with the most columns. A file of a single column gets the comma.
 */
function detectDelimiter(
  text: string,
  whole: boolean,
  declared: string | undefined,
): Pick<Dialect, 'delimiter' | 'columns'> {
  const hint = /^sep=([,;\t|])\r?\n/i.exec(text)
  const body = hint ? text.slice(hint[0].length) : text
  const sample = /[\r\n]/.test(body.slice(0, maxSampleLength).trimStart()) ? body.slice(0, maxSampleLength) : body
  const known = declared ?? hint?.[1]
  const candidates = (known === undefined ? delimiters : [known]).map((delimiter) => {
    const records = readFirstRecords(sample, delimiter, whole && sample.length === body.length).filter((cells) =>
      cells.some((cell) => cell.trim() !== ''),
    )
    const columns = records[0]?.length ?? 0
    const alike = records.filter((cells) => cells.length === columns).length / Math.max(1, records.length)
    return { delimiter, columns, score: columns > 1 ? alike : 0 }
  })
  const [best] = candidates.sort((a, b) => b.score - a.score || b.columns - a.columns)
  const { delimiter = ',', columns = 0 } = best ?? {}
  return { delimiter, ...(columns > 0 && { columns }) }
}
