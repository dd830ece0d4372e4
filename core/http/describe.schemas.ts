import type { TSchema } from '../kernel/schema.ts'
import type { Examples } from './examples/examples.ts'

type Plain = Record<string, unknown>

/** What the document has once, and operations refer to. */
export interface Parts { shared: Shared; examples: Examples }

/** Lifts every titled schema into one place, so that what recurs is written once. */
export class Shared {
  readonly #lifted = new Map<string, Plain>()

  /** The schema with its titled parts replaced by references. @throws Error when two contents share a title */
  lift(schema: TSchema): unknown {
    return this.#walk(JSON.parse(JSON.stringify(schema)) as Plain)
  }

  schemas(): Plain {
    return Object.fromEntries([...this.#lifted].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #walk(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#walk(item))
    if (typeof value !== 'object' || value === null) return value
    const { title } = value as { title?: unknown }
    const walked = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.#walk(member)]))
    if (typeof title !== 'string' || !('type' in value || 'anyOf' in value)) return walked
    const known = this.#lifted.get(title)
    if (known && JSON.stringify(known) !== JSON.stringify(walked))
      throw new Error(`Two schemas share the title ${title}`)
    this.#lifted.set(title, walked)
    return { $ref: `#/components/schemas/${title}` }
  }
}
