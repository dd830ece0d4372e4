import type { TSchema } from '../../kernel/schema.ts'
import type { Examples } from './examples/examples.ts'

type JsonSchema = Record<string, unknown>

/** The parts of the document that are written once and that operations refer to. */
export interface DocumentComponents {
  schemas: SharedSchemas
  examples: Examples
}

/** The schemas with a title, collected so that a repeated schema is written once. */
export class SharedSchemas {
  readonly #lifted = new Map<string, JsonSchema>()

  /** Replaces the titled parts of a schema by references. @throws Error if two different schemas share a title */
  share(schema: TSchema): unknown {
    return this.#replaceTitledSchemas(JSON.parse(JSON.stringify(schema)) as JsonSchema)
  }

  listSchemas(): JsonSchema {
    return Object.fromEntries([...this.#lifted].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #replaceTitledSchemas(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#replaceTitledSchemas(item))
    if (typeof value !== 'object' || value === null) return value
    const { title } = value as { title?: unknown }
    const walked = Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, this.#replaceTitledSchemas(member)]),
    )
    if (typeof title !== 'string' || !('type' in value || 'anyOf' in value)) return walked
    const known = this.#lifted.get(title)
    if (known && JSON.stringify(known) !== JSON.stringify(walked))
      throw new Error(`Two schemas share the title ${title}`)
    this.#lifted.set(title, walked)
    return { $ref: `#/components/schemas/${title}` }
  }
}
