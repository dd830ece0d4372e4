import { readFileSync } from 'node:fs'
import type { OpenAPIV3_1 as OpenApi } from 'openapi-types'
import { documentOperations, type DocumentOperation } from '../access/operations.ts'

export type Schema = OpenApi.SchemaObject & { $ref?: string; patternProperties?: object }

/** A parameter of the query that is no part of a list. */
export interface QueryParameter {
  name: string
  schema: Schema
}

/** What a list can be filtered and sorted by: the pairs that its description names. */
export interface ListFilters {
  pairs: readonly { field: string; operator: string; words: readonly string[] }[]
  sorters: readonly string[]
}

/** An operation as the document tells it, with what a hostile caller looks for. */
export interface FuzzTarget extends DocumentOperation {
  params: readonly string[]
  queryParameters: readonly QueryParameter[]
  list: ListFilters | null
  types: readonly string[]
}

const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as OpenApi.Document

/** What a reference stands for; other schemas as they are. */
export function resolveReference(schema: Schema): Schema {
  if (!schema.$ref) return schema
  return (document.components?.schemas?.[schema.$ref.split('/').at(-1) ?? ''] ?? {}) as Schema
}

const listNames = ['currentPage', 'pageSize', 'cursor', 'filters', 'sorters']

/** `status, source eq ne (draft, published)` as its pairs, from the line of a list's description. */
function pairsOf(description: string): ListFilters['pairs'] {
  const [, line = ''] = /Filters: (.*)\. Sorters: /.exec(description) ?? []
  return line.split('; ').flatMap((group) => {
    const [, fields = '', operators = '', words] = /^(\S+(?:, \S+)*) ([a-z ]+?)(?: \((.*)\))?$/.exec(group) ?? []
    return fields
      .split(', ')
      .flatMap((field) =>
        operators.split(' ').map((operator) => ({ field, operator, words: words?.split(', ') ?? [] })),
      )
  })
}

const sortersOf = (description: string) => (/Sorters: (.*)\.$/.exec(description)?.[1] ?? '').split(', ')

function targetOf(operation: DocumentOperation): FuzzTarget {
  const methods = document.paths?.[operation.path] as Record<string, OpenApi.OperationObject> | undefined
  const described = methods?.[operation.method.toLowerCase()]
  const parameters = (described?.parameters ?? []) as OpenApi.ParameterObject[]
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  const text = described?.description ?? ''
  const body = described?.requestBody as OpenApi.RequestBodyObject | undefined
  return {
    ...operation,
    params: parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
    queryParameters: inQuery
      .filter(({ name }) => !operation.hasList || !listNames.includes(name))
      .map(({ name, schema }) => ({ name, schema: schema as Schema })),
    list: operation.hasList ? { pairs: pairsOf(text), sorters: sortersOf(text) } : null,
    types: Object.keys(body?.content ?? {}),
  }
}

export const targets: readonly FuzzTarget[] = documentOperations.map(targetOf)
