import { AddressError, parseAddress, formatQueryTemplate, type AddressMatch } from '../arguments/address.ts'
import type { ApiDocument } from '../openapi.ts'
import { OwnDocuments, schemaUri } from '../own/documents.ts'
import type { ExposedOperation } from './operations.ts'
import type { Routes } from './routes.ts'

interface ResourceDescription {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
}
export type ResourceEntry = ResourceDescription & { readonly uri: string }
export type TemplateEntry = ResourceDescription & { readonly uriTemplate: string }

/**
 * The readable resources and their addresses: those of the bridge itself first, then the operations, whose addresses
 * begin with the address of the API.
 */
export class ResourceIndex {
  readonly statics: readonly ResourceEntry[]
  readonly templates: readonly TemplateEntry[]
  readonly #ownDocuments: OwnDocuments
  readonly #apiUrl: string
  readonly #routes: Routes<string>
  readonly #byPath: ReadonlyMap<string, ExposedOperation>

  /**
   * @param apiUrl the address of the API, without a slash at its end
   * @param routes all GET paths of the document, so that an address never reaches an operation that is not exposed
   */
  constructor(document: ApiDocument, operations: readonly ExposedOperation[], apiUrl: string, routes: Routes<string>) {
    this.#ownDocuments = new OwnDocuments(document, `${apiUrl}/openapi.json`)
    this.#apiUrl = apiUrl
    this.#routes = routes
    const readable = operations.filter(({ kind }) => kind === 'resource')
    this.#byPath = new Map(readable.map((operation) => [operation.path, operation]))
    const lists = readable
      .filter(({ path }) => !path.includes('{'))
      .map((operation) => ({
        uri: apiUrl + operation.path,
        ...describeResource(operation, formatQueryTemplate(operation)),
      }))
    this.statics = [...this.#ownDocuments.entries, ...lists]
    this.templates = readable
      .filter(({ path }) => path.includes('{'))
      .map((operation) => ({
        uriTemplate: apiUrl + operation.path + formatQueryTemplate(operation),
        ...describeResource(operation),
      }))
  }

  /** Finds what an address names. @throws AddressError */
  matchAddress(uri: string): AddressMatch {
    const own = this.#ownDocuments.find(uri)
    if (own) return { is: 'own', ...own }
    if (!uri.startsWith(`${this.#apiUrl}/`)) throw new AddressError('The address is not one of this API.')
    return parseAddress(uri.slice(this.#apiUrl.length), this.#routes, this.#byPath)
  }

  /** Returns the operation of a template in the list of templates; null if there is none. */
  findTemplate(uriTemplate: unknown): ExposedOperation | null {
    const known = this.templates.find((template) => template.uriTemplate === uriTemplate)
    return known ? ([...this.#byPath.values()].find(({ name }) => name === known.name) ?? null) : null
  }

  /** Returns the operation that reads a path of the document, as the document writes it; null if there is none. */
  findOperation(path: string): ExposedOperation | null {
    return this.#byPath.get(path) ?? null
  }

  /** Returns whether an address names a text of the bridge itself, which is the same for all callers. */
  isOwn(uri: string): boolean {
    return this.#ownDocuments.isOwn(uri)
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

  /** Returns the address of the schema at a pointer; a named schema has a short one. */
  getSchemaAddress(pointer: string): string {
    const [, name] = /^#\/components\/schemas\/(\w+)$/.exec(pointer) ?? []
    return name === undefined ? `${this.#apiUrl}/openapi.json${pointer}` : schemaUri + name
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
