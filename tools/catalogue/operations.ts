import { readQuestionDeclarations, type QuestionDeclaration } from '../own/elicitation.ts'
import {
  DocumentError,
  resolveReference,
  isRecord,
  joinPointer,
  type ApiDocument,
  type LocatedSchema,
  type Schema,
} from '../openapi.ts'
import { isJson } from '../arguments/body-form.ts'
import { hasHeaderParameter, readParameters, type Parameter } from '../arguments/parameters.ts'
import { readRequiredCapabilities } from '../own/required-capabilities.ts'
import { readJobResultLink, type JobResultLink } from '../results/job-result.ts'
import { findSecretPlaces } from '../results/secrets.ts'
import { getToolset } from '../toolsets.ts'

export const httpMethods = ['get', 'post', 'put', 'patch', 'delete'] as const
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The hints about a tool's effects. Source: MCP tool annotations. */
export interface ToolAnnotations {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

export interface RequestBody {
  readonly required: boolean
  readonly mediaType: string
  readonly schema: LocatedSchema | null
}

/** A success that the document declares: its media types in order, each with the schema of its content. */
export interface SuccessResponse {
  readonly status: string
  readonly content: readonly { mediaType: string; schema: LocatedSchema | null }[]
}

/**
 * When the API's dry run is shown before the call: `always`; `many` if it is about more than one thing; `question` if a
 * person is asked anyway. With the first two, a client that cannot ask gets the preview and confirms it in a second call.
 */
export type PreviewRule = 'always' | 'many' | 'question'

/** An operation with an MCP annotation. */
export interface ExposedOperation {
  readonly name: string
  readonly kind: 'tool' | 'resource' | 'prompt'
  readonly method: HttpMethod
  readonly path: string
  readonly title: string
  readonly description: string
  readonly hints: ToolAnnotations
  /** True if the operation cannot be undone, so that a person should be asked first. */
  readonly needsConfirmation: boolean
  readonly preview: PreviewRule | null
  /** The questions for the values that only a person can give. */
  readonly questionDeclarations: readonly QuestionDeclaration[]
  /** The capabilities that the client must declare. Source: MCP, ClientCapabilities. */
  readonly requiredCapabilities: Schema | null
  /** Null if the operation belongs to no toolset. */
  readonly toolset: string | null
  readonly parameters: readonly Parameter[]
  /** True if the document declares the header `Idempotency-Key`, so that the API does equal requests once. */
  readonly takesIdempotencyKey: boolean
  readonly body: RequestBody | null
  readonly successes: readonly SuccessResponse[]
  /** How rows of a list are found by a text; null if the document does not say. */
  readonly search: ListSearch | null
  /** Where the result of the job is read that the operation starts; null if the document does not say it. */
  readonly jobResult: JobResultLink | null
}

/** An operation that was to be exposed and cannot be. */
export interface LeftOutOperation {
  /** Method and path, like `POST /v1/files`. */
  readonly operation: string
  readonly reason: string
}

/** The filter operators `eq` and `contains` of the fields that a text is looked for in, in the order that they count. */
export type ListSearch = ReadonlyMap<string, readonly string[]>

/** The paths that are never exposed, whatever the document says: models and sign-in. */
const closedPaths = /^\/v\d+\/(llm|auth)(\/|$)/

/**
 * Lists the annotated operations, ordered by name. Whatever is wrong with one of them leaves only that one out, the
 * second of two with one name as well.
 * @throws DocumentError if no operation is annotated
 */
export function listExposedOperations(document: ApiDocument): {
  operations: ExposedOperation[]
  leftOut: LeftOutOperation[]
} {
  const operations: ExposedOperation[] = []
  const leftOut: LeftOutOperation[] = []
  const names = new Set<string>()
  for (const [path, item] of Object.entries(document.paths)) {
    if (closedPaths.test(path)) continue
    for (const method of httpMethods) {
      const operation = item[method]
      if (!isRecord(operation) || operation['x-mcp-type'] === undefined) continue
      const pointer = joinPointer('#/paths', path, method)
      const exposed = catchLeftOut({ method, path }, leftOut, () => {
        const name = readOperationName(operation)
        if (names.has(name)) throw new DocumentError(`another operation is named ${name}`)
        return readOperation(document, { item, operation, path, method, pointer })
      })
      if (exposed === null) continue
      names.add(exposed.name)
      operations.push(exposed)
    }
  }
  if (operations.length + leftOut.length === 0) throw new DocumentError('no operation in it has x-mcp-type')
  return { operations: operations.sort((a, b) => (a.name < b.name ? -1 : 1)), leftOut }
}

/** Runs `work` for an operation. If the document has a mistake there, adds the operation to `leftOut`. */
export function catchLeftOut<T>(
  { method, path }: { readonly method: string; readonly path: string },
  leftOut: LeftOutOperation[],
  work: () => T,
): T | null {
  try {
    return work()
  } catch (cause) {
    if (!(cause instanceof DocumentError)) throw cause
    leftOut.push({ operation: `${method.toUpperCase()} ${path}`, reason: cause.message })
    return null
  }
}

/** An operation as it stands in the document. */
interface LocatedOperation {
  /** Its path item. */
  item: Schema
  operation: Schema
  path: string
  method: (typeof httpMethods)[number]
  pointer: string
}

function readOperation(
  document: ApiDocument,
  { item, operation, path, method, pointer }: LocatedOperation,
): ExposedOperation {
  const kind = operation['x-mcp-type']
  if (kind !== 'tool' && kind !== 'resource' && kind !== 'prompt')
    throw new DocumentError('x-mcp-type is neither tool nor resource nor prompt')
  if (kind !== 'tool' && method !== 'get') throw new DocumentError(`only a GET can be a ${kind}`)
  if (kind === 'prompt' && operation['requestBody'] !== undefined) throw new DocumentError('a prompt takes no body')
  const name = readOperationName(operation)
  const asks = readQuestionDeclarations(operation['x-mcp-ask'])
  const confirm = readConfirm(operation['x-mcp-confirm'])
  const parameters = readParameters(document, item, operation, path, pointer)
  const preview = readPreview(operation['x-mcp-preview'], confirm, parameters)
  const requires = readRequiredCapabilities(operation['x-mcp-requires'])
  if (kind === 'resource' && (asks.length > 0 || requires)) throw new DocumentError('a resource asks nobody')
  if (kind !== 'tool' && confirm) throw new DocumentError('only a tool can be confirmed')
  return {
    name,
    kind,
    method: method.toUpperCase() as HttpMethod,
    path,
    title: trimText(operation['summary']) ?? name,
    description: formatDescription(operation, name),
    hints: readHints(operation['x-mcp-hints'], method),
    needsConfirmation: confirm,
    preview,
    questionDeclarations: asks,
    requiredCapabilities: requires,
    toolset: getToolset(operation['x-mcp-toolset'], path),
    parameters,
    takesIdempotencyKey: hasHeaderParameter(document, item, operation, pointer, 'Idempotency-Key'),
    body: readBody(document, operation, pointer),
    successes: readSuccesses(document, operation, pointer),
    search: readSearch(operation['x-mcp-search']),
    jobResult: readJobResult(document, operation),
  }
}

function readJobResult(document: ApiDocument, operation: Schema): JobResultLink | null {
  const link = readJobResultLink(document, operation)
  const target = link && document.paths[link.path]?.['get']
  if (!link || !isRecord(target)) return null
  const successes = readSuccesses(document, target, joinPointer('#/paths', link.path, 'get'))
  return { ...link, secrets: findSecretPlaces(document, { successes }) }
}

/** Reads the name: `x-mcp-name`, or the `operationId` in snake case. @throws DocumentError if there is neither */
function readOperationName({ 'x-mcp-name': stated, operationId }: Schema): string {
  const name = stated ?? (typeof operationId === 'string' ? toSnakeCase(operationId) : undefined)
  if (name === undefined) throw new DocumentError('it has neither x-mcp-name nor operationId')
  if (typeof name !== 'string' || !/^[a-z][a-z0-9_]{0,63}$/.test(name))
    throw new DocumentError(`${stated === undefined ? 'operationId' : 'x-mcp-name'} gives no name in snake case`)
  return name
}

/** Converts `getUserById`, `get-user` and `Users.list` to snake case. */
const toSnakeCase = (text: string) =>
  text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z\d]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toLowerCase()

/** Reads `x-mcp-search`. @throws DocumentError */
function readSearch(value: unknown): ListSearch | null {
  if (value === undefined) return null
  const isOperators = (entry: unknown) => Array.isArray(entry) && entry.every((name) => typeof name === 'string')
  if (!isRecord(value) || !Object.values(value).every(isOperators))
    throw new DocumentError('x-mcp-search does not name the operators of fields')
  return new Map(Object.entries(value as Record<string, string[]>))
}

const trimText = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined)

function formatDescription(operation: Schema, name: string): string {
  const summary = trimText(operation['summary'])
  const description = trimText(operation['description'])
  if (summary === undefined || description?.startsWith(summary)) return description ?? name
  const sentence = /[.!?]$/.test(summary) ? summary : `${summary}.`
  return description === undefined ? sentence : `${sentence} ${description}`
}

/** Reads the hints that the document states, and derives the others from the method. Source: RFC 9110, section 9.2. */
function readHints(value: unknown, method: (typeof httpMethods)[number]): ToolAnnotations {
  if (value !== undefined && !isRecord(value)) throw new DocumentError('x-mcp-hints is not an object')
  const hint = (name: keyof ToolAnnotations, derived: boolean) => {
    const stated = value?.[name]
    if (stated !== undefined && typeof stated !== 'boolean')
      throw new DocumentError(`x-mcp-hints.${name} is not a boolean`)
    return stated ?? derived
  }
  return {
    readOnlyHint: hint('readOnlyHint', method === 'get'),
    destructiveHint: hint('destructiveHint', method === 'patch' || method === 'put' || method === 'delete'),
    idempotentHint: hint('idempotentHint', method !== 'post' && method !== 'patch'),
    openWorldHint: hint('openWorldHint', false),
  }
}

function readConfirm(value: unknown): boolean {
  if (value !== undefined && typeof value !== 'boolean')
    throw new DocumentError('x-mcp-confirm is neither true nor false')
  return value ?? false
}

/** Returns whether a parameter asks for a dry run. */
export const isDryRunParameter = ({ in: place, name, schema: { schema } }: Parameter) =>
  place === 'query' && name === 'dryRun' && schema['type'] === 'boolean'

function readPreview(value: unknown, isConfirmed: boolean, parameters: readonly Parameter[]): PreviewRule | null {
  if (value !== undefined && value !== 'always' && value !== 'many')
    throw new DocumentError('x-mcp-preview is neither always nor many')
  const hasDryRun = parameters.some(isDryRunParameter)
  if (value === undefined) return isConfirmed && hasDryRun ? 'question' : null
  if (!isConfirmed) throw new DocumentError('x-mcp-preview needs x-mcp-confirm')
  if (!hasDryRun) throw new DocumentError('x-mcp-preview needs the query parameter dryRun, a boolean')
  return value
}

/**
 * Reads the request body. Of the media types it chooses `application/json` with an object, then any other JSON with an
 * object, because the members of an object are separate arguments; then `application/json`, then the first one.
 * @throws DocumentError
 */
function readBody(document: ApiDocument, operation: Schema, pointer: string): RequestBody | null {
  if (operation['requestBody'] === undefined) return null
  const { schema: stated, pointer: at } = resolveReference(
    document,
    operation['requestBody'],
    joinPointer(pointer, 'requestBody'),
  )
  const content = isRecord(stated['content']) ? stated['content'] : {}
  const mediaTypes = Object.keys(content)
  const isObject = (type: string) => isJson(type) && isObjectContent(document, getContentSchema(content, type, at))
  const plain = mediaTypes.find((type) => type === 'application/json')
  const mediaType =
    (plain !== undefined && isObject(plain) ? plain : mediaTypes.find(isObject)) ?? plain ?? mediaTypes[0]
  if (mediaType === undefined) throw new DocumentError('requestBody has no content')
  if (mediaType.startsWith('multipart/')) throw new DocumentError('a multipart body cannot be a tool')
  return { required: stated['required'] === true, mediaType, schema: getContentSchema(content, mediaType, at) }
}

const isObjectContent = (document: ApiDocument, content: LocatedSchema | null) =>
  content !== null && resolveReference(document, content.schema, content.pointer).schema['type'] === 'object'

function readSuccesses(document: ApiDocument, operation: Schema, pointer: string): SuccessResponse[] {
  if (!isRecord(operation['responses'])) throw new DocumentError('it has no responses')
  return Object.entries(operation['responses'])
    .filter(([status]) => status.startsWith('2'))
    .map(([status, response]) => {
      const { schema: stated, pointer: at } = resolveReference(
        document,
        response,
        joinPointer(pointer, 'responses', status),
      )
      const content = isRecord(stated['content']) ? stated['content'] : {}
      return {
        status,
        content: Object.keys(content).map((mediaType) => ({
          mediaType,
          schema: getContentSchema(content, mediaType, at),
        })),
      }
    })
}

function getContentSchema(content: Schema, mediaType: string, pointer: string): LocatedSchema | null {
  const media = content[mediaType]
  if (!isRecord(media) || !isRecord(media['schema'])) return null
  return { schema: media['schema'], pointer: joinPointer(pointer, 'content', mediaType, 'schema') }
}
