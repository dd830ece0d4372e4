import { isAscii, isUtf8 } from 'node:buffer'

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** The numbers of lines of a file that are UTF-8 and that are not. Empty lines do not count. */
export interface EncodingSurvey {
  lines: number
  /** The lines with bytes that are not UTF-8. */
  broken: number
  /** The lines that have more than ASCII, all of it in UTF-8. */
  foreign: number
  /** The physical line, from 1, of the first broken line; 0 if no line is broken. */
  firstBroken: number
}

/** A survey of a file piece by piece. A line may span several pieces, a character two. */
export class LineSurvey {
  readonly result: EncodingSurvey = { lines: 0, broken: 0, foreign: 0, firstBroken: 0 }
  #carried: Buffer = Buffer.alloc(0)
  #physical = 1
  #end: number | undefined
  /** What is known of the line that continues in the next piece. */
  #line = { empty: true, broken: false, foreign: false }

  /** @param last whether the file ends with this piece */
  inspectPiece(piece: Buffer, last: boolean): void {
    const bytes = this.#carried.length > 0 ? Buffer.concat([this.#carried, piece]) : piece
    const end = last ? bytes.length : bytes.length - countCutBytes(bytes)
    this.#carried = Buffer.from(bytes.subarray(end))
    this.#inspectLines(bytes.subarray(0, end))
    if (last) this.#endLine()
  }

  #inspectLines(bytes: Buffer): void {
    // Old machines end lines with a carriage return alone.
    this.#end ??= bytes.includes(lineFeed) || !bytes.includes(carriageReturn) ? lineFeed : carriageReturn
    const plain = isAscii(bytes) ? 'ascii' : isUtf8(bytes) ? 'utf8' : 'unknown'
    let start = 0
    for (let at = bytes.indexOf(this.#end); at !== -1; at = bytes.indexOf(this.#end, start)) {
      this.#addToLine(bytes, start, at, plain)
      this.#endLine()
      this.#physical++
      start = at + 1
    }
    this.#addToLine(bytes, start, bytes.length, plain)
  }

  #addToLine(bytes: Buffer, start: number, end: number, plain: 'ascii' | 'utf8' | 'unknown'): void {
    if (start === end || (end - start === 1 && bytes[start] === carriageReturn)) return
    this.#line.empty = false
    if (plain === 'ascii') return
    const line = bytes.subarray(start, end)
    if (isAscii(line)) return
    if (plain === 'utf8' || isUtf8(line)) this.#line.foreign = true
    else this.#line.broken = true
  }

  #endLine(): void {
    const { empty, broken, foreign } = this.#line
    this.#line = { empty: true, broken: false, foreign: false }
    if (empty) return
    const { result } = this
    result.lines++
    if (broken) {
      result.broken++
      result.firstBroken ||= this.#physical
    } else if (foreign) result.foreign++
  }
}

/**
 * Surveys the beginning of a file.
 * @param whole whether `head` is the whole file; if not, its last line is not counted
 */
export function surveyLines(head: Buffer, whole: boolean): EncodingSurvey {
  const survey = new LineSurvey()
  survey.inspectPiece(head, whole)
  return survey.result
}

/**
 * Returns whether so many lines are broken that the whole file is not UTF-8: more than one line and more than 1 %. A
 * single broken line is a mistake in that line.
 */
export const isMostlyBroken = ({ broken, lines }: EncodingSurvey) => broken > 1 && broken * 100 > lines

/** Counts the bytes at the end that begin a character without completing it. Source: RFC 3629, section 3. */
function countCutBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
  }
  return 0
}

/** Returns the number of bytes of a character from its first byte; 0 if no character begins with that byte. */
const getCharacterLength = (byte: number) =>
  byte < 0x80 ? 1 : byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 0

const maxShownBytes = 16

/** Finds the first bytes that are not UTF-8 and returns them in hex, as `e9 e8`; undefined if all bytes are UTF-8. */
export function findInvalidBytes(bytes: Buffer): string | undefined {
  if (isUtf8(bytes)) return undefined
  for (let at = 0; at < bytes.length;) {
    const length = getCharacterLength(bytes[at] as number)
    if (length > 0 && isUtf8(bytes.subarray(at, at + length))) {
      at += length
      continue
    }
    let end = at + 1
    while (end < bytes.length && end - at < maxShownBytes && (bytes[end] as number) >= 0x80) end++
    return bytes.toString('hex', at, end).replace(/..(?=.)/g, '$& ')
  }
  return undefined
}
