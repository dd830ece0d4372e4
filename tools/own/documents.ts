import { AddressError, parseByteRange } from '../arguments/address.ts'
import { gatherSchemas } from '../arguments/gather-schemas.ts'
import type { ResourceEntry } from '../catalogue/resources.ts'
import { createFullView } from '../catalogue/shorten.ts'
import { DocumentError, isRecord, joinPointer, resolvePointer, type ApiDocument } from '../openapi.ts'
import type { ByteRange } from '../results/api-request.ts'

/** A text of the bridge itself, made from the document and the same for every caller. */
export interface OwnText {
  readonly text: string
  readonly mimeType: string
  /** The range of bytes that the address names; null for the whole. */
  readonly byteRange: ByteRange | null
}

const guideUri = 'tessera://guide'
/** The beginning of the address of a schema that the document names. */
export const schemaUri = 'tessera://schemas/'
const schemaType = 'application/schema+json'

/**
 * The resources of the bridge itself: the guide that the document has under `x-mcp-server.guide`, one schema for each
 * component that is marked with `x-mcp-resource: <name>`, and, without being listed, the schema of each component by its
 * own name and the one at each pointer of the document. A schema is self-contained: what it refers to stands under
 * `$defs`.
 */
export class OwnDocuments {
  /** The guide first, then the schemas by name. */
  readonly entries: readonly ResourceEntry[]
  readonly #document: ApiDocument
  readonly #documentUri: string
  readonly #guide: string | null
  readonly #pointers: ReadonlyMap<string, string>

  /** @param documentUri the address of the document */
  constructor(document: ApiDocument, documentUri: string) {
    this.#document = document
    this.#documentUri = documentUri
    const server = document['x-mcp-server']
    this.#guide = isRecord(server) && typeof server['guide'] === 'string' ? server['guide'] : null
    const named = listNamedSchemas(document)
    this.#pointers = new Map(named.map(({ name, pointer }) => [name, pointer]))
    this.entries = [
      ...(this.#guide === null ? [] : [guideEntry]),
      ...named.map(({ name, description }) => ({
        uri: schemaUri + name,
        name: `schema_${name.replaceAll('-', '_')}`,
        title: `Schema ${name}`,
        description,
        mimeType: schemaType,
      })),
    ]
  }

  /** Returns whether an address names a text of the bridge itself, which is the same for all callers. */
  isOwn(uri: string): boolean {
    return uri.startsWith('tessera:') || uri.startsWith(`${this.#documentUri}#`)
  }

  /** Finds what an address names; null if it names nothing of the bridge itself. @throws AddressError */
  find(uri: string): OwnText | null {
    if (!this.isOwn(uri)) return null
    const [, address = uri, range] = /^(.*)#(bytes=[^#]*)$/s.exec(uri) ?? []
    const byteRange = range === undefined ? null : parseByteRange(range)
    if (address === guideUri && this.#guide !== null)
      return { text: this.#guide, mimeType: guideEntry.mimeType, byteRange }
    const pointer = address.startsWith(schemaUri)
      ? this.#getPointer(address.slice(schemaUri.length))
      : address.startsWith(this.#documentUri)
        ? address.slice(this.#documentUri.length)
        : ''
    if (!pointer.startsWith('#')) throw new AddressError('There is no such resource.')
    return { text: this.#formatSchema(pointer), mimeType: schemaType, byteRange }
  }

  /** Returns the pointer to a schema that is marked with the name, else to the component of this name. */
  #getPointer(name: string): string {
    return this.#pointers.get(name) ?? joinPointer('#', 'components', 'schemas', name)
  }

  #formatSchema(pointer: string): string {
    try {
      const schema = resolvePointer(this.#document, pointer)
      if (!isRecord(schema)) throw new AddressError('There is no such schema.')
      const { schemas, definitions } = gatherSchemas([{ schema, pointer }], createFullView(this.#document))
      return JSON.stringify(Object.keys(definitions).length === 0 ? schemas[0] : { ...schemas[0], $defs: definitions })
    } catch (cause) {
      if (cause instanceof DocumentError) throw new AddressError('There is no such schema.')
      throw cause
    }
  }
}

const guideEntry: ResourceEntry = {
  uri: guideUri,
  name: 'guide',
  title: 'Guide: read this first',
  description: 'The order of the steps, what cannot be undone, and how to filter, preview and repeat.',
  mimeType: 'text/markdown',
}

/** Lists the components that are resources by a name, ordered by name. @throws DocumentError for a wrong name */
function listNamedSchemas(document: ApiDocument): { name: string; pointer: string; description: string }[] {
  const components = document['components']
  const schemas = isRecord(components) && isRecord(components['schemas']) ? components['schemas'] : {}
  const named = Object.entries(schemas).flatMap(([component, schema]) => {
    const name = isRecord(schema) ? schema['x-mcp-resource'] : undefined
    if (!isRecord(schema) || name === undefined) return []
    const pointer = joinPointer('#', 'components', 'schemas', component)
    if (typeof name !== 'string' || !/^[a-z][a-z0-9-]{0,63}$/.test(name))
      throw new DocumentError(`${pointer}: x-mcp-resource is not a name in lower case with hyphens`)
    const description = typeof schema['description'] === 'string' ? schema['description'] : component
    return [{ name, pointer, description }]
  })
  const twice = named.find(({ name }, index) => named.findIndex((other) => other.name === name) < index)
  if (twice) throw new DocumentError(`${twice.pointer}: another schema is the resource ${twice.name}`)
  return named.sort((a, b) => (a.name < b.name ? -1 : 1))
}
