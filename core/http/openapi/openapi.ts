import type { OpenAPIV3_1 as OpenApi } from 'openapi-types'
import type { OperationDeclaration, McpHints, Operation } from '../../kernel/operation.ts'
import type { FilterField, ListDeclaration } from '../../kernel/page.ts'
import type { TSchema } from '../../kernel/schema.ts'
import { describeParameters } from './openapi.parameters.ts'
import { ProblemSchema, describeProblems, describeSuccess } from './openapi.responses.ts'
import { describeList } from '../query/describe-list.ts'
import { SharedSchemas, type DocumentComponents } from './openapi.schemas.ts'
import type { McpServer } from './openapi.server.ts'
import { describeTags } from './openapi.tags.ts'
import { Examples } from './examples/examples.ts'
import type { JsonSchema } from './examples/create-example.ts'

/**
 * Creates the OpenAPI 3.1 document of the operations. It is committed, and served as a file.
 * @param info `schemas`: components that no operation refers to
 * @throws Error if two different schemas share a title
 */
export function createOpenApiDocument(
  operations: readonly Operation[],
  info: {
    version: string
    tags?: Readonly<Record<string, string>>
    server?: McpServer
    schemas?: readonly object[]
  },
): OpenApi.Document {
  const components: DocumentComponents = { schemas: new SharedSchemas(), examples: new Examples() }
  const paths: Record<string, Record<string, unknown>> = {}
  const visibleOperations = operations.filter(
    ({ declaration }) => !declaration.document.isHidden && !declaration.transport.page,
  )
  for (const { declaration } of visibleOperations) {
    const path = declaration.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [declaration.method.toLowerCase()]: describeOperation(declaration, components) }
  }
  components.schemas.share(ProblemSchema)
  for (const schema of info.schemas ?? []) components.schemas.share(schema)
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
    ...(info.server && { 'x-mcp-server': info.server }),
    tags: describeTags(
      visibleOperations.map(({ declaration }) => declaration.document.tag),
      info.tags ?? {},
    ),
    paths: sortMembers(paths) as OpenApi.PathsObject,
    components: {
      schemas: components.schemas.listSchemas() as never,
      examples: components.examples.listExamples() as never,
      securitySchemes: securitySchemes as never,
    },
  }
}

const securitySchemes = {
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

const sortMembers = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))

function describeOperation(declaration: OperationDeclaration, components: DocumentComponents): Record<string, unknown> {
  const { tag, summary } = declaration.document
  const description = describePurpose(declaration)
  return {
    operationId: declaration.id,
    summary,
    ...(description && { description }),
    tags: [tag],
    security: describeSecurity(declaration),
    'x-access': [declaration.access.rule].flat().join(' or '),
    ...(declaration.scope && { 'x-key-scope': 'application' }),
    parameters: describeParameters(declaration, components.schemas),
    ...(declaration.body && { requestBody: describeRequestBody(declaration, components) }),
    ...(declaration.upload && { requestBody: describeUpload(declaration, declaration.upload, components) }),
    responses: { ...describeSuccess(declaration, components), ...describeProblems(declaration, components) },
    ...describeMcp(declaration),
  }
}

/** Returns the description of an operation. That of a list also names its filters and sorters. */
function describePurpose({ document: { description }, list }: OperationDeclaration): string | undefined {
  return list ? [description, describeList(list)].filter((text) => text !== undefined).join(' ') : description
}

function describeSecurity({ access: { rule: access } }: OperationDeclaration): Record<string, never[]>[] {
  const key = [{ api_key: [] }, { bearer: [] }]
  if (access === 'public') return [{}, ...key, { session: [] }, { user: [] }]
  if (access === 'endUser') return [{ bearer: [] }, { user: [] }]
  if (access === 'member') return [{ session: [] }, { bearer: [] }]
  if (access === 'session') return [{ bearer: [] }, { session: [] }, { user: [] }]
  if (access === 'signedIn') return [...key, { session: [] }, { user: [] }]
  return [...key, { session: [] }]
}

function describeRequestBody(declaration: OperationDeclaration, { schemas, examples }: DocumentComponents): unknown {
  const schema = schemas.share(declaration.body as TSchema)
  const { examples: bodyExamples } = examples.createReference(
    declaration.body as JsonSchema | null,
    declaration.id,
    'application/json',
  )
  const types =
    declaration.method === 'PATCH' ? ['application/json', 'application/merge-patch+json'] : ['application/json']
  return {
    required: !('default' in (declaration.body as object)),
    description: `At most ${(declaration.transport.maxBodyBytes ?? 1024 * 1024).toLocaleString('en')} bytes.`,
    content: Object.fromEntries(types.map((type) => [type, { schema, examples: bodyExamples }])),
  }
}

function describeUpload(
  { id, transport: { maxBodyBytes = 0 } }: OperationDeclaration,
  types: NonNullable<OperationDeclaration['upload']>,
  { schemas, examples }: DocumentComponents,
): unknown {
  return {
    required: true,
    description: `Read as it comes. At most ${maxBodyBytes.toLocaleString('en')} bytes, unpacked; Content-Encoding may be gzip.`,
    content: Object.fromEntries(
      Object.entries(types).map(([type, schema]) => [
        type,
        { schema: schemas.share(schema), ...examples.createReference(schema as JsonSchema, id, type) },
      ]),
    ),
  }
}

function describeMcp(declaration: OperationDeclaration): Record<string, unknown> {
  const { mcpName, mcpType, mcpHints, needsConfirmation, preview } = declaration.document
  if (!mcpName) return {}
  return {
    'x-mcp-type': mcpType ?? (declaration.method === 'GET' ? 'resource' : 'tool'),
    'x-mcp-name': mcpName,
    'x-mcp-hints': { ...getDefaultHints(declaration.method), ...mcpHints },
    ...(needsConfirmation && { 'x-mcp-confirm': true }),
    ...(preview && { 'x-mcp-preview': preview }),
    ...(declaration.list?.rowSchema && describeSearch(declaration.list.filters)),
  }
}

/**
 * Describes how rows of a list are found by a text: the operators of the identifier and of the text fields, in the
 * order in which they count. A list without a field that can contain a text has none.
 */
function describeSearch(filters: ListDeclaration['filters']): Record<string, unknown> {
  const operatorsOf = ({ operators }: FilterField) => operators.filter((name) => name === 'eq' || name === 'contains')
  const texts = Object.entries(filters).filter(
    ([, field]) => field.kind === 'text' && field.alias === undefined && !field.insensitive,
  )
  if (!filters['id'] || !texts.some(([, { operators }]) => operators.includes('contains'))) return {}
  const searched = [['id', filters['id']] as const, ...texts].map(([name, field]) => [name, operatorsOf(field)])
  return { 'x-mcp-search': Object.fromEntries(searched) }
}

/** Returns the hints that follow from the HTTP method. Source: RFC 9110, section 9.2. */
function getDefaultHints(method: OperationDeclaration['method']): McpHints {
  return {
    readOnlyHint: method === 'GET',
    destructiveHint: method === 'DELETE' || method === 'PATCH' || method === 'PUT',
    idempotentHint: method !== 'POST',
    openWorldHint: false,
  }
}
