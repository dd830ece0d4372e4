import { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox'

export { Type }
export type { Static, TObject, TProperties, TSchema }

interface Described { description: string; title?: string; examples?: unknown[]; default?: unknown }

/** An object that refuses unknown members, so that a typing error is never silently lost. `title` makes it shared. */
export function object<P extends TProperties>(properties: P, options: Partial<Described> & Record<string, unknown> = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options })
}

/** RFC 9562 identifier. */
export const uuid = (description: string, options: Partial<Described> = {}) =>
  Type.String({ format: 'uuid', description, ...options })

/** RFC 3339 instant in UTC with milliseconds. */
export const instant = (description: string) => Type.String({ format: 'date-time', description })

/** Text of one member. */
export const string = (description: string, options: Record<string, unknown> = {}) => Type.String({ description, ...options })

/** A name for people, which pages use as a heading or a label: one line without characters that hide or turn text. */
export const nameText = (description: string, options: Record<string, unknown> = {}) =>
  string(description, { minLength: 1, maxLength: 200, format: 'name', ...options })

export const integer = (description: string, options: Record<string, unknown> = {}) => Type.Integer({ description, ...options })

export const boolean = (description: string, options: Record<string, unknown> = {}) => Type.Boolean({ description, ...options })

/** One of the listed words. */
export function oneOf<const V extends readonly string[]>(values: V, description: string, options: Record<string, unknown> = {}) {
  return Type.Unsafe<V[number]>({ type: 'string', enum: [...values], description, ...options })
}

/** The schema or null; null means absent. */
export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()])
}

/** Any member without `required`. */
export const optional = Type.Optional

export const list = <S extends TSchema>(items: S, description: string, options: Record<string, unknown> = {}) =>
  Type.Array(items, { description, ...options })

/** A free-form object: the caller's own keys. */
export const record = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description })
