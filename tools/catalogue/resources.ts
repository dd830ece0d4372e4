import { AddressError, parseAddress, formatQueryTemplate, type AddressMatch } from '../arguments/address.ts'
import { gatherSchemas } from '../arguments/gather-schemas.ts'
import { DocumentError, isRecord, resolvePointer, type ApiDocument } from '../openapi.ts'
import type { ExposedOperation } from './operations.ts'
import type { Routes } from './routes.ts'
import { createFullView } from './shorten.ts'

interface ResourceDescription {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
}
export type ResourceEntry = ResourceDescription & { readonly uri: string }
export type TemplateEntry = ResourceDescription & { readonly uriTemplate: string }

/** The readable resources and their addresses, which begin with the address of the API. */
export class ResourceIndex {
  readonly statics: readonly ResourceEntry[]
  readonly templates: readonly TemplateEntry[]
  readonly #document: ApiDocument
  readonly #apiUrl: string
  readonly #routes: Routes<string>
  readonly #byPath: ReadonlyMap<string, ExposedOperation>

  /**
   * @param apiUrl the address of the API, without a slash at its end
   * @param routes all GET paths of the document, so that an address never reaches an operation that is not exposed
   */
  constructor(document: ApiDocument, operations: readonly ExposedOperation[], apiUrl: string, routes: Routes<string>) {
    this.#document = document
    this.#apiUrl = apiUrl
    this.#routes = routes
    const readable = operations.filter(({ kind }) => kind === 'resource')
    this.#byPath = new Map(readable.map((operation) => [operation.path, operation]))
    this.statics = readable
      .filter(({ path }) => !path.includes('{'))
      .map((operation) => ({
        uri: apiUrl + operation.path,
        ...describeResource(operation, formatQueryTemplate(operation)),
      }))
    this.templates = readable
      .filter(({ path }) => path.includes('{'))
      .map((operation) => ({
        uriTemplate: apiUrl + operation.path + formatQueryTemplate(operation),
        ...describeResource(operation),
      }))
  }

  /** Finds what an address names. @throws AddressError */
  matchAddress(uri: string): AddressMatch {
    const schemas = this.getSchemaAddress('#')
    if (uri.startsWith(schemas))
      return { is: 'schema', text: formatSchema(this.#document, uri.slice(schemas.length - 1)) }
    if (!uri.startsWith(`${this.#apiUrl}/`)) throw new AddressError('The address is not one of this API.')
    return parseAddress(uri.slice(this.#apiUrl.length), this.#routes, this.#byPath)
  }

  /** Finds the resource that reads a path of the API; null if there is none. */
  findByPath(path: string): (ResourceDescription & { uri: string }) | null {
    try {
      const found = this.matchAddress(this.getAddress(path))
      return found.is === 'operation' ? { uri: this.getAddress(path), ...describeResource(found.operation) } : null
    } catch (cause) {
      if (cause instanceof AddressError) return null
      throw cause
    }
  }

  getAddress(path: string): string {
    return this.#apiUrl + path
  }

  getSchemaAddress(pointer: string): string {
    return `${this.#apiUrl}/openapi.json${pointer}`
  }

  /** Finds the nearest list above a path. */
  findListAbove(path: string): string | null {
    const steps = (path.split('?')[0] ?? '').split('/')
    while (steps.length > 2) {
      steps.pop()
      const found = this.#routes.find(steps.slice(1))
      if (found && found.captured.length === 0 && this.#byPath.has(found.value)) return this.getAddress(found.value)
    }
    return null
  }
}

/** @param query the optional query parameters, if the entry does not show them otherwise */
function describeResource(operation: ExposedOperation, query = ''): ResourceDescription {
  const types = operation.successes.flatMap(({ content }) => content.map(({ mediaType }) => mediaType))
  return {
    name: operation.name,
    title: operation.title,
    description: query === '' ? operation.description : `${operation.description} Optional in the address: ${query}`,
    mimeType: types[0] ?? 'application/json',
  }
}

/** Formats the schema at a pointer with all that it refers to, under `$defs`. @throws AddressError */
function formatSchema(document: ApiDocument, pointer: string): string {
  try {
    const schema = resolvePointer(document, pointer)
    if (!isRecord(schema)) throw new AddressError('There is no such schema.')
    const { schemas, definitions } = gatherSchemas([{ schema, pointer }], createFullView(document))
    return JSON.stringify(Object.keys(definitions).length === 0 ? schemas[0] : { ...schemas[0], $defs: definitions })
  } catch (cause) {
    if (cause instanceof DocumentError) throw new AddressError('There is no such schema.')
    throw cause
  }
}
