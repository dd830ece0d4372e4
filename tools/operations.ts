import { readRounds, type Round } from './asking.ts'
import {
  DocumentError,
  follow,
  isRecord,
  stepInto,
  within,
  type ApiDocument,
  type Located,
  type Schema,
} from './openapi.ts'
import { readParameters, type Parameter } from './parameters.ts'
import { readRequires } from './requires.ts'
import { toolsetOf, type Toolset } from './toolsets.ts'

export const methods = ['get', 'post', 'put', 'patch', 'delete'] as const
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What an assistant is told about a tool's effect. Source: MCP tool annotations. */
export interface Hints {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

export interface Body {
  readonly required: boolean
  readonly mediaType: string
  readonly schema: Located | null
}

/** A success the document declares: its media types in order, each with the schema of its content. */
export interface Success {
  readonly status: string
  readonly content: readonly { mediaType: string; schema: Located | null }[]
}

/** An operation that carries an MCP annotation. */
export interface ExposedOperation {
  readonly name: string
  readonly kind: 'tool' | 'resource' | 'prompt'
  readonly method: Method
  readonly path: string
  readonly title: string
  readonly description: string
  readonly hints: Hints
  /** Irreversible: people want to be asked first. */
  readonly confirm: boolean
  /** What only the person can say, question by question. */
  readonly asks: readonly Round[]
  /** What the client must declare that it can do. Source: MCP, ClientCapabilities. */
  readonly requires: Schema | null
  /** Null where it is of none. */
  readonly toolset: Toolset | null
  readonly parameters: readonly Parameter[]
  readonly body: Body | null
  readonly successes: readonly Success[]
}

/** Never exposed, whatever the document says: models and sign-in. */
const closed = /^\/v\d+\/(llm|auth)(\/|$)/

/** The annotated operations, ordered by name. Throws DocumentError that names the operation. */
export function exposedOperations(document: ApiDocument): ExposedOperation[] {
  const found: ExposedOperation[] = []
  const names = new Set<string>()
  for (const [path, item] of Object.entries(document.paths)) {
    if (closed.test(path)) continue
    for (const method of methods) {
      const operation = item[method]
      if (!isRecord(operation) || operation['x-mcp-type'] === undefined) continue
      const pointer = stepInto('#/paths', path, method)
      const exposed = within(`${method.toUpperCase()} ${path}`, () =>
        readOperation(document, item, operation, path, method, pointer),
      )
      if (names.has(exposed.name)) throw new DocumentError(`two operations are named ${exposed.name}`)
      names.add(exposed.name)
      found.push(exposed)
    }
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function readOperation(
  document: ApiDocument,
  item: Schema,
  operation: Schema,
  path: string,
  method: (typeof methods)[number],
  pointer: string,
): ExposedOperation {
  const kind = operation['x-mcp-type']
  if (kind !== 'tool' && kind !== 'resource' && kind !== 'prompt')
    throw new DocumentError('x-mcp-type is neither tool nor resource nor prompt')
  if (kind !== 'tool' && method !== 'get') throw new DocumentError(`only a GET can be a ${kind}`)
  if (kind === 'prompt' && operation['requestBody'] !== undefined) throw new DocumentError('a prompt takes no body')
  const name = operation['x-mcp-name']
  if (typeof name !== 'string' || !/^[a-z][a-z0-9_]{0,63}$/.test(name))
    throw new DocumentError('x-mcp-name is not snake case')
  const asks = readRounds(operation['x-mcp-ask'])
  const confirm = readConfirm(operation['x-mcp-confirm'])
  const requires = readRequires(operation['x-mcp-requires'])
  if (kind === 'resource' && (asks.length > 0 || requires)) throw new DocumentError('a resource asks nobody')
  if (kind !== 'tool' && confirm) throw new DocumentError('only a tool can be confirmed')
  return {
    name,
    kind,
    method: method.toUpperCase() as Method,
    path,
    title: text(operation['summary']) ?? name,
    description: describe(operation, name),
    hints: readHints(operation['x-mcp-hints']),
    confirm,
    asks,
    requires,
    toolset: toolsetOf(operation['x-mcp-toolset'], path),
    parameters: readParameters(document, item, operation, path, pointer),
    body: readBody(document, operation, pointer),
    successes: readSuccesses(document, operation, pointer),
  }
}

const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined)

function describe(operation: Schema, name: string): string {
  const summary = text(operation['summary'])
  const description = text(operation['description'])
  if (summary === undefined || description?.startsWith(summary)) return description ?? name
  const sentence = /[.!?]$/.test(summary) ? summary : `${summary}.`
  return description === undefined ? sentence : `${sentence} ${description}`
}

function readHints(value: unknown): Hints {
  const hint = (name: keyof Hints) => {
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

/** JSON is taken where the operation takes it; else its first media type. */
function readBody(document: ApiDocument, operation: Schema, pointer: string): Body | null {
  if (operation['requestBody'] === undefined) return null
  const { schema: stated, pointer: at } = follow(document, operation['requestBody'], stepInto(pointer, 'requestBody'))
  const content = isRecord(stated['content']) ? stated['content'] : {}
  const mediaTypes = Object.keys(content)
  const mediaType = mediaTypes.find((type) => type === 'application/json') ?? mediaTypes[0]
  if (mediaType === undefined) throw new DocumentError('requestBody has no content')
  if (mediaType.startsWith('multipart/')) throw new DocumentError('a multipart body cannot be a tool')
  return { required: stated['required'] === true, mediaType, schema: schemaOf(content, mediaType, at) }
}

function readSuccesses(document: ApiDocument, operation: Schema, pointer: string): Success[] {
  if (!isRecord(operation['responses'])) throw new DocumentError('it has no responses')
  return Object.entries(operation['responses'])
    .filter(([status]) => status.startsWith('2'))
    .map(([status, response]) => {
      const { schema: stated, pointer: at } = follow(document, response, stepInto(pointer, 'responses', status))
      const content = isRecord(stated['content']) ? stated['content'] : {}
      return {
        status,
        content: Object.keys(content).map((mediaType) => ({ mediaType, schema: schemaOf(content, mediaType, at) })),
      }
    })
}

function schemaOf(content: Schema, mediaType: string, pointer: string): Located | null {
  const media = content[mediaType]
  if (!isRecord(media) || !isRecord(media['schema'])) return null
  return { schema: media['schema'], pointer: stepInto(pointer, 'content', mediaType, 'schema') }
}
