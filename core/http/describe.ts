import type { OpenAPIV3_1 as OpenApi } from 'openapi-types'
import type { Declaration, Hints, Operation } from '../kernel/operation.ts'
import type { TSchema } from '../kernel/schema.ts'
import { parametersOf } from './describe.parameters.ts'
import { ProblemSchema, problemResponses, successResponse } from './describe.responses.ts'
import { Shared, type Parts } from './describe.schemas.ts'
import { describeTags } from './describe.tags.ts'
import { Examples } from './examples/examples.ts'
import type { Plain } from './examples/sample.ts'

/** The document of the operations: written once at start, committed, served. OpenAPI 3.1. @throws Error when two contents share a title */
export function describe(operations: readonly Operation[], info: { version: string }): OpenApi.Document {
  const parts: Parts = { shared: new Shared(), examples: new Examples() }
  const paths: Record<string, Record<string, unknown>> = {}
  const described = operations.filter(({ declaration }) => !declaration.hidden && !declaration.page)
  for (const { declaration } of described) {
    const path = declaration.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [declaration.method.toLowerCase()]: describeOperation(declaration, parts) }
  }
  parts.shared.lift(ProblemSchema)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tessera',
      version: info.version,
      contact: { name: 'The operator of this installation' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description:
        'Product passports, claims and events over REST. Every operation with x-mcp-type is also offered to assistants by the bridge.',
    },
    servers: [{ url: '/', description: 'This installation.' }],
    tags: describeTags(described.map(({ declaration }) => declaration.tag)),
    paths: sorted(paths) as OpenApi.PathsObject,
    components: {
      schemas: parts.shared.schemas() as never,
      examples: parts.examples.components() as never,
      securitySchemes: schemes as never,
    },
  }
}

const schemes = {
  api_key: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: 'Key of an organization; only its own permissions count.',
  },
  bearer: { type: 'http', scheme: 'bearer', description: 'Key of an organization, or session token of a buyer.' },
  session: { type: 'apiKey', in: 'cookie', name: 'tessera.session', description: 'Session of a member.' },
  user: { type: 'apiKey', in: 'cookie', name: 'tessera.user', description: 'Session of a buyer.' },
}

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))

function describeOperation(declaration: Declaration, parts: Parts): Record<string, unknown> {
  return {
    operationId: declaration.id,
    summary: declaration.summary,
    ...(declaration.description && { description: declaration.description }),
    tags: [declaration.tag],
    security: securityOf(declaration),
    'x-access': declaration.access,
    parameters: parametersOf(declaration, parts.shared),
    ...(declaration.body && { requestBody: requestBodyOf(declaration, parts) }),
    ...(declaration.upload && { requestBody: uploadOf(declaration, declaration.upload, parts) }),
    responses: { ...successResponse(declaration, parts), ...problemResponses(declaration, parts) },
    ...mcpOf(declaration),
  }
}

function securityOf({ access }: Declaration): Record<string, never[]>[] {
  const key = [{ api_key: [] }, { bearer: [] }]
  if (access === 'public') return [{}, ...key, { session: [] }, { user: [] }]
  if (access === 'endUser') return [{ bearer: [] }, { user: [] }]
  if (access === 'member') return [{ session: [] }, { bearer: [] }]
  if (access === 'session') return [{ bearer: [] }, { session: [] }, { user: [] }]
  if (access === 'signedIn') return [...key, { session: [] }, { user: [] }]
  return [...key, { session: [] }]
}

function requestBodyOf(declaration: Declaration, { shared, examples }: Parts): unknown {
  const schema = shared.lift(declaration.body as TSchema)
  const { examples: told } = examples.of(declaration.body as Plain | null, declaration.id, 'application/json')
  const types =
    declaration.method === 'PATCH' ? ['application/json', 'application/merge-patch+json'] : ['application/json']
  return {
    required: !('default' in (declaration.body as object)),
    description: `At most ${(declaration.bodyLimit ?? 1024 * 1024).toLocaleString('en')} bytes.`,
    content: Object.fromEntries(types.map((type) => [type, { schema, examples: told }])),
  }
}

function uploadOf({ id, bodyLimit = 0 }: Declaration, types: NonNullable<Declaration['upload']>, { shared, examples }: Parts): unknown {
  return {
    required: true,
    description: `Read as it comes. At most ${bodyLimit.toLocaleString('en')} bytes, unpacked; Content-Encoding may be gzip.`,
    content: Object.fromEntries(Object.entries(types).map(([type, schema]) =>
      [type, { schema: shared.lift(schema), ...examples.of(schema as Plain, id, type) }])),
  }
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
    readOnlyHint: method === 'GET',
    destructiveHint: method === 'DELETE' || method === 'PATCH' || method === 'PUT',
    idempotentHint: method !== 'POST',
    openWorldHint: false,
  }
}
