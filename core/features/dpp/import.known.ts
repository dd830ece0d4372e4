import type { Knex } from 'knex'
import type { Found } from './import.find.ts'

/** Characters of products that are kept. */
const most = 2_000_000

/**
 * Parents that earlier slices have found, by key: most slices of a catalogue name the same models. What was not there
 * is looked for again.
 */
export class KnownParents {
  readonly #found = new Map<string, Found>()
  #characters = 0

  get(key: string): Found | undefined {
    return this.#found.get(key)
  }

  keep(found: ReadonlyMap<string, Found>): void {
    for (const [key, one] of found) {
      if (one.product === null || one.version === undefined || this.#found.has(key) || this.#characters + one.product.length > most) continue
      this.#found.set(key, one)
      this.#characters += one.product.length
    }
  }

  /** At the beginning of a transaction: forgets those that are gone or were changed since they were found. */
  async refresh(trx: Knex): Promise<void> {
    if (this.#found.size === 0) return
    const found = [...this.#found.values()]
    const { rows } = await trx.raw<{ rows: unknown[] }>(
      `select from unnest(?::uuid[], ?::text[]) as known (id, version)
       where not exists (select from passports where id = known.id and xmin::text = known.version) limit 1`,
      [found.map(({ id }) => id), found.map(({ version }) => version ?? '')])
    if (rows.length > 0) this.forget()
  }

  /** After passports were changed, or what is known has shown itself to be old. */
  forget(): void {
    this.#found.clear()
    this.#characters = 0
  }
}
