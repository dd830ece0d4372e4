import { Type, object, nullable, type TSchema } from './schema.ts'

export const filterOperators = ['eq', 'ne', 'gt', 'lt', 'gte', 'lte', 'contains', 'null', 'nnull'] as const
export type FilterOperator = (typeof filterOperators)[number]

/** The type of a filter's values, which decides how they are parsed and compared. */
export type FilterKind = 'uuid' | 'text' | 'enum' | 'instant' | 'integer' | 'presence'

export interface FilterField {
  kind: FilterKind
  operators: readonly FilterOperator[]
  /** For `enum`: the allowed values. */
  values?: readonly string[]
  /** `eq` ignores case, as for e-mail. */
  insensitive?: boolean
  /** Name of the field for which this one is another name. */
  alias?: string
}

const createFilterField =
  (kind: FilterKind) =>
  (...allowedOperators: FilterOperator[]): FilterField => ({ kind, operators: allowedOperators })

export const uuidFilter = createFilterField('uuid')
export const textFilter = createFilterField('text')
export const instantFilter: FilterField = { kind: 'instant', operators: ['gt', 'lt', 'gte', 'lte'] }
export const presenceFilter: FilterField = { kind: 'presence', operators: ['null', 'nnull'] }
export const enumFilter = (values: readonly string[], ...allowedOperators: FilterOperator[]): FilterField => ({
  kind: 'enum',
  operators: allowedOperators,
  values,
})

/** Filters and sorters of every list whose rows have these members. A list of rows that never change has no `updatedAt`. */
export const commonFilters = { id: uuidFilter('eq'), createdAt: instantFilter, updatedAt: instantFilter } as const
export const commonSorters = ['id', 'createdAt', 'updatedAt'] as const

/** A list, declared once. The parameters, their validation, the SQL and the OpenAPI document are derived from it. */
export interface ListDeclaration {
  /** Schema of one row. Without it, the operation has the parameters of a list but another kind of answer. */
  rowSchema?: TSchema
  filters: Readonly<Record<string, FilterField>>
  sorters: readonly string[]
}

export interface FilterCondition {
  field: string
  operator: FilterOperator
  value: string | number | null
  path: string
}
export interface FilterGroup {
  operator: 'and' | 'or'
  value: readonly FilterNode[]
}
export type FilterNode = FilterCondition | FilterGroup
export interface Sorter {
  field: string
  order: 'asc' | 'desc'
}

/** A caller's request for a page of a list, already validated against the declaration of the list. */
export interface PageRequest {
  currentPage: number
  pageSize: number
  /** Whether the caller sent currentPage or pageSize. */
  isPageExplicit: boolean
  cursor: string | null
  filters: FilterGroup
  sorters: readonly Sorter[]
}

/** Path of the condition that keeps a list within the application of a key. No caller sent it. */
export const scopePath = 'the application of the key'

/** Checks whether the caller sent filters. */
export const isFiltered = ({ filters }: PageRequest): boolean =>
  filters.value.some((node) => !('path' in node && node.path === scopePath))

/** The first page of a list, without filters or sorters. */
export const defaultPageRequest: PageRequest = {
  currentPage: 1,
  pageSize: 10,
  isPageExplicit: false,
  cursor: null,
  filters: { operator: 'and', value: [] },
  sorters: [],
}

/** One page of rows. */
export interface PageResult<T> {
  data: T[]
  total: number
  currentPage: number
  pageSize: number
  nextCursor: string | null
  totalIsEstimate?: true
}

/**
 * Creates the schema of an answer of a list. @param title name of the schema in the OpenAPI document, such as
 * `PassportList`
 */
export function createListSchema(rowSchema: TSchema, title: string) {
  return object(
    {
      data: Type.Array(rowSchema, { description: 'The rows of this page, in the order asked for.' }),
      total: Type.Integer({ minimum: 0, description: 'How many rows match, over all pages.' }),
      currentPage: Type.Integer({ minimum: 1, description: 'The page answered, from 1.' }),
      pageSize: Type.Integer({ minimum: 1, maximum: 100, description: 'The most rows a page can have.' }),
      nextCursor: nullable(
        Type.String({ description: 'Send it as `cursor` to go on at constant cost; null on the last page.' }),
      ),
      totalIsEstimate: Type.Optional(
        Type.Boolean({ description: 'True where `total` is an estimate of the planner.' }),
      ),
    },
    { title, description: 'One page of a list.' },
  )
}

/** Replaces each row of a page by the result of `change`. */
export function mapPageResult<A, B>(result: PageResult<A>, change: (row: A) => B): PageResult<B> {
  return { ...result, data: result.data.map(change) }
}

/**
 * Reads all rows of a list page after page, by cursor.
 * @param page the filters and the order; its page size is the number of rows that are held at a time
 */
export async function* readAllPages<T>(
  page: PageRequest,
  readPage: (request: PageRequest) => Promise<PageResult<T>>,
): AsyncGenerator<T[]> {
  let cursor: string | null = null
  do {
    const { data, nextCursor }: PageResult<T> = await readPage({ ...page, currentPage: 1, cursor })
    yield data
    cursor = nextCursor
  } while (cursor !== null)
}
