import { Type, object, nullable, type TSchema } from './schema.ts'

export const operators = ['eq', 'ne', 'gt', 'lt', 'gte', 'lte', 'contains', 'null', 'nnull'] as const
export type Operator = (typeof operators)[number]

/** How a value of a filter is read and compared. */
export type FilterKind = 'uuid' | 'text' | 'enum' | 'instant' | 'integer' | 'presence'

export interface FilterField {
  kind: FilterKind
  operators: readonly Operator[]
  /** For `enum`: the words that are taken. */
  values?: readonly string[]
  /** `eq` compares without case, as for e-mail. */
  insensitive?: boolean
  /** The field this one is another name of. */
  alias?: string
}

const by = (kind: FilterKind) => (...of: Operator[]): FilterField => ({ kind, operators: of })

export const byId = by('uuid')
export const byText = by('text')
export const byInstant: FilterField = { kind: 'instant', operators: ['gt', 'lt', 'gte', 'lte'] }
export const byInteger = by('integer')
export const byPresence: FilterField = { kind: 'presence', operators: ['null', 'nnull'] }
export const byEnum = (values: readonly string[], ...of: Operator[]): FilterField => ({ kind: 'enum', operators: of, values })

/** Filters that every list takes. */
export const commonFilters = { id: byId('eq'), createdAt: byInstant, updatedAt: byInstant } as const
export const commonSorters = ['id', 'createdAt', 'updatedAt'] as const

/** A list, declared once: from it come the parameters, their checks, the SQL and the document. */
export interface ListDeclaration {
  /** Schema of one row; without it the declaration only lends its parameters to an operation that answers otherwise. */
  of?: TSchema
  filters: Readonly<Record<string, FilterField>>
  sorters: readonly string[]
}

export interface Condition { field: string; operator: Operator; value: string | number | null; path: string }
export interface Group { operator: 'and' | 'or'; value: readonly FilterNode[] }
export type FilterNode = Condition | Group
export interface Sorter { field: string; order: 'asc' | 'desc' }

/** What a caller asked of a list, already checked against its declaration. */
export interface Page {
  currentPage: number
  pageSize: number
  /** Whether the caller sent currentPage or pageSize. */
  explicit: boolean
  cursor: string | null
  filters: Group
  sorters: readonly Sorter[]
}

/** The first page of a list of which nothing is asked. */
export const emptyPage: Page = {
  currentPage: 1, pageSize: 10, explicit: false, cursor: null, filters: { operator: 'and', value: [] }, sorters: [],
}

/** One page of rows, as rules return it. */
export interface Listed<T> {
  data: T[]
  total: number
  currentPage: number
  pageSize: number
  nextCursor: string | null
  totalIsEstimate?: true
}

/** The one envelope of every list. @param title name of the schema in the document, as `PassportList`. */
export function listOf(of: TSchema, title: string) {
  return object({
    data: Type.Array(of, { description: 'The rows of this page, in the order asked for.' }),
    total: Type.Integer({ minimum: 0, description: 'How many rows match, over all pages.' }),
    currentPage: Type.Integer({ minimum: 1, description: 'The page answered, from 1.' }),
    pageSize: Type.Integer({ minimum: 1, maximum: 100, description: 'The most rows a page can have.' }),
    nextCursor: nullable(Type.String({ description: 'Send it as `cursor` to go on at constant cost; null on the last page.' })),
    totalIsEstimate: Type.Optional(Type.Boolean({ description: 'True where `total` is an estimate of the planner.' })),
  }, { title, description: 'One page of a list.' })
}

/** `{data, …}` with its rows changed. */
export function mapListed<A, B>(listed: Listed<A>, change: (row: A) => B): Listed<B> {
  return { ...listed, data: listed.data.map(change) }
}
