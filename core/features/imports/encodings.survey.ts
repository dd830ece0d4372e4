import { isAscii, isUtf8 } from 'node:buffer'

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** How the lines of a file are written that have more than ASCII. Empty lines do not count. */
export interface Survey {
  lines: number
  /** Those with bytes that are no UTF-8. */
  broken: number
  /** Those that have more than ASCII, all of it in UTF-8. */
  foreign: number
  /** The physical line, from 1, of the first broken one; 0 while there is none. */
  firstBroken: number
}

/** Looks at a file piece by piece. A line may lie in several pieces, a character in two. */
export class LineSurvey {
  readonly result: Survey = { lines: 0, broken: 0, foreign: 0, firstBroken: 0 }
  #carried: Buffer = Buffer.alloc(0)
  #physical = 1
  #end: number | undefined
  /** Of the line that goes on in the next piece. */
  #line = { empty: true, broken: false, foreign: false }

  /** @param last whether the file ends with this piece */
  see(piece: Buffer, last: boolean): void {
    const bytes = this.#carried.length > 0 ? Buffer.concat([this.#carried, piece]) : piece
    const end = last ? bytes.length : bytes.length - cutCharacter(bytes)
    this.#carried = Buffer.from(bytes.subarray(end))
    this.#look(bytes.subarray(0, end))
    if (last) this.#close()
  }

  #look(bytes: Buffer): void {
    // Old machines end lines by a carriage return alone.
    this.#end ??= bytes.includes(lineFeed) || !bytes.includes(carriageReturn) ? lineFeed : carriageReturn
    const plain = isAscii(bytes) ? 'ascii' : isUtf8(bytes) ? 'utf8' : 'unknown'
    let start = 0
    for (let at = bytes.indexOf(this.#end); at !== -1; at = bytes.indexOf(this.#end, start)) {
      this.#add(bytes, start, at, plain)
      this.#close()
      this.#physical++
      start = at + 1
    }
    this.#add(bytes, start, bytes.length, plain)
  }

  #add(bytes: Buffer, start: number, end: number, plain: 'ascii' | 'utf8' | 'unknown'): void {
    if (start === end || (end - start === 1 && bytes[start] === carriageReturn)) return
    this.#line.empty = false
    if (plain === 'ascii') return
    const line = bytes.subarray(start, end)
    if (isAscii(line)) return
    if (plain === 'utf8' || isUtf8(line)) this.#line.foreign = true
    else this.#line.broken = true
  }

  #close(): void {
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

/** Looks at the beginning of a file. @param whole whether it is all of it; else its last line is not looked at */
export function surveyOf(head: Buffer, whole: boolean): Survey {
  const survey = new LineSurvey()
  survey.see(head, whole)
  return survey.result
}

/** Whether so many lines are broken that the file as a whole is not written so. One alone is a line to be mended. */
export const isMostlyBroken = ({ broken, lines }: Survey) => broken > 1 && broken * 100 > lines

/** Bytes at the end that are the beginning of a character. Source: RFC 3629, section 3. */
function cutCharacter(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
  }
  return 0
}

/** Bytes of a character by its first byte; 0 for what begins none. */
const lengthOf = (byte: number) =>
  (byte < 0x80 ? 1 : byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 0)

const maxShown = 16

/** The first bytes that are no UTF-8, in hex, as `e9 74`; undefined where all are. */
export function invalidBytes(bytes: Buffer): string | undefined {
  if (isUtf8(bytes)) return undefined
  for (let at = 0; at < bytes.length;) {
    const length = lengthOf(bytes[at] as number)
    if (length > 0 && isUtf8(bytes.subarray(at, at + length))) {
      at += length
      continue
    }
    let end = at + 1
    while (end < bytes.length && end - at < maxShown && (bytes[end] as number) >= 0x80) end++
    return bytes.toString('hex', at, end).replace(/..(?=.)/g, '$& ')
  }
  return undefined
}
