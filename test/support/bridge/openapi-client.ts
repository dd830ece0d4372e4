/** The request that a client sends which knows OpenAPI and nothing of tools. */
export interface PlainRequest {
  readonly method: string
  /** The path and query, percent-encoded. */
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
  /** The name of the flat argument. If the body has a member of this name, the parameter gets another name. */
  readonly argument: string
}

interface PlainBody {
  readonly contentType: string
  readonly required: boolean
  /** The members that are separate arguments; null if one argument holds the whole body. */
  readonly members: readonly string[] | null
  /** The argument that holds the whole body. */
  readonly argument: string
}

/** An operation that the document exposes. */
export interface PlainOperation {
  readonly name: string
  readonly exposedAs: 'tool' | 'resource'
  readonly method: string
  readonly path: string
  readonly parameters: readonly PlainParameter[]
  readonly body: PlainBody | null
  readonly isReadOnly: boolean
  readonly isIdempotent: boolean
  /** The media types of its successes. */
  readonly successMediaTypes: readonly string[]
}

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const toRecord = (value: unknown): Json => (isRecord(value) ? value : {})
const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Resolves a reference of the document. */
function resolveReference(document: Json, value: unknown): Json {
  let current = toRecord(value)
  while (typeof current['$ref'] === 'string') {
    current = toRecord(
      current['$ref']
        .split('/')
        .slice(1)
        .reduce<unknown>(
          (holder, step) => toRecord(holder)[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')],
          document,
        ),
    )
  }
  return current
}

/** Lists the tools and resources of the document, in its order. */
export function listPlainOperations(document: Json): PlainOperation[] {
  return Object.entries(toRecord(document['paths'])).flatMap(([path, item]) =>
    Object.entries(toRecord(item)).flatMap(([method, value]) => {
      const exposed = toRecord(value)['x-mcp-type']
      return exposed === 'tool' || exposed === 'resource'
        ? [
            createPlainOperation(document, {
              path,
              method,
              item: toRecord(item),
              declaration: toRecord(value),
              exposed,
            }),
          ]
        : []
    }),
  )
}

interface OperationDeclaration {
  readonly path: string
  readonly method: string
  readonly item: Json
  readonly declaration: Json
  readonly exposed: 'tool' | 'resource'
}

function createPlainOperation(
  document: Json,
  { path, method, item, declaration, exposed }: OperationDeclaration,
): PlainOperation {
  const hints = toRecord(declaration['x-mcp-hints'])
  const body = createPlainBody(document, declaration['requestBody'])
  const declaredParameters = [...toList(item['parameters']), ...toList(declaration['parameters'])].map((one) =>
    resolveReference(document, one),
  )
  const parameters = ['path', 'query']
    .flatMap((place) => declaredParameters.filter((one) => one['in'] === place))
    .map((one) => createPlainParameter(document, one, body?.members ?? (body ? [body.argument] : [])))
  return {
    name: String(declaration['x-mcp-name']),
    exposedAs: exposed,
    path,
    parameters,
    body,
    method: method.toUpperCase(),
    isReadOnly: hints['readOnlyHint'] === true,
    isIdempotent: hints['idempotentHint'] === true,
    successMediaTypes: Object.entries(toRecord(declaration['responses']))
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([, response]) => Object.keys(toRecord(resolveReference(document, response)['content']))),
  }
}

function createPlainParameter(
  document: Json,
  parameterDeclaration: Json,
  takenNames: readonly string[],
): PlainParameter {
  const name = String(parameterDeclaration['name'])
  const json = isRecord(parameterDeclaration['content'])
    ? toRecord(parameterDeclaration['content']['application/json'])
    : null
  const place = parameterDeclaration['in'] === 'path' ? 'path' : 'query'
  return {
    name,
    in: place,
    style: json === null ? String(parameterDeclaration['style'] ?? (place === 'path' ? 'simple' : 'form')) : 'json',
    schema: resolveReference(document, json?.['schema'] ?? parameterDeclaration['schema']),
    argument: takenNames.includes(name) ? `${name}_${place}` : name,
  }
}

function createPlainBody(document: Json, bodyDeclaration: unknown): PlainBody | null {
  if (bodyDeclaration === undefined) return null
  const body = resolveReference(document, bodyDeclaration)
  const content = toRecord(body['content'])
  const schemaOf = (type: string) => resolveReference(document, toRecord(content[type])['schema'])
  // A client that has values by name takes the JSON whose members they are.
  const types = Object.keys(content).sort((a, b) => Number(b === 'application/json') - Number(a === 'application/json'))
  const isObject = (type: string) => /[/+]json$/.test(type) && schemaOf(type)['type'] === 'object'
  const contentType = types.find(isObject) ?? types[0] ?? ''
  const schema = schemaOf(contentType)
  const members = isObject(contentType) ? listMembers(document, schema) : null
  const argument = schema['type'] === 'array' ? 'items' : 'body'
  return { contentType, required: body['required'] === true, members, argument }
}

/** Lists the members of a closed body; null if the body is open. */
function listMembers(document: Json, schema: Json): string[] | null {
  if (schema['type'] === 'array' || 'patternProperties' in schema) return null
  const open = schema['additionalProperties'] === true || isRecord(schema['additionalProperties'])
  if (open) return null
  const parts = toList(schema['allOf']).map((part) => listMembers(document, resolveReference(document, part)))
  if (parts.includes(null)) return null
  const ownMembers = Object.keys(toRecord(schema['properties']))
  const all = [...new Set([...ownMembers, ...parts.flatMap((part) => part ?? [])])]
  return all.length === 0 && schema['additionalProperties'] !== false ? null : all
}

/** Creates the request for flat arguments. @throws URIError for text that cannot be percent-encoded */
export function createPlainRequest(operation: PlainOperation, callArguments: Arguments): PlainRequest {
  const path = operation.parameters
    .filter((one) => one.in === 'path')
    .reduce(
      (filled, { name, argument }) =>
        filled.replace(`{${name}}`, () => encodeURIComponent(String(callArguments[argument]))),
      operation.path,
    )
  const query = formatQuery(operation, callArguments)
  const body = formatContent(operation, callArguments)
  return {
    method: operation.method,
    target: query === '' ? path : `${path}?${query}`,
    contentType: body === null ? null : (operation.body?.contentType ?? null),
    body: Buffer.from(body ?? ''),
  }
}

export const formatQuery = ({ parameters }: PlainOperation, given: Arguments) =>
  parameters
    .filter((one) => one.in === 'query' && given[one.argument] !== undefined)
    .flatMap((one) => serializeParameter(one, given[one.argument]))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')

/**
 * Serializes a parameter. Objects use brackets, which the platform's lists accept. Source: OpenAPI 3.1, style values
 * and content.
 */
function serializeParameter({ name, style }: PlainParameter, value: unknown): [string, string][] {
  if (style !== 'deepObject' && style !== 'json') return [value].flat().map((one) => [name, String(one)])
  if (!isRecord(value)) return [[name, JSON.stringify(value)]]
  if (name === 'sorters') {
    return Object.entries(value).flatMap(([field, order], at): [string, string][] => [
      [`${name}[${at}][field]`, field],
      [`${name}[${at}][order]`, String(order)],
    ])
  }
  return serializeDeepObject(name, value)
}

/** Serializes an object with brackets. The operators `null` and `nnull` of a filter take no value. */
function serializeDeepObject(name: string, value: unknown): [string, string][] {
  if (!isRecord(value)) return [[name, /\[n?null\]$/.test(name) ? '' : String(value)]]
  return Object.entries(value).flatMap(([key, inner]) => serializeDeepObject(`${name}[${key}]`, inner))
}

function formatContent({ body, parameters }: PlainOperation, given: Arguments): string | null {
  if (body === null) return null
  if (body.members === null) return given[body.argument] === undefined ? null : JSON.stringify(given[body.argument])
  const parameterArguments = parameters.map(({ argument }) => argument)
  const bodyArguments = Object.entries(given).filter(([name]) => !parameterArguments.includes(name))
  return bodyArguments.length === 0 && !body.required ? null : JSON.stringify(Object.fromEntries(bodyArguments))
}
