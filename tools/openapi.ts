import { isRawNumber } from './json.ts'

/** A JSON Schema 2020-12, with the keywords as the document states them. */
export type Schema = { readonly [keyword: string]: unknown }

/** A schema and its place in the document, as a JSON pointer fragment (`#/components/schemas/Passport`). */
export interface LocatedSchema {
  readonly schema: Schema
  readonly pointer: string
}

/** A parsed OpenAPI 3.1 document. Only the members that the bridge reads are named. */
export interface ApiDocument {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Schema>>
  readonly [member: string]: unknown
}

/** The document breaks an assumption of the bridge. The message names the place. */
export class DocumentError extends Error {
  override name = 'DocumentError'
}

/** Runs `work` and puts the place before the message of its document errors. @throws DocumentError */
export function withPlace<T>(place: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof DocumentError) throw new DocumentError(`${place}: ${cause.message}`)
    throw cause
  }
}

export const isRecord = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)

/** Checks the outermost shape of a document. @throws DocumentError */
export function toApiDocument(value: unknown): ApiDocument {
  if (!isRecord(value)) throw new DocumentError('it is not a JSON object')
  if (typeof value['openapi'] !== 'string' || !value['openapi'].startsWith('3.1.')) {
    throw new DocumentError('it is not an OpenAPI document of version 3.0 or 3.1')
  }
  if (!isRecord(value['paths'])) throw new DocumentError('it has no paths')
  for (const [path, item] of Object.entries(value['paths'])) {
    if (!path.startsWith('/') || !isRecord(item)) throw new DocumentError(`paths.${path} is not a path item`)
  }
  return value as ApiDocument
}

/**
 * Returns the value of a local reference.
 * @throws DocumentError for other addresses, so that nothing is ever fetched
 */
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

/** Follows a chain of references and returns the last object with its pointer. @throws DocumentError */
export function resolveReference(document: ApiDocument, value: unknown, pointer: string): LocatedSchema {
  let at: LocatedSchema = { schema: toSchema(value, pointer), pointer }
  for (let steps = 0; typeof at.schema['$ref'] === 'string'; steps++) {
    if (steps > 32) throw new DocumentError(`${pointer} refers to itself`)
    const ref: string = at.schema['$ref']
    at = { schema: toSchema(resolvePointer(document, ref), ref), pointer: ref }
  }
  return at
}

function toSchema(value: unknown, pointer: string): Schema {
  if (!isRecord(value)) throw new DocumentError(`${pointer} is not an object`)
  return value
}

/** Appends steps to a pointer. Pointers are kept as URI fragments. Source: RFC 6901, section 6. */
export const joinPointer = (pointer: string, ...keys: (string | number)[]) =>
  [pointer, ...keys.map((key) => encodeURIComponent(String(key).replaceAll('~', '~0').replaceAll('/', '~1')))].join('/')

/** Returns the last step of a pointer as a name. */
export const getLastStep = (pointer: string) => unescapeStep(pointer.slice(pointer.lastIndexOf('/') + 1))

function unescapeStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    throw new DocumentError(`the pointer step ${JSON.stringify(step)} is not percent-encoded`)
  }
}
