import { createBrokenWorkbookError, createLargeWorkbookError } from './errors.ts'

/**
 * The maximum length of one text, far above the 32,767 characters of a cell, and the maximum bytes and number of all
 * texts of a workbook.
 */
const textLimits = { text: 1024 * 1024, bytes: 64 * 1024 * 1024, count: 4 * 1024 * 1024 }

/** @throws InitError IMPORT_TOO_LARGE if the text becomes longer than any cell's can be */
export function appendText(text: string | null, more: string): string {
  if ((text?.length ?? 0) + more.length > textLimits.text)
    throw createLargeWorkbookError(`The workbook has a text of more than ${textLimits.text} characters.`)
  return (text ?? '') + more
}

/**
 * The texts that cells refer to by number. They lie end to end in one buffer: strings would keep the whole document
 * that they were cut out of in memory, and millions of empty strings take more memory than their content.
 */
export class SharedStrings {
  #bytes = Buffer.alloc(64 * 1024)
  #endOffsets = new Uint32Array(1_024)
  #count = 0

  /** @throws InitError IMPORT_TOO_LARGE; IMPORT_WORKBOOK_BROKEN for half of a surrogate pair, which is lost in UTF-8 */
  add(text: string): void {
    if (!text.isWellFormed()) throw createBrokenWorkbookError('The workbook has a text with half a character.')
    const start = this.#getEndOffset(this.#count - 1)
    const end = start + Buffer.byteLength(text)
    if (end > textLimits.bytes || this.#count === textLimits.count) {
      throw createLargeWorkbookError(
        `The texts of the workbook are more than ${textLimits.count.toLocaleString('en')}, or have more than ${textLimits.bytes} bytes.`,
      )
    }
    if (end > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], Math.max(end, 2 * this.#bytes.length))
    if (this.#count === this.#endOffsets.length) {
      const longer = new Uint32Array(2 * this.#count)
      longer.set(this.#endOffsets)
      this.#endOffsets = longer
    }
    this.#bytes.write(text, start)
    this.#endOffsets[this.#count++] = end
  }

  /** Returns the number of bytes of a text; undefined if no text has that number. */
  sizeOf(at: number): number | undefined {
    return Number.isInteger(at) && at >= 0 && at < this.#count
      ? this.#getEndOffset(at) - this.#getEndOffset(at - 1)
      : undefined
  }

  get(at: number): string {
    if (this.sizeOf(at) === undefined) throw createBrokenWorkbookError('A cell refers to a text that is not there.')
    return this.#bytes.toString('utf8', this.#getEndOffset(at - 1), this.#getEndOffset(at))
  }

  #getEndOffset(at: number): number {
    return at < 0 ? 0 : (this.#endOffsets[at] ?? 0)
  }
}
