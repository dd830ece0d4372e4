import type { OpenAPIV3_1 as OpenApi } from 'openapi-types'
import { codes, type Code } from '../kernel/codes.ts'
import type { Declaration, Hints, Media, Operation } from '../kernel/operation.ts'
import type { ListDeclaration } from '../kernel/page.ts'
import { Type, object, type TSchema } from '../kernel/schema.ts'
import { pipelineCodes } from './problems.codes.ts'
import { Shared } from './describe.schemas.ts'
import { successOf } from './present.ts'

const ProblemSchema = object({
  type: Type.String({ description: 'Address of a page about the code, or about:blank.' }),
  title: Type.String({ description: 'Short English name of the status or code.' }),
  status: Type.Integer({ description: 'HTTP status code of this answer.' }),
  detail: Type.String({ description: 'What went wrong, in English.' }),
  instance: Type.String({ description: 'Path of the request.' }),
  code: Type.Optional(Type.String({ description: 'Stable code; absent on 5xx.' })),
  errors: Type.Optional(Type.Array(object({
    path: Type.String({ description: 'Dotted path of the value, as fields.serialNumber.' }),
    code: Type.String({ description: 'Stable code of the violation.' }),
    message: Type.String({ description: 'What is wrong with the value, in English.' }),
  }, { title: 'Violation', description: 'One violation inside a request.' }), { description: 'Every violation found.' })),
  permission: Type.Optional(object({
    resource: Type.String({ description: 'Resource of the missing pair.' }),
    action: Type.String({ description: 'Action of the missing pair.' }),
  }, { title: 'MissingPermission', description: 'The pair that neither role nor key has.' })),
  existing: Type.Optional(Type.String({ description: 'Identifier of the entity that is in the way.' })),
  requestId: Type.String({ description: 'The X-Request-Id of this answer.' }),
}, { title: 'Problem', description: 'Problem details of RFC 9457.' })

const isMedia = (value: unknown): value is Media => typeof value === 'object' && value !== null && 'type' in value && 'description' in value
  && String((value as Media).type).includes('/')

/** The document of the operations: written once at start, committed, served. OpenAPI 3.1. @throws Error when two contents share a title */
export function describe(operations: readonly Operation[], info: { version: string }): OpenApi.Document {
  const shared = new Shared()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { declaration } of operations) {
    if (declaration.hidden || declaration.page) continue
    const path = declaration.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [declaration.method.toLowerCase()]: describeOperation(declaration, shared) }
  }
  shared.lift(ProblemSchema)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tessera', version: info.version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description: 'Product passports, claims and events over REST. Every operation with x-mcp-type is also offered to assistants by the bridge.',
    },
    servers: [{ url: '/', description: 'This installation.' }],
    tags: [...new Set(operations.filter(({ declaration }) => !declaration.hidden && !declaration.page).map((o) => o.declaration.tag))].map((name) => ({ name })),
    paths: sorted(paths) as OpenApi.PathsObject,
    components: { schemas: shared.schemas() as never, securitySchemes: schemes as never },
  }
}

const schemes = {
  api_key: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'Key of an organization; only its own permissions count.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'Key of an organization, or session token of a buyer.' },
  session: { type: 'apiKey', in: 'cookie', name: 'tessera.session', description: 'Session of a member.' },
  user: { type: 'apiKey', in: 'cookie', name: 'tessera.user', description: 'Session of a buyer.' },
}

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))

function describeOperation(declaration: Declaration, shared: Shared): Record<string, unknown> {
  return {
    operationId: declaration.id,
    summary: declaration.summary,
    ...(declaration.description && { description: declaration.description }),
    tags: [declaration.tag],
    security: securityOf(declaration),
    'x-access': declaration.access,
    parameters: parametersOf(declaration, shared),
    ...(declaration.body && { requestBody: requestBodyOf(declaration, shared) }),
    responses: { ...successResponse(declaration, shared), ...problemResponses(declaration) },
    ...mcpOf(declaration),
  }
}

function securityOf({ access }: Declaration): Record<string, never[]>[] {
  const key = [{ api_key: [] }, { bearer: [] }]
  if (access === 'public') return [{}, ...key, { session: [] }, { user: [] }]
  if (access === 'endUser') return [{ bearer: [] }, { user: [] }]
  if (access === 'member') return [{ session: [] }, { bearer: [] }]
  if (access === 'signedIn') return [...key, { session: [] }, { user: [] }]
  return [...key, { session: [] }]
}

function parametersOf(declaration: Declaration, shared: Shared): unknown[] {
  const names = [...declaration.path.matchAll(/:(\w+)/g)].map((match) => match[1] as string)
  const inPath = names.map((name) => {
    const schema = declaration.params?.[name] ?? Type.String({ format: 'uuid' })
    return { name, in: 'path', required: true, description: descriptionOf(schema) ?? `Identifier of the ${noun(declaration, name)}.`, schema: shared.lift(schema) }
  })
  const inQuery = Object.entries(declaration.query ?? {}).map(([name, schema]) => ({
    name, in: 'query', required: false, description: descriptionOf(schema) ?? name, schema: shared.lift(schema),
  }))
  return [...inPath, ...inQuery, ...(declaration.list ? listParameters(declaration.list) : []), ...(declaration.method === 'GET' || declaration.anyOrigin ? [] : [idempotencyKey])]
}

const noun = (declaration: Declaration, name: string) => name === 'id' ? declaration.tag.toLowerCase().replace(/s$/, '') : name.replace(/Id$/, '')
const descriptionOf = (schema: TSchema) => (schema as { description?: string }).description

const idempotencyKey = {
  name: 'Idempotency-Key', in: 'header', required: false, schema: { type: 'string', minLength: 1, maxLength: 255 },
  description: '1 to 255 printable ASCII characters. The same key and body within 30 days get the first answer again.',
}

function listParameters({ filters, sorters }: ListDeclaration): unknown[] {
  const filterRows = Object.entries(filters).map(([field, { operators, values }]) =>
    `${field} (${operators.join(', ')}${values ? `: ${values.join(', ')}` : ''})`)
  const condition = {
    type: 'object', description: 'A condition, or a group with operator or/and whose value is a list of filters.',
    properties: {
      field: { type: 'string', enum: Object.keys(filters) },
      operator: { type: 'string', enum: [...new Set([...Object.values(filters).flatMap((f) => f.operators), 'or', 'and'])] },
      value: {},
    },
    required: ['operator'],
  }
  return [
    { name: 'currentPage', in: 'query', required: false, description: 'Page to answer, from 1.', schema: { type: 'integer', minimum: 1, default: 1 } },
    { name: 'pageSize', in: 'query', required: false, description: 'Rows a page, 1 to 100.', schema: { type: 'integer', minimum: 1, maximum: 100, default: 10 } },
    { name: 'cursor', in: 'query', required: false, description: 'nextCursor of an earlier answer; goes on at constant cost.', schema: { type: 'string' } },
    {
      name: 'filters', in: 'query', required: false, style: 'deepObject', explode: true,
      description: `JSON array, or brackets filters[field][operator]=value. Fields: ${filterRows.join('; ')}.`,
      schema: { type: 'array', maxItems: 50, items: condition },
    },
    {
      name: 'sorters', in: 'query', required: false, style: 'deepObject', explode: true,
      description: `JSON array of field and order (asc or desc), at most 5. Fields: ${sorters.join(', ')}.`,
      schema: {
        type: 'array', maxItems: 5,
        items: { type: 'object', properties: { field: { type: 'string', enum: [...sorters] }, order: { type: 'string', enum: ['asc', 'desc'] } }, required: ['field'] },
      },
    },
  ]
}

function requestBodyOf(declaration: Declaration, shared: Shared): unknown {
  const schema = shared.lift(declaration.body as TSchema)
  const types = declaration.method === 'PATCH' ? ['application/json', 'application/merge-patch+json'] : ['application/json']
  return {
    required: !('default' in (declaration.body as object)),
    description: `At most ${(declaration.bodyLimit ?? 1024 * 1024).toLocaleString('en')} bytes.`,
    content: Object.fromEntries(types.map((type) => [type, { schema }])),
  }
}

function successResponse(declaration: Declaration, shared: Shared): Record<string, unknown> {
  const status = successOf(declaration)
  const returned = declaration.returns[status] ?? null
  const medias = returned === null ? [] : isMedia(returned) ? [returned] : Array.isArray(returned) ? returned as readonly Media[] : null
  const content = medias
    ? Object.fromEntries(medias.map((media) => [media.type, { schema: media.binary ? { type: 'string', contentEncoding: 'binary' } : { type: 'string' } }]))
    : { 'application/json': { schema: shared.lift(returned as TSchema) } }
  const more: Record<string, unknown> = {}
  if (declaration.etag && declaration.method === 'GET') more['304'] = { description: 'You have this representation already.' }
  if (medias?.[0]?.type === 'text/event-stream') more['204'] = { description: 'The last event you saw was the terminal one.' }
  return {
    [status]: {
      description: medias?.[0]?.description ?? successText[status] ?? 'Done.', ...(returned !== null && { content }),
      ...((status === 201 || status === 202) && { headers: { Location: { description: 'Where to read it.', schema: { type: 'string' } } } }),
    },
    ...more,
  }
}

const successText: Record<number, string> = { 200: 'The answer.', 201: 'Created.', 202: 'Accepted; the work goes on as a job.', 204: 'Done.' }

function problemResponses(declaration: Declaration): Record<string, unknown> {
  const byStatus = new Map<number, Code[]>()
  for (const code of new Set([...pipelineCodes(declaration), ...(declaration.problems ?? [])])) {
    byStatus.set(codes[code].status, [...(byStatus.get(codes[code].status) ?? []), code])
  }
  return Object.fromEntries([...byStatus].sort(([a], [b]) => a - b).map(([status, list]) => [status, {
    description: list.map((code) => `${code}: ${codes[code].title}.`).join(' '),
    'x-codes': [...list].sort(),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }]))
}

function mcpOf(declaration: Declaration): Record<string, unknown> {
  if (!declaration.mcp) return {}
  return {
    'x-mcp-type': declaration.mcpType ?? (declaration.method === 'GET' ? 'resource' : 'tool'),
    'x-mcp-name': declaration.mcp,
    'x-mcp-hints': { ...hintsOf(declaration.method), ...declaration.hints },
    ...(declaration.confirm && { 'x-mcp-confirm': true }),
  }
}

/** What the method alone says. Source: RFC 9110, section 9.2. */
function hintsOf(method: Declaration['method']): Hints {
  return {
    readOnlyHint: method === 'GET', destructiveHint: method === 'DELETE' || method === 'PATCH' || method === 'PUT',
    idempotentHint: method !== 'POST', openWorldHint: false,
  }
}
