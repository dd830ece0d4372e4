import { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox'

export { Type }
export type { Static, TObject, TProperties, TSchema }

interface SchemaDescription {
  description: string
  title?: string
  examples?: unknown[]
  default?: unknown
}

/**
 * Creates the schema of an object that rejects unknown members, so that a typing error is never silently lost. A
 * `title` makes it a shared component.
 */
export function object<P extends TProperties>(
  properties: P,
  options: Partial<SchemaDescription> & Record<string, unknown> = {},
) {
  return Type.Object(properties, { additionalProperties: false, ...options })
}

/** Creates the schema of a UUID. Source: RFC 9562. */
export const uuid = (description: string, options: Partial<SchemaDescription> = {}) =>
  Type.String({ format: 'uuid', description, ...options })

/**
 * Creates the schema of an instant. Answers have it in UTC with milliseconds. Bodies may have any offset, but no leap
 * second, which a date of JavaScript cannot hold. Source: RFC 3339.
 */
export const instant = (description: string) => Type.String({ format: 'date-time', description })

export const string = (description: string, options: Record<string, unknown> = {}) =>
  Type.String({ description, ...options })

/**
 * Creates the schema of a name for people, used by pages as a heading or label: one line without characters that hide
 * or reverse text.
 */
export const nameText = (description: string, options: Record<string, unknown> = {}) =>
  string(description, { minLength: 1, maxLength: 200, format: 'name', ...options })

/**
 * Creates the schema of a text that is a secret, such as a token. The bridge hands it to programs and leaves it out of
 * what a model reads.
 */
export const secret = (description: string, options: Record<string, unknown> = {}) =>
  string(description, { 'x-mcp-secret': true, ...options })

export const integer = (description: string, options: Record<string, unknown> = {}) =>
  Type.Integer({ description, ...options })

export const boolean = (description: string, options: Record<string, unknown> = {}) =>
  Type.Boolean({ description, ...options })

/** Creates the schema of a text that is one of the listed words. */
export function oneOf<const V extends readonly string[]>(
  values: V,
  description: string,
  options: Record<string, unknown> = {},
) {
  return Type.Unsafe<V[number]>({ type: 'string', enum: [...values], description, ...options })
}

/**
 * Creates the schema of a text that is one of the words that areas contribute. It keeps the list itself, which is filled
 * when the areas are composed.
 */
export const oneOfWords = <W extends string>(words: readonly W[], description: string) =>
  Type.Unsafe<W>({ type: 'string', enum: words, description })

/** Creates a union of the schema and null; null means absent. */
export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()])
}

/** Makes a member optional. */
export const optional = Type.Optional

export const list = <S extends TSchema>(items: S, description: string, options: Record<string, unknown> = {}) =>
  Type.Array(items, { description, ...options })

/** Creates the schema of a free-form object whose keys the caller chooses. */
export const record = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description })
