/** A JSON Schema 2020-12 with keywords as the document states them. */
export type Schema = { readonly [keyword: string]: unknown }

/** A schema and where the document holds it, as a JSON pointer fragment (`#/components/schemas/Passport`). */
export interface Located {
  readonly schema: Schema
  readonly pointer: string
}

/** An OpenAPI 3.1 document as it was parsed; only what the bridge reads is named. */
export interface ApiDocument {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Schema>>
  readonly [member: string]: unknown
}

/** The document breaks what the bridge relies on. The message names the place. */
export class DocumentError extends Error {
  override name = 'DocumentError'
}

/** Puts the place before the message of what goes wrong inside. */
export function within<T>(place: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof DocumentError) throw new DocumentError(`${place}: ${cause.message}`)
    throw cause
  }
}

export const isRecord = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Judges the outermost shape. Throws DocumentError. */
export function asDocument(value: unknown): ApiDocument {
  if (!isRecord(value)) throw new DocumentError('it is not a JSON object')
  if (typeof value['openapi'] !== 'string' || !value['openapi'].startsWith('3.1.')) {
    throw new DocumentError('it is not an OpenAPI 3.1 document')
  }
  if (!isRecord(value['paths'])) throw new DocumentError('it has no paths')
  for (const [path, item] of Object.entries(value['paths'])) {
    if (!path.startsWith('/') || !isRecord(item)) throw new DocumentError(`paths.${path} is not a path item`)
  }
  return value as ApiDocument
}

/** The value a local reference names. Throws DocumentError for any other address, so nothing is ever fetched. */
export function resolvePointer(document: ApiDocument, ref: string): unknown {
  if (ref === '#') return document
  if (!ref.startsWith('#/')) throw new DocumentError(`the $ref ${JSON.stringify(ref)} leaves the document`)
  let value: unknown = document
  for (const step of ref.slice(2).split('/')) {
    const key = unescapeStep(step)
    const holder = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
    if (!Object.hasOwn(holder, key)) throw new DocumentError(`the $ref ${JSON.stringify(ref)} names nothing`)
    value = holder[key]
  }
  return value
}

/** The object behind a chain of references, with the pointer of its last step. */
export function follow(document: ApiDocument, value: unknown, pointer: string): Located {
  let at: Located = { schema: asObject(value, pointer), pointer }
  for (let steps = 0; typeof at.schema['$ref'] === 'string'; steps++) {
    if (steps > 32) throw new DocumentError(`${pointer} refers to itself`)
    const ref: string = at.schema['$ref']
    at = { schema: asObject(resolvePointer(document, ref), ref), pointer: ref }
  }
  return at
}

function asObject(value: unknown, pointer: string): Schema {
  if (!isRecord(value)) throw new DocumentError(`${pointer} is not an object`)
  return value
}

/** Some steps further into the document. Pointers are kept as URI fragments. Source: RFC 6901, section 6. */
export const stepInto = (pointer: string, ...keys: (string | number)[]) =>
  [pointer, ...keys.map((key) => encodeURIComponent(String(key).replaceAll('~', '~0').replaceAll('/', '~1')))].join('/')

/** The last step of a pointer, as a name. */
export const lastStep = (pointer: string) => unescapeStep(pointer.slice(pointer.lastIndexOf('/') + 1))

function unescapeStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    throw new DocumentError(`the pointer step ${JSON.stringify(step)} is not percent-encoded`)
  }
}
