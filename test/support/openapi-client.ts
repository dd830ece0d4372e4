/** What a client that knows OpenAPI, and nothing of tools, sends for the arguments of a call. */
export interface PlainRequest {
  readonly method: string
  /** Path and query, percent-encoded. */
  readonly target: string
  readonly contentType: string | null
  readonly body: Buffer
}

type Json = Readonly<Record<string, unknown>>
type Arguments = Readonly<Record<string, unknown>>

export interface PlainParameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly style: string
  readonly schema: Json
  /** Name of the flat argument: where the body has a member of this name, the parameter gives way. */
  readonly argument: string
}

interface PlainBody {
  readonly contentType: string
  readonly required: boolean
  /** Names of members that stand side by side with parameters; null: one argument holds it all. */
  readonly members: readonly string[] | null
  /** The argument that holds it all. */
  readonly argument: string
}

/** An operation that the document exposes. */
export interface PlainOperation {
  readonly name: string
  readonly exposed: 'tool' | 'resource'
  readonly method: string
  readonly path: string
  readonly parameters: readonly PlainParameter[]
  readonly body: PlainBody | null
  readonly readOnly: boolean
  readonly idempotent: boolean
  /** Media types of its successes. */
  readonly answers: readonly string[]
}

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const recordOf = (value: unknown): Json => (isRecord(value) ? value : {})
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** What a reference of the document stands for. */
function resolved(document: Json, value: unknown): Json {
  let at = recordOf(value)
  while (typeof at['$ref'] === 'string') {
    at = recordOf(at['$ref'].split('/').slice(1).reduce<unknown>((holder, step) =>
      recordOf(holder)[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')], document))
  }
  return at
}

/** Every operation with `x-mcp-type` that this client can call, in the document's order. */
export function plainOperations(document: Json): PlainOperation[] {
  return Object.entries(recordOf(document['paths'])).flatMap(([path, item]) =>
    Object.entries(recordOf(item)).flatMap(([method, value]) => {
      const exposed = recordOf(value)['x-mcp-type']
      return exposed === 'tool' || exposed === 'resource'
        ? [plainOperation(document, { path, method, item: recordOf(item), stated: recordOf(value), exposed })]
        : []
    }))
}

interface Stated {
  readonly path: string
  readonly method: string
  readonly item: Json
  readonly stated: Json
  readonly exposed: 'tool' | 'resource'
}

function plainOperation(document: Json, { path, method, item, stated, exposed }: Stated): PlainOperation {
  const hints = recordOf(stated['x-mcp-hints'])
  const body = bodyOf(document, stated['requestBody'])
  const own = [...listOf(item['parameters']), ...listOf(stated['parameters'])].map((one) => resolved(document, one))
  const parameters = ['path', 'query'].flatMap((place) => own.filter((one) => one['in'] === place)).map((one) =>
    parameterOf(document, one, body?.members ?? (body ? [body.argument] : [])))
  return {
    name: String(stated['x-mcp-name']),
    exposed, path, parameters, body,
    method: method.toUpperCase(),
    readOnly: hints['readOnlyHint'] === true,
    idempotent: hints['idempotentHint'] === true,
    answers: Object.entries(recordOf(stated['responses'])).filter(([status]) => status.startsWith('2'))
      .flatMap(([, response]) => Object.keys(recordOf(resolved(document, response)['content']))),
  }
}

function parameterOf(document: Json, stated: Json, taken: readonly string[]): PlainParameter {
  const name = String(stated['name'])
  const json = isRecord(stated['content']) ? recordOf(stated['content']['application/json']) : null
  const place = stated['in'] === 'path' ? 'path' : 'query'
  return {
    name,
    in: place,
    style: json === null ? String(stated['style'] ?? (place === 'path' ? 'simple' : 'form')) : 'json',
    schema: resolved(document, json?.['schema'] ?? stated['schema']),
    argument: taken.includes(name) ? `${name}_${place}` : name,
  }
}

function bodyOf(document: Json, stated: unknown): PlainBody | null {
  if (stated === undefined) return null
  const body = resolved(document, stated)
  const content = recordOf(body['content'])
  const contentType = 'application/json' in content ? 'application/json' : Object.keys(content)[0] ?? ''
  const schema = resolved(document, recordOf(content[contentType])['schema'])
  const members = contentType === 'application/json' ? membersOf(document, schema) : null
  const argument = schema['type'] === 'array' ? 'items' : 'body'
  return { contentType, required: body['required'] === true, members, argument }
}

/** The members of a body that has no others. */
function membersOf(document: Json, schema: Json): string[] | null {
  if (schema['type'] === 'array' || 'patternProperties' in schema) return null
  const open = schema['additionalProperties'] === true || isRecord(schema['additionalProperties'])
  if (open) return null
  const parts = listOf(schema['allOf']).map((part) => membersOf(document, resolved(document, part)))
  if (parts.includes(null)) return null
  const own = Object.keys(recordOf(schema['properties']))
  const all = [...new Set([...own, ...parts.flatMap((part) => part ?? [])])]
  return all.length === 0 && schema['additionalProperties'] !== false ? null : all
}

/** The request for flat arguments. Throws URIError for text that cannot be percent-encoded. */
export function plainRequest(operation: PlainOperation, given: Arguments): PlainRequest {
  const path = operation.parameters.filter((one) => one.in === 'path').reduce(
    (filled, { name, argument }) => filled.replace(`{${name}}`, () => encodeURIComponent(String(given[argument]))),
    operation.path,
  )
  const query = queryOf(operation, given)
  const body = contentOf(operation, given)
  return {
    method: operation.method,
    target: query === '' ? path : `${path}?${query}`,
    contentType: body === null ? null : (operation.body?.contentType ?? null),
    body: Buffer.from(body ?? ''),
  }
}

export const queryOf = ({ parameters }: PlainOperation, given: Arguments) =>
  parameters.filter((one) => one.in === 'query' && given[one.argument] !== undefined)
    .flatMap((one) => serialized(one, given[one.argument]))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')

/** Source: OpenAPI 3.1, style values and content; objects go out in brackets, as the platform's lists take them too. */
function serialized({ name, style }: PlainParameter, value: unknown): [string, string][] {
  if (style !== 'deepObject' && style !== 'json') return [value].flat().map((one) => [name, String(one)])
  if (!isRecord(value)) return [[name, JSON.stringify(value)]]
  if (name === 'sorters') {
    return Object.entries(value).flatMap(([field, order], at): [string, string][] =>
      [[`${name}[${at}][field]`, field], [`${name}[${at}][order]`, String(order)]])
  }
  return deep(name, value)
}

/** `null` and `nnull` of a filter take no value. */
function deep(name: string, value: unknown): [string, string][] {
  if (!isRecord(value)) return [[name, /\[n?null\]$/.test(name) ? '' : String(value)]]
  return Object.entries(value).flatMap(([key, inner]) => deep(`${name}[${key}]`, inner))
}

function contentOf({ body, parameters }: PlainOperation, given: Arguments): string | null {
  if (body === null) return null
  if (body.members === null) return given[body.argument] === undefined ? null : JSON.stringify(given[body.argument])
  const elsewhere = parameters.map(({ argument }) => argument)
  const sent = Object.entries(given).filter(([name]) => !elsewhere.includes(name))
  return sent.length === 0 && !body.required ? null : JSON.stringify(Object.fromEntries(sent))
}
