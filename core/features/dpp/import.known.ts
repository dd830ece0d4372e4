import type { Found } from './import.find.ts'

/** Characters of products that are kept. */
const most = 2_000_000

/**
 * Parents that earlier slices of a transaction have found, by key: most slices of a catalogue name the same models.
 * What was not there is looked for again.
 */
export class KnownParents {
  readonly #found = new Map<string, Found>()
  #characters = 0

  get(key: string): Found | undefined {
    return this.#found.get(key)
  }

  keep(found: ReadonlyMap<string, Found>): void {
    for (const [key, one] of found) {
      if (one.product === null || this.#found.has(key) || this.#characters + one.product.length > most) continue
      this.#found.set(key, one)
      this.#characters += one.product.length
    }
  }

  /** After passports were changed, or what is known has shown itself to be old. */
  forget(): void {
    this.#found.clear()
    this.#characters = 0
  }
}
