import { readQuestionDeclarations, type QuestionDeclaration } from '../own/elicitation.ts'
import {
  DocumentError,
  resolveReference,
  isRecord,
  joinPointer,
  withPlace,
  type ApiDocument,
  type LocatedSchema,
  type Schema,
} from '../openapi.ts'
import { readParameters, type Parameter } from '../arguments/parameters.ts'
import { readRequiredCapabilities } from '../own/required-capabilities.ts'
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
  /** The questions for the values that only a person can give. */
  readonly questionDeclarations: readonly QuestionDeclaration[]
  /** The capabilities that the client must declare. Source: MCP, ClientCapabilities. */
  readonly requiredCapabilities: Schema | null
  /** Null if the operation belongs to no toolset. */
  readonly toolset: string | null
  readonly parameters: readonly Parameter[]
  readonly body: RequestBody | null
  readonly successes: readonly SuccessResponse[]
}

/** The paths that are never exposed, whatever the document says: models and sign-in. */
const closedPaths = /^\/v\d+\/(llm|auth)(\/|$)/

/** Lists the annotated operations, ordered by name. @throws DocumentError that names the operation */
export function listExposedOperations(document: ApiDocument): ExposedOperation[] {
  const operations: ExposedOperation[] = []
  const names = new Set<string>()
  for (const [path, item] of Object.entries(document.paths)) {
    if (closedPaths.test(path)) continue
    for (const method of httpMethods) {
      const operation = item[method]
      if (!isRecord(operation) || operation['x-mcp-type'] === undefined) continue
      const pointer = joinPointer('#/paths', path, method)
      const exposed = withPlace(`${method.toUpperCase()} ${path}`, () =>
        readOperation(document, { item, operation, path, method, pointer }),
      )
      if (names.has(exposed.name)) throw new DocumentError(`two operations are named ${exposed.name}`)
      names.add(exposed.name)
      operations.push(exposed)
    }
  }
  return operations.sort((a, b) => (a.name < b.name ? -1 : 1))
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
  const name = operation['x-mcp-name']
  if (typeof name !== 'string' || !/^[a-z][a-z0-9_]{0,63}$/.test(name))
    throw new DocumentError('x-mcp-name is not snake case')
  const asks = readQuestionDeclarations(operation['x-mcp-ask'])
  const confirm = readConfirm(operation['x-mcp-confirm'])
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
    hints: readHints(operation['x-mcp-hints']),
    needsConfirmation: confirm,
    questionDeclarations: asks,
    requiredCapabilities: requires,
    toolset: getToolset(operation['x-mcp-toolset'], path),
    parameters: readParameters(document, item, operation, path, pointer),
    body: readBody(document, operation, pointer),
    successes: readSuccesses(document, operation, pointer),
  }
}

const trimText = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined)

function formatDescription(operation: Schema, name: string): string {
  const summary = trimText(operation['summary'])
  const description = trimText(operation['description'])
  if (summary === undefined || description?.startsWith(summary)) return description ?? name
  const sentence = /[.!?]$/.test(summary) ? summary : `${summary}.`
  return description === undefined ? sentence : `${sentence} ${description}`
}

function readHints(value: unknown): ToolAnnotations {
  const hint = (name: keyof ToolAnnotations) => {
    if (!isRecord(value) || typeof value[name] !== 'boolean')
      throw new DocumentError(`x-mcp-hints.${name} is not a boolean`)
    return value[name]
  }
  return {
    readOnlyHint: hint('readOnlyHint'),
    destructiveHint: hint('destructiveHint'),
    idempotentHint: hint('idempotentHint'),
    openWorldHint: hint('openWorldHint'),
  }
}

function readConfirm(value: unknown): boolean {
  if (value !== undefined && typeof value !== 'boolean')
    throw new DocumentError('x-mcp-confirm is neither true nor false')
  return value ?? false
}

/**
 * Reads the request body. It chooses JSON if the operation takes it, otherwise the first media type.
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
  const mediaType = mediaTypes.find((type) => type === 'application/json') ?? mediaTypes[0]
  if (mediaType === undefined) throw new DocumentError('requestBody has no content')
  if (mediaType.startsWith('multipart/')) throw new DocumentError('a multipart body cannot be a tool')
  return { required: stated['required'] === true, mediaType, schema: getContentSchema(content, mediaType, at) }
}

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
