import { type Checkpoint, InitError, type RowBatch, type SourceRow } from '../records/index.ts'

/**
 * A row and the place after it: `end` counts the bytes of the text before that place, `next` is the physical line
 * there.
 */
export interface PlacedRow extends SourceRow {
  end: number
  next: number
}

/** The maximum size of a record, a line or an item, in bytes. */
export const maxRecordBytes = 8 * 1024 * 1024

/** Creates the error for a file that cannot be read past a place. @param line of the file, or index of the item */
export const createBrokenFileError = (message: string, line: number) =>
  new InitError('IMPORT_FILE_BROKEN', message, { line })

/** @param what a phrase such as `The record on line 7` */
export const createRecordSizeError = (what: string, line: number) =>
  new InitError('IMPORT_RECORD_TOO_LARGE', `${what} is larger than 8 MiB.`, { line })

/** The size of rows in bytes at which a batch ends early, so that fewer large rows are held at a time. */
const maxSliceBytes = 4 * 1024 * 1024

/**
 * Groups rows into batches. Rows before a place that cannot be read come first, then the error is thrown.
 * @param rows the number of rows read before
 */
export async function* groupIntoBatches(
  placedRows: AsyncIterable<readonly PlacedRow[]>,
  size: number,
  rows: number,
): AsyncGenerator<RowBatch> {
  let slice: PlacedRow[] = []
  let count = rows
  const takeBatch = (): RowBatch => {
    const { end, next } = slice.at(-1) as PlacedRow
    const after: Checkpoint = { rows: count, line: next, bytes: end }
    const batch = { rows: slice, after }
    slice = []
    return batch
  }
  let failure: InitError | undefined
  try {
    for await (const some of placedRows) {
      for (const row of some) {
        count++
        const length = slice.push(row)
        if (length === size || row.end - (slice[0]?.end ?? 0) >= maxSliceBytes) yield takeBatch()
      }
    }
  } catch (cause) {
    if (!(cause instanceof InitError)) throw cause
    failure = cause
  }
  if (slice.length > 0) yield takeBatch()
  if (failure) throw failure
}

/**
 * The bytes of a text that have not become rows yet. The window grows with the text and is cut off at its front, so
 * that a row that lies in several chunks is seen whole.
 */
export class TextWindow {
  bytes: Buffer = Buffer.alloc(0)
  /** The number of bytes of the text before the window. */
  base: number

  constructor(base: number) {
    this.base = base
  }

  add(chunk: Buffer): void {
    this.bytes = this.bytes.length === 0 ? chunk : Buffer.concat([this.bytes, chunk])
  }

  /** Returns the text between two places, counted from the beginning of the whole text. */
  getText(from: number, to: number): string {
    return this.bytes.toString('utf8', from - this.base, to - this.base)
  }

  /** Returns the bytes between two places, counted from the beginning of the whole text. */
  getBytes(from: number, to: number): Buffer {
    return this.bytes.subarray(from - this.base, to - this.base)
  }

  /** Drops the bytes before `end`, counted from the beginning of the whole text. */
  cut(end: number): void {
    this.bytes = this.bytes.subarray(end - this.base)
    this.base = end
  }
}
