import { InitError } from './imports.types.ts'

/** The encodings in which a file can be read. Source: WHATWG Encoding, section 4.2. */
export const encodings = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-1258',
  'windows-874',
  'iso-8859-2',
  'iso-8859-3',
  'iso-8859-4',
  'iso-8859-5',
  'iso-8859-6',
  'iso-8859-7',
  'iso-8859-8',
  'iso-8859-8-i',
  'iso-8859-10',
  'iso-8859-13',
  'iso-8859-14',
  'iso-8859-15',
  'iso-8859-16',
  'koi8-r',
  'koi8-u',
  'macintosh',
  'x-mac-cyrillic',
  'ibm866',
  'gbk',
  'gb18030',
  'big5',
  'euc-jp',
  'iso-2022-jp',
  'shift_jis',
  'euc-kr',
] as const
export type Encoding = (typeof encodings)[number]

/** Returns the encoding that a label means; `latin1` means windows-1252. @throws InitError IMPORT_ENCODING_INVALID */
export function parseEncoding(label: string): Encoding {
  const name = findEncodingName(label)
  const found = encodings.find((one) => one === name)
  if (found) return found
  throw createEncodingError(
    `“${label.slice(0, 40)}” names no encoding that files are read in: utf-8, utf-16le, windows-1252, iso-8859-15, `
      + 'shift_jis or another label of the WHATWG Encoding standard.',
  )
}

function findEncodingName(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}

/** Creates the error for a file whose bytes are not text in its encoding. @param line a line with such bytes */
export const createEncodingError = (message: string, line?: number) =>
  new InitError('IMPORT_ENCODING_INVALID', message, line === undefined ? {} : { line })

/**
 * Returns whether both encodings are UTF-16, in either byte order: `utf-16` leaves the byte order to the file's mark.
 */
export const areBothUtf16 = (one: Encoding, other: Encoding) => one.startsWith('utf-16') && other.startsWith('utf-16')
