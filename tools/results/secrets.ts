import type { ExposedOperation } from '../catalogue/operations.ts'
import { getReference } from '../catalogue/subschemas.ts'
import { isRecord, resolvePointer, type ApiDocument, type Schema } from '../openapi.ts'

/** Where the answers of an operation have secrets: the members that the document marks with `x-mcp-secret: true`. */
export interface SecretPlaces {
  isSecret: boolean
  readonly members: Map<string, SecretPlaces>
  /** The places in the entries of a list; null if it has none. */
  entries: SecretPlaces | null
  /** The places in members that have no name in the schema; null if there are none. */
  others: SecretPlaces | null
}

/** What stands in a text in place of a secret. */
export const secretMark = '(in structuredContent)'

/** Returns whether a schema marks its value as a secret. Source: JSON Schema 2020-12, writeOnly; OpenAPI, password. */
export const isSecretSchema = (schema: Schema): boolean =>
  schema['x-mcp-secret'] === true || schema['writeOnly'] === true || schema['format'] === 'password'

/** Finds the secrets in the successes of an operation; null if it has none. */
export function findSecretPlaces(
  document: ApiDocument,
  { successes }: Pick<ExposedOperation, 'successes'>,
): SecretPlaces | null {
  const reader = new SecretReader(document)
  const places = createPlaces()
  for (const { content } of successes)
    for (const { schema } of content) if (schema) reader.addSchema(places, schema.schema)
  return reader.foundAny ? places : null
}

/** Returns the value with a mark in place of each secret. The value itself stays unchanged. */
export function maskSecrets(value: unknown, places: SecretPlaces | null): unknown {
  if (places === null || value === null || value === undefined) return value
  if (places.isSecret) return secretMark
  if (Array.isArray(value)) return value.map((entry) => maskSecrets(entry, places.entries))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      maskSecrets(member, places.members.get(name) ?? places.others),
    ]),
  )
}

const createPlaces = (): SecretPlaces => ({ isSecret: false, members: new Map(), entries: null, others: null })

/** Reads schemas into places. A schema that refers to itself gives places that do. */
class SecretReader {
  readonly #document: ApiDocument
  readonly #byReference = new Map<string, SecretPlaces>()
  readonly #addedSchemas = new WeakMap<SecretPlaces, Set<Schema>>()
  foundAny = false

  constructor(document: ApiDocument) {
    this.#document = document
  }

  addSchema(places: SecretPlaces, schema: Schema): void {
    const added = this.#addedSchemas.get(places) ?? new Set()
    if (added.has(schema)) return
    this.#addedSchemas.set(places, added.add(schema))
    if (schema['x-mcp-secret'] === true) this.foundAny = places.isSecret = true
    const reference = getReference(schema)
    const target = reference === null ? null : resolvePointer(this.#document, reference)
    if (isRecord(target)) this.addSchema(places, target)
    for (const keyword of ['allOf', 'anyOf', 'oneOf'])
      for (const branch of listSchemas(schema[keyword])) this.addSchema(places, branch)
    for (const [name, member] of Object.entries(isRecord(schema['properties']) ? schema['properties'] : {}))
      if (isRecord(member)) places.members.set(name, this.#read(member, places.members.get(name)))
    for (const entry of [schema['items'], ...listSchemas(schema['prefixItems'])])
      if (isRecord(entry)) places.entries = this.#read(entry, places.entries)
    const patterns = isRecord(schema['patternProperties']) ? Object.values(schema['patternProperties']) : []
    for (const other of [schema['additionalProperties'], ...patterns])
      if (isRecord(other)) places.others = this.#read(other, places.others)
  }

  /** Reads the schema of a member or an entry. @param known the places that another branch found there */
  #read(schema: Schema, known: SecretPlaces | null | undefined): SecretPlaces {
    const reference = getReference(schema)
    const isMarked = schema['x-mcp-secret'] === true
    const shared = known || isMarked || reference === null ? undefined : this.#byReference.get(reference)
    if (shared) return shared
    const places = known ?? createPlaces()
    if (!known && !isMarked && reference !== null) this.#byReference.set(reference, places)
    this.addSchema(places, schema)
    return places
  }
}

const listSchemas = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isRecord) : [])
