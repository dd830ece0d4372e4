import { brokenBook, largeBook } from './faults.ts'

/** Characters of one text, far above the 32,767 that a cell can have, and bytes and number of all texts of a workbook. */
const max = { text: 1024 * 1024, bytes: 64 * 1024 * 1024, count: 4 * 1024 * 1024 }

/** @throws InitError IMPORT_TOO_LARGE for a text that no cell can have */
export function lengthened(text: string | null, more: string): string {
  if ((text?.length ?? 0) + more.length > max.text) throw largeBook(`The workbook has a text of more than ${max.text} characters.`)
  return (text ?? '') + more
}

/**
 * The texts that cells refer to by number. They lie end to end in one buffer: strings would keep the whole document alive
 * that they were cut out of, and millions of empty ones take more than all they say.
 */
export class SharedStrings {
  #bytes = Buffer.alloc(64 * 1024)
  #ends = new Uint32Array(1_024)
  #count = 0

  /** @throws InitError IMPORT_TOO_LARGE; IMPORT_WORKBOOK_BROKEN for half a character, which bytes would not give back */
  add(text: string): void {
    if (!text.isWellFormed()) throw brokenBook('The workbook has a text with half a character.')
    const start = this.#endOf(this.#count - 1)
    const end = start + Buffer.byteLength(text)
    if (end > max.bytes || this.#count === max.count) {
      throw largeBook(`The texts of the workbook are more than ${max.count.toLocaleString('en')}, or have more than ${max.bytes} bytes.`)
    }
    if (end > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], Math.max(end, 2 * this.#bytes.length))
    if (this.#count === this.#ends.length) {
      const longer = new Uint32Array(2 * this.#count)
      longer.set(this.#ends)
      this.#ends = longer
    }
    this.#bytes.write(text, start)
    this.#ends[this.#count++] = end
  }

  /** Bytes of a text; undefined for a number that no text has. */
  sizeOf(at: number): number | undefined {
    return Number.isInteger(at) && at >= 0 && at < this.#count ? this.#endOf(at) - this.#endOf(at - 1) : undefined
  }

  get(at: number): string {
    if (this.sizeOf(at) === undefined) throw brokenBook('A cell refers to a text that is not there.')
    return this.#bytes.toString('utf8', this.#endOf(at - 1), this.#endOf(at))
  }

  #endOf(at: number): number {
    return at < 0 ? 0 : this.#ends[at] ?? 0
  }
}
