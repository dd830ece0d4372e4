import { firstRecords } from './formats.csv.ts'
import { markBytes } from './formats.text.ts'
import { InitError, type Dialect } from './imports.types.ts'

export type Format = Dialect['format']
type Written = Pick<Dialect, 'encoding' | 'bom'>

const marks: readonly [Dialect['encoding'], Buffer][] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
]

/**
 * How the first bytes of a file are written, as far as they tell: UTF-8 may prove to be Windows-1252 further on. Text
 * in UTF-16 is known by its mark, or by the zero bytes of its Latin letters. Source: Unicode, section 23.8.
 */
export function encodingOf(head: Buffer): Written {
  const mark = marks.find(([, bytes]) => head.subarray(0, bytes.length).equals(bytes))
  if (mark) return { encoding: mark[0], bom: true }
  const sample = head.subarray(0, 4_096)
  const zeros = [0, 0]
  sample.forEach((byte, at) => { if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1 })
  const [even = 0, odd = 0] = zeros
  const many = sample.length / 5
  if (sample.length >= 4 && odd > many && even * 10 < odd) return { encoding: 'utf-16le', bom: false }
  if (sample.length >= 4 && even > many && odd * 10 < even) return { encoding: 'utf-16be', bom: false }
  return { encoding: 'utf-8', bom: false }
}

/**
 * What a file is, by its beginning. @param declared what it was sent as @param whole whether the head is all of it
 * @throws InitError IMPORT_BODY_MISSING, IMPORT_NOT_TEXT, IMPORT_NOT_A_LIST, IMPORT_FILE_BROKEN
 */
export function dialectOf(head: Buffer, declared: Format, whole: boolean): Dialect {
  refuseBinary(head)
  const written = encodingOf(head)
  const text = new TextDecoder(written.encoding, { ignoreBOM: true }).decode(head.subarray(markBytes(written)))
  if (whole && text.trim() === '') throw new InitError('IMPORT_BODY_MISSING', 'The file is empty.')
  if (declared !== 'csv') return { format: jsonFormat(text, declared), ...written }
  return { format: 'csv', ...written, ...divided(text, whole) }
}

/** Beginnings of files that are sent as CSV by mistake. Source: the formats' own specifications. */
const foreign: readonly [string, Buffer, string][] = [
  ['an Excel workbook or another ZIP archive', Buffer.from('PK\x03\x04', 'latin1'), 'Save it as CSV, and send that.'],
  ['an Excel workbook of the old kind', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'Save it as CSV, and send that.'],
  ['a PDF document', Buffer.from('%PDF-', 'latin1'), 'Export its data as CSV, and send that.'],
  ['compressed by gzip', Buffer.from([0x1f, 0x8b]), 'Unpack it, or send it with Content-Encoding: gzip.'],
]

function refuseBinary(head: Buffer): void {
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
 * a single column is divided by commas. A line `sep=;` that a spreadsheet wrote decides.
 */
function divided(text: string, whole: boolean): Pick<Dialect, 'delimiter' | 'columns'> {
  const hint = /^sep=([,;\t])\r?\n/i.exec(text)
  const body = hint ? text.slice(hint[0].length) : text
  const sample = /[\r\n]/.test(body.slice(0, sampled).trimStart()) ? body.slice(0, sampled) : body
  const tried = (hint ? [hint[1] as ',' | ';' | '\t'] : delimiters).map((delimiter) => {
    const records = firstRecords(sample, delimiter, whole && sample.length === body.length).filter((cells) => cells.some((cell) => cell.trim() !== ''))
    const columns = records[0]?.length ?? 0
    const alike = records.filter((cells) => cells.length === columns).length / Math.max(1, records.length)
    return { delimiter, columns, score: columns > 1 ? alike : 0 }
  })
  const [best] = tried.sort((a, b) => b.score - a.score || b.columns - a.columns)
  const { delimiter = ',', columns = 0 } = best ?? {}
  return { delimiter, ...(columns > 0 && { columns }) }
}
