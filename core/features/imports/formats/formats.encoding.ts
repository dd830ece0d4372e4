import type { RowIssue } from '../../../kernel/ports/record-sink.ts'
import { createRowIssue } from './formats.items.ts'
import type { Dialect } from '../records/index.ts'

/** Creates the issue of a row with bytes that are not UTF-8. @param hex the first of these bytes */
export const createInvalidRecordIssue = (hex: string): RowIssue =>
  createRowIssue(
    'invalid_encoding',
    'The row has bytes that are not UTF-8; the value is the first of them, in hex.',
    hex,
  )

/**
 * Finds why a cell that was decoded from another encoding than UTF-8 is not accepted: the encoding has no character for
 * some of its bytes; or the encoding Windows-1252 was only guessed, and the cell has bytes that are no character of
 * Windows-1252 or that are a letter in UTF-8.
 */
export function findInvalidCellIssue(
  cell: string,
  { encoding, guessed }: Pick<Dialect, 'encoding' | 'guessed'>,
): RowIssue | undefined {
  if (encoding === 'utf-8') return undefined
  if (cell.includes('\ufffd')) {
    return createRowIssue(
      'invalid_encoding',
      `A cell has bytes that are no ${encoding}; they are shown as \ufffd.`,
      cell,
    )
  }
  if (!guessed || !mistakenUtf8Pattern.test(cell)) return undefined
  return createRowIssue(
    'invalid_encoding',
    'The file looks like Windows-1252, but a cell of this row does not. Name the encoding of the file, as '
      + '?encoding=windows-1252, to take it as it is.',
    cell,
  )
}

/** The characters of the bytes 0x80 to 0xbf in Windows-1252; in UTF-8 these bytes continue a character. */
const continuationCharacters =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f\u0090\u2018\u2019'
  + '\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178\u00a0-\u00bf'
const mistakenUtf8Pattern = new RegExp(
  `[\u0081\u008d\u008f\u0090\u009d]|[\u00c2\u00c3][${continuationCharacters}]|\u00e2[${continuationCharacters}]{2}`,
)
