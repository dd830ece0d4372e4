import { Model as ObjectionModel, snakeCaseMappers, type Pojo } from 'objection'
import { v7 } from 'uuid'

/** A new identifier that sorts by creation. Source: RFC 9562, version 7. */
export function newId(): string {
  return v7()
}

/**
 * Base of every model: columns in snake case, instants as RFC 3339 text with milliseconds.
 * Subclasses `declare` their columns: an initialized field would be written into every patch.
 */
export class Model extends ObjectionModel {
  declare id: string
  declare createdAt: string
  declare updatedAt: string

  static override columnNameMappers = snakeCaseMappers()
  static override useLimitInFirst = true

  override $parseDatabaseJson(json: Pojo): Pojo {
    const parsed = super.$parseDatabaseJson(json)
    for (const [name, value] of Object.entries(parsed)) {
      if (value instanceof Date) parsed[name] = value.toISOString()
    }
    return parsed
  }
}
