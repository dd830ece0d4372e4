import { readFileSync } from 'node:fs'
import type { OpenAPIV3_1 as OpenApi } from 'openapi-types'
import { createMinimalValue } from '../support/values/minimal-value.ts'

/** An operation as the document tells it, and nothing else: no row here is written by hand. */
export interface DocumentOperation {
  id: string
  method: string
  path: string
  access: string
  /** Whether it serves a key of one application, within that. */
  isWithinApplication: boolean
  codes: ReadonlySet<string>
  body: OpenApi.SchemaObject | null
  /** Whether another system calls it and signs its body. */
  isSigned: boolean
  /** Values of the path's parameters that their schemas refuse. */
  invalidParams: Readonly<Record<string, string>>
  /** Whether it is a file that is sent, received as it comes. */
  takesFile: boolean
  /** The query parameters it cannot do without, with values that it takes. */
  query: Readonly<Record<string, string>>
  /** Whether a request without body is refused. */
  needsBody: boolean
  /** Bytes that a body may have. */
  maxBodyBytes: number
  hasList: boolean
  /** A filter of its list that takes an identifier. */
  idFilter: string
  /** Content types of its success. */
  mediaTypes: readonly string[]
  isStream: boolean
  /** The success and redirection statuses. */
  statuses: readonly number[]
}

/** An identifier that nothing has. */
export const absentId = '00000000-0000-4000-8000-000000000000'

type Described = OpenApi.OperationObject & { 'x-access': string; 'x-key-scope'?: string }

const listParameters = ({ parameters }: Described) => (parameters ?? []) as OpenApi.ParameterObject[]

/** A text that a schema refuses: a word, unless only its length counts. */
const createInvalidText = ({ format, pattern, maxLength }: OpenApi.SchemaObject): string =>
  format === undefined && pattern === undefined && maxLength !== undefined ? 'x'.repeat(maxLength + 1) : 'nonsense'

/** The list's own identifier where it can be asked for, else the first field that takes one. */
function idFilterOf(parameters: readonly OpenApi.ParameterObject[]): string {
  const filters = parameters.find(({ name }) => name === 'filters')?.content?.['application/json']?.schema
  const { items } = (filters ?? {}) as { items?: { properties: { field: { enum: string[] } } } }
  const fields = items?.properties.field.enum ?? []
  return fields.find((field) => field === 'id') ?? fields.find((field) => /(\.id|Id|^parent)$/.test(field)) ?? 'id'
}

const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as OpenApi.Document

export const documentOperations: readonly DocumentOperation[] = Object.entries(document.paths ?? {}).flatMap(
  ([path, methods]) =>
    Object.entries(methods as Record<string, Described>).map(([method, one]) => ({
      id: String(one.operationId),
      method: method.toUpperCase(),
      path,
      access: one['x-access'],
      isWithinApplication: one['x-key-scope'] === 'application',
      codes: new Set(
        Object.values(one.responses ?? {}).flatMap(
          (response) => (response as { 'x-codes'?: string[] })['x-codes'] ?? [],
        ),
      ),
      body: ((one.requestBody as OpenApi.RequestBodyObject | undefined)?.content['application/json']?.schema
        ?? null) as OpenApi.SchemaObject | null,
      isSigned: listParameters(one).some(({ name }) => name === 'X-Signature'),
      invalidParams: Object.fromEntries(
        listParameters(one)
          .filter((parameter) => parameter.in === 'path')
          .map(({ name, schema }) => [name, createInvalidText((schema ?? {}) as OpenApi.SchemaObject)]),
      ),
      takesFile: 'multipart/form-data' in ((one.requestBody as OpenApi.RequestBodyObject | undefined)?.content ?? {}),
      query: Object.fromEntries(
        listParameters(one)
          .filter((parameter) => parameter.in === 'query' && parameter.required)
          .map(({ name, schema }) => [name, String((schema as OpenApi.SchemaObject).enum?.[0] ?? absentId)]),
      ),
      needsBody: (one.requestBody as OpenApi.RequestBodyObject | undefined)?.required === true,
      maxBodyBytes: Number(
        /At most ([\d,]+) bytes/
          .exec((one.requestBody as OpenApi.RequestBodyObject | undefined)?.description ?? '')?.[1]
          ?.replaceAll(',', '') ?? 0,
      ),
      hasList: listParameters(one).some(({ name }) => name === 'filters'),
      idFilter: idFilterOf(listParameters(one)),
      mediaTypes: Object.entries(one.responses ?? {})
        .filter(([status]) => Number(status) < 300)
        .flatMap(([, response]) => Object.keys((response as OpenApi.ResponseObject).content ?? {})),
      isStream: JSON.stringify(one.responses).includes('text/event-stream'),
      statuses: Object.keys(one.responses ?? {})
        .map(Number)
        .filter((status) => status < 400),
    })),
)

/** Whether the document says that a body may have members that it does not name. */
export function mayHaveUnknownMembers({ body }: DocumentOperation): boolean {
  const name = /^#\/components\/schemas\/(\w+)$/.exec((body as { $ref?: string } | null)?.$ref ?? '')?.[1]
  const schema = name === undefined ? body : (document.components?.schemas?.[name] as OpenApi.SchemaObject | undefined)
  return schema?.additionalProperties === true
}

/** What nothing has where identifiers are no UUIDs. */
const absentOf: Readonly<Record<string, string>> = {
  sha256: '0'.repeat(64),
  domain: 'absent.example.com',
  did: 'did:web:nobody.example',
  gtin: '09501101539990',
  channel: 'apple-wallet',
}

/** The path and query with identifiers: those that are known by name, absent ones otherwise. */
export function createOperationPath({ path, query }: DocumentOperation, ids: Record<string, string> = {}): string {
  const queryValues = Object.entries(query).map(([name, value]) => [name, ids[name] ?? value])
  // What would take away everything that others look for takes nothing.
  if (/\/passports\/(archive|delete)$/.test(path)) queryValues.push(['filters[reference][eq]', 'of-no-passport'])
  const known = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? absentOf[name] ?? absentId)
  return queryValues.length === 0
    ? known
    : `${known}?${new URLSearchParams(Object.fromEntries(queryValues) as Record<string, string>)}`
}

/** The least body that the operation's schema takes. */
export function createMinimalBody({ body }: DocumentOperation): unknown {
  return body === null ? undefined : createMinimalValue(body, document, 0)
}

export const isWriteOperation = ({ method }: DocumentOperation) => method !== 'GET'
export const needsPermission = ({ access }: DocumentOperation) => access.includes(':')
