import { faultOf } from './formats.items.ts'
import type { Dialect, RowError } from './imports.types.ts'

/** Why a row is not taken whose bytes are no UTF-8. @param hex the first of them */
export const spoiledRecord = (hex: string): RowError =>
  faultOf('invalid_encoding', 'The row has bytes that are not UTF-8; the value is the first of them, in hex.', hex)

/**
 * Why a cell is not taken that was decoded from another encoding: it has no character for some of its bytes; or nobody
 * said that the file is Windows-1252, and the cell has bytes which that gives no character, or which are a letter in UTF-8.
 */
export function spoiledCell(cell: string, { encoding, guessed }: Pick<Dialect, 'encoding' | 'guessed'>): RowError | undefined {
  if (encoding === 'utf-8') return undefined
  if (cell.includes('\ufffd')) {
    return faultOf('invalid_encoding', `A cell has bytes that are no ${encoding}; they are shown as \ufffd.`, cell)
  }
  if (!guessed || !doubtful.test(cell)) return undefined
  return faultOf('invalid_encoding', 'The file looks like Windows-1252, but a cell of this row does not. Name the encoding of the file, as '
    + '?encoding=windows-1252, to take it as it is.', cell)
}

/** Bytes 0x80 to 0xbf in Windows-1252: those that go on with a character of UTF-8. */
const following = '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f\u0090\u2018\u2019'
  + '\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178\u00a0-\u00bf'
const doubtful = new RegExp(`[\u0081\u008d\u008f\u0090\u009d]|[\u00c2\u00c3][${following}]|\u00e2[${following}]{2}`)
