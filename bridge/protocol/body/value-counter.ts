const quote = 0x22
const backslash = 0x5c

/**
 * Counts the values of a JSON text while its bytes arrive, so that a text whose parsing would hold up all other
 * requests is refused before it is parsed. A text that is not JSON may be counted wrongly.
 */
export class ValueCounter {
  /** The values, objects and lists so far, give or take one. */
  count = 1
  #isInText = false
  #isEscaped = false

  /** Counts the values of the next bytes. */
  add(bytes: Uint8Array): void {
    let { count } = this
    let isInText = this.#isInText
    let isEscaped = this.#isEscaped
    // An index is several times faster than an iterator here.
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index]
      if (isEscaped) isEscaped = false
      else if (byte === quote) isInText = !isInText
      else if (isInText) isEscaped = byte === backslash
      // A comma begins the next value, and a bracket what is in it.
      else if (byte === 0x2c || byte === 0x5b || byte === 0x7b) count++
    }
    this.count = count
    this.#isInText = isInText
    this.#isEscaped = isEscaped
  }
}
