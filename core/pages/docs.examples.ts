import type { OpenAPIV3_1 as OpenApi } from 'openapi-types'

type Schema = OpenApi.SchemaObject & { $ref?: string }

type Described = OpenApi.OperationObject & { 'x-access'?: string }

/** A `curl` line for an operation, with a body made from its schema's examples and required members. */
export function example(
  method: string, path: string, described: Described, document: OpenApi.Document, baseUrl: string,
): string {
  const variable = (_: string, name: string) => `$${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`
  const address = `${baseUrl}${path.replace(/\{(\w+)\}/g, variable)}${asked(described, variable)}`
  const lines = [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} "${address}"`, ...credential(described), ...reading(described),
  ]
  const body = described.requestBody as OpenApi.RequestBodyObject | undefined
  const schema = body?.required ? body.content['application/json']?.schema : undefined
  if (schema) {
    const text = JSON.stringify(sample(schema as Schema, document, 0)).replaceAll("'", '’')
    lines.push('-H "Content-Type: application/json"', `-d '${text}'`)
  }
  return lines.join(' \\\n  ')
}

/** The query parameters that there is no doing without. */
function asked({ parameters = [] }: Described, variable: (_: string, name: string) => string): string {
  const query = (parameters as OpenApi.ParameterObject[]).filter((one) => one.in === 'query' && one.required)
    .map(({ name, schema }) => `${name}=${(schema as Schema).enum?.[0] ?? variable('', name)}`)
  return query.length === 0 ? '' : `?${query.join('&')}`
}

/** Routes of people take a session; a key is refused there. */
function credential({ 'x-access': access }: Described): string[] {
  if (access === 'public') return []
  const person = access === 'endUser' || access === 'member' || access === 'session'
  return [person ? '-H "Authorization: Bearer $SESSION"' : '-H "X-Api-Key: $API_KEY"']
}

/** How `curl` takes an answer that is no JSON: a stream as it comes, an image into a file. */
function reading({ responses }: Described): string[] {
  const answer = Object.values(responses ?? {})[0] as OpenApi.ResponseObject | undefined
  const [type = ''] = Object.keys(answer?.content ?? {})
  if (type === 'text/event-stream') return ['-N -H "Accept: text/event-stream"']
  return type.startsWith('image/') ? [`-o answer.${type.slice('image/'.length)}`] : []
}

/** A value that the schema takes: its example where it has one, else the least that is required. */
export function sample(schema: Schema, document: OpenApi.Document, depth: number): unknown {
  if (schema.$ref) return sample(resolve(schema.$ref, document), document, depth + 1)
  if (schema.examples?.length) return schema.examples[0] as unknown
  if (schema.default !== undefined) return schema.default
  if (schema.enum?.length) return schema.enum[0] as unknown
  const branches = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (branches?.[0]) return sample(branches[0], document, depth + 1)
  return plain(schema, document, depth)
}

function plain(schema: Schema, document: OpenApi.Document, depth: number): unknown {
  if (schema.type === 'array') return depth > 6 || !('items' in schema) ? [] : [sample(schema.items as Schema, document, depth + 1)]
  if (schema.type === 'object') {
    const wanted = schema.required ?? Object.keys(schema.properties ?? {}).slice(0, 1)
    return Object.fromEntries(wanted.map((name) => [name, sample((schema.properties?.[name] ?? {}) as Schema, document, depth + 1)]))
  }
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1
  if (schema.type === 'boolean') return true
  if (schema.type === 'string') return texts[schema.format ?? ''] ?? 'text'
  return {}
}

const texts: Record<string, string> = {
  uuid: '018f3f6e-7b1a-7c3d-9e2f-0123456789ab', 'date-time': '2026-01-31T12:00:00.000Z', date: '2026-01-31', email: 'ada@example.com', uri: 'https://example.com/',
}

function resolve(ref: string, document: OpenApi.Document): Schema {
  const name = ref.split('/').at(-1) ?? ''
  return (document.components?.schemas?.[name] ?? {}) as Schema
}
