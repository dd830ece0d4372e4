import { InitError, type Batch, type Checkpoint, type SourceRow } from './imports.types.ts'

/** A row, and the place after it: bytes of the text before that place, and the physical line there. */
export interface PlacedRow extends SourceRow { end: number; next: number }

/** Bytes that one record, line or item can have. */
export const recordBytes = 8 * 1024 * 1024

/** What a file that cannot be read on from some place is refused with. @param line of the file, or index of the item */
export const broken = (message: string, line: number) => new InitError('IMPORT_FILE_BROKEN', message, { line })

/** @param what a record on line 7, or the like */
export const tooLarge = (what: string, line: number) =>
  new InitError('IMPORT_RECORD_TOO_LARGE', `${what} is larger than 8 MiB.`, { line })

/** Bytes of rows after which a slice ends early, so that large rows are as few at a time as their size demands. */
const sliceBytes = 4 * 1024 * 1024

/** Rows in slices. Those before a place that cannot be read come first, then its error. @param rows read before */
export async function* inSlices(
  found: AsyncIterable<readonly PlacedRow[]>, size: number, rows: number,
): AsyncGenerator<Batch> {
  let slice: PlacedRow[] = []
  let count = rows
  const cut = (): Batch => {
    const { end, next } = slice.at(-1) as PlacedRow
    const after: Checkpoint = { rows: count, line: next, bytes: end }
    const batch = { rows: slice, after }
    slice = []
    return batch
  }
  let failure: InitError | undefined
  try {
    for await (const some of found) {
      for (const row of some) {
        count++
        const length = slice.push(row)
        if (length === size || row.end - (slice[0]?.end ?? 0) >= sliceBytes) yield cut()
      }
    }
  } catch (cause) {
    if (!(cause instanceof InitError)) throw cause
    failure = cause
  }
  if (slice.length > 0) yield cut()
  if (failure) throw failure
}

/**
 * The bytes of a text that no row was made of yet. Grows with the text and is cut off at the front, so that a row that
 * lies in several chunks is seen whole.
 */
export class Window {
  bytes: Buffer = Buffer.alloc(0)
  /** Bytes of the text before these. */
  base: number

  constructor(base: number) {
    this.base = base
  }

  add(chunk: Buffer): void {
    this.bytes = this.bytes.length === 0 ? chunk : Buffer.concat([this.bytes, chunk])
  }

  /** The text between two places that are counted from its beginning. */
  text(from: number, to: number): string {
    return this.bytes.toString('utf8', from - this.base, to - this.base)
  }

  /** The bytes of it. */
  part(from: number, to: number): Buffer {
    return this.bytes.subarray(from - this.base, to - this.base)
  }

  /** Forgets what lies before `end`, counted from the beginning of the text. */
  cut(end: number): void {
    this.bytes = this.bytes.subarray(end - this.base)
    this.base = end
  }
}
