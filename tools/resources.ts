import { AddressError, matchPath, queryTemplate, type Match } from './address.ts'
import { gather } from './gather.ts'
import { DocumentError, isRecord, resolvePointer, type ApiDocument } from './openapi.ts'
import type { ExposedOperation } from './operations.ts'
import type { Routes } from './routes.ts'
import { wholeView } from './shorten.ts'

interface Described {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
}
export type ResourceEntry = Described & { readonly uri: string }
export type TemplateEntry = Described & { readonly uriTemplate: string }

/** What can be read, and at which addresses. Resources are named by the address of the API. */
export class ResourceIndex {
  readonly statics: readonly ResourceEntry[]
  readonly templates: readonly TemplateEntry[]
  readonly #document: ApiDocument
  readonly #apiUrl: string
  readonly #routes: Routes<string>
  readonly #byPath: ReadonlyMap<string, ExposedOperation>

  /**
   * @param apiUrl without a slash at its end.
   * @param routes all GET paths of the document, so that an address never reaches an operation that is not exposed.
   */
  constructor(document: ApiDocument, operations: readonly ExposedOperation[], apiUrl: string, routes: Routes<string>) {
    this.#document = document
    this.#apiUrl = apiUrl
    this.#routes = routes
    const readable = operations.filter(({ kind }) => kind === 'resource')
    this.#byPath = new Map(readable.map((operation) => [operation.path, operation]))
    this.statics = readable
      .filter(({ path }) => !path.includes('{'))
      .map((operation) => ({ uri: apiUrl + operation.path, ...describe(operation, queryTemplate(operation)) }))
    this.templates = readable
      .filter(({ path }) => path.includes('{'))
      .map((operation) => ({ uriTemplate: apiUrl + operation.path + queryTemplate(operation), ...describe(operation) }))
  }

  /** What an address stands for. Throws AddressError. */
  match(uri: string): Match {
    const schemas = this.addressOfSchema('#')
    if (uri.startsWith(schemas))
      return { is: 'schema', text: schemaText(this.#document, uri.slice(schemas.length - 1)) }
    if (!uri.startsWith(`${this.#apiUrl}/`)) throw new AddressError('The address is not one of this API.')
    return matchPath(uri.slice(this.#apiUrl.length), this.#routes, this.#byPath)
  }

  /** The resource that reads a path of the API; null where none does. */
  at(path: string): (Described & { uri: string }) | null {
    try {
      const found = this.match(this.addressOf(path))
      return found.is === 'operation' ? { uri: this.addressOf(path), ...describe(found.operation) } : null
    } catch (cause) {
      if (cause instanceof AddressError) return null
      throw cause
    }
  }

  addressOf(path: string): string {
    return this.#apiUrl + path
  }

  addressOfSchema(pointer: string): string {
    return `${this.#apiUrl}/openapi.json${pointer}`
  }

  /** The nearest list above a path. */
  listAbove(path: string): string | null {
    const steps = (path.split('?')[0] ?? '').split('/')
    while (steps.length > 2) {
      steps.pop()
      const found = this.#routes.find(steps.slice(1))
      if (found && found.captured.length === 0 && this.#byPath.has(found.value)) return this.addressOf(found.value)
    }
    return null
  }
}

/** @param query what the address may take, where the entry does not show it otherwise. */
function describe(operation: ExposedOperation, query = ''): Described {
  const types = operation.successes.flatMap(({ content }) => content.map(({ mediaType }) => mediaType))
  return {
    name: operation.name,
    title: operation.title,
    description: query === '' ? operation.description : `${operation.description} Optional in the address: ${query}`,
    mimeType: types[0] ?? 'application/json',
  }
}

/** The schema at a pointer, on its own: what it refers to comes along under `$defs`. */
function schemaText(document: ApiDocument, pointer: string): string {
  try {
    const schema = resolvePointer(document, pointer)
    if (!isRecord(schema)) throw new AddressError('There is no such schema.')
    const { schemas, definitions } = gather([{ schema, pointer }], wholeView(document))
    return JSON.stringify(Object.keys(definitions).length === 0 ? schemas[0] : { ...schemas[0], $defs: definitions })
  } catch (cause) {
    if (cause instanceof DocumentError) throw new AddressError('There is no such schema.')
    throw cause
  }
}
