import { parse } from 'qs'
import { problem, type Violation } from '../kernel/problem.ts'
import type { Code } from '../kernel/codes.ts'
import {
  operators, type Condition, type FilterField, type FilterNode, type Group, type ListDeclaration, type Operator, type Page, type Sorter,
} from '../kernel/page.ts'

/** Bounds on a filter, so that no query text grows past reason. */
const maxLeaves = 50
const maxDepth = 5
const maxSorters = 5
const maxText = 1_000

type Tree = Record<string, unknown>

/**
 * The query string as a tree. Brackets nest (`filters[status][eq]=draft`); the same key twice is a list of both.
 * Keys never reach a prototype. @throws INVALID_REQUEST past 500 parameters
 */
export function parseQuery(text: string): Tree {
  if (text.includes('__proto__') || text.includes('%00')) {
    throw problem('INVALID_REQUEST', 'The query string has a name or character that nothing here takes.', { path: 'query' })
  }
  try {
    return parse(text, {
      depth: 24, parameterLimit: 500, arrayLimit: 500, parseArrays: false, throwOnLimitExceeded: true, plainObjects: true,
      strictDepth: true,
    }) as Tree
  } catch {
    throw problem('INVALID_REQUEST', 'The query string has too many parameters or nests too deep.', { path: 'query' })
  }
}

const refuse = (code: Code, errors: Violation[]) => problem(code, errors[0]?.message ?? 'The parameter is not valid.', { errors })
const fail = (code: Code, path: string, message: string) => refuse(code, [{ path, code: code.toLowerCase(), message }])

/** Takes the list parameters out of the tree and judges them against the declaration. What is left stays in `query`. */
export function readPage(query: Tree, list: ListDeclaration): Page {
  const { currentPage, pageSize, cursor, filters, sorters } = query
  for (const name of ['currentPage', 'pageSize', 'cursor', 'filters', 'sorters']) delete query[name]
  const page: Page = {
    currentPage: whole(currentPage, 'currentPage', 1, 1_000_000_000),
    pageSize: pageSize === undefined ? 10 : whole(pageSize, 'pageSize', 1, 100),
    explicit: currentPage !== undefined || pageSize !== undefined,
    cursor: readCursor(cursor),
    filters: new FilterReader(list).read(filters),
    sorters: readSorters(sorters, list),
  }
  if (page.cursor !== null && currentPage !== undefined) {
    throw fail('INVALID_PAGINATION', 'cursor', 'cursor and currentPage exclude each other.')
  }
  return page
}

function whole(value: unknown, path: string, least: number, most: number): number {
  if (value === undefined) return least
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN
  if (!(number >= least && number <= most)) {
    throw fail('INVALID_PAGINATION', path, `${path} must be a whole number from ${least} to ${most}.`)
  }
  return number
}

function readCursor(value: unknown): string | null {
  if (value === undefined) return null
  if (typeof value === 'string' && /^[A-Za-z0-9_-]{1,2000}$/.test(value)) return value
  throw fail('INVALID_PAGINATION', 'cursor', 'cursor must be the nextCursor of an earlier answer.')
}

const isObject = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)
const isIndex = (name: string) => /^\d{1,4}$/.test(name)

/** An array written as JSON, as brackets with indices, or a mixture; anything else is null. */
function entriesOf(value: unknown): [string, unknown][] | null {
  if (Array.isArray(value)) return value.map((item, at) => [String(at), item])
  if (isObject(value)) return Object.entries(value)
  return null
}

class FilterReader {
  private leaves = 0
  readonly #list: ListDeclaration

  constructor(list: ListDeclaration) {
    this.#list = list
  }

  /** Top-level filters are joined by `and`. */
  read(value: unknown): Group {
    if (value === undefined || value === '') return { operator: 'and', value: [] }
    const parts = Array.isArray(value) && value.some((part) => typeof part === 'string') ? value : [value]
    return { operator: 'and', value: parts.flatMap((part) => this.#nodes(fromJson(part), 'filters', 1)) }
  }

  #nodes(value: unknown, path: string, depth: number): FilterNode[] {
    const entries = entriesOf(value)
    if (!entries) throw fail('INVALID_FILTER', path, 'Filters are an array, or brackets of field and operator.')
    return entries.flatMap(([name, node]) => isIndex(name)
      ? [this.#node(node, `${path}[${name}]`, depth)]
      : this.#shorthand(name, node, `${path}[${name}]`))
  }

  /** `filters[status][eq]=draft`; several operators and repeated values all apply. */
  #shorthand(field: string, value: unknown, path: string): FilterNode[] {
    if (!isObject(value)) throw fail('INVALID_FILTER', path, `Write ${path}[<operator>]=<value>.`)
    return Object.entries(value).flatMap(([operator, given]) =>
      (Array.isArray(given) ? given : [given]).map((one) => this.#condition(field, operator, one, `${path}[${operator}]`)))
  }

  #node(node: unknown, path: string, depth: number): FilterNode {
    if (depth > maxDepth) throw fail('INVALID_FILTER', path, `Groups nest at most ${maxDepth} deep.`)
    if (!isObject(node)) throw fail('INVALID_FILTER', path, 'A filter is an object of field, operator and value.')
    const extra = Object.keys(node).find((name) => !['field', 'operator', 'value'].includes(name))
    if (extra !== undefined) throw fail('INVALID_FILTER', `${path}.${extra}`, 'A filter has field, operator and value only.')
    const { field, operator, value } = node
    if (field !== undefined) return this.#condition(field, operator, value, path)
    if (operator !== 'or' && operator !== 'and') {
      throw fail('INVALID_FILTER', `${path}.operator`, 'A group has the operator or, or and; a filter needs a field.')
    }
    const nodes = this.#nodes(value, `${path}.value`, depth + 1)
    if (nodes.length === 0) throw fail('INVALID_FILTER', `${path}.value`, 'A group needs at least one filter.')
    return { operator, value: nodes }
  }

  #condition(field: unknown, operator: unknown, value: unknown, path: string): Condition {
    if (++this.leaves > maxLeaves) throw fail('INVALID_FILTER', path, `At most ${maxLeaves} filters.`)
    if (typeof field !== 'string' || !Object.hasOwn(this.#list.filters, field)) {
      throw fail('INVALID_FILTER', path, `This list does not filter by ${label(field)}.`)
    }
    const declared = this.#list.filters[field] as FilterField
    if (!isOperator(operator) || !declared.operators.includes(operator)) {
      throw fail('INVALID_FILTER', path, `${field} takes ${declared.operators.join(', ')}, not ${label(operator)}.`)
    }
    const judged = operator === 'null' || operator === 'nnull' ? null : readValue(declared, value)
    if (judged === undefined) throw fail('INVALID_FILTER', path, `${field} takes ${valueHint(declared)}.`)
    return { field: declared.alias ?? field, operator, value: judged, path }
  }
}

const isOperator = (value: unknown): value is Operator => operators.includes(value as Operator)
const label = (value: unknown) => typeof value === 'string' ? `"${value.slice(0, 60)}"` : 'that'

function fromJson(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    throw fail('INVALID_FILTER', 'filters', 'filters is not well-formed JSON.')
  }
}

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const instantShape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/

/** The value in its type, or undefined where it has another. */
function readValue(field: FilterField, value: unknown): string | number | undefined {
  if (field.kind === 'integer') {
    const number = typeof value === 'number' ? value : typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    return Number.isSafeInteger(number) ? number : undefined
  }
  if (typeof value !== 'string' || value.includes('\0') || value.length > maxText || !value.isWellFormed()) return undefined
  switch (field.kind) {
    case 'uuid': return uuidShape.test(value) ? value.toLowerCase() : undefined
    case 'instant': return instantShape.test(value) && realInstant(value) ? value : undefined
    case 'enum': return field.values?.includes(value) ? value : undefined
    default: return value
  }
}

function realInstant(value: string): boolean {
  const time = Date.parse(value)
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === value.slice(0, 10)
}

function valueHint(field: FilterField): string {
  if (field.kind === 'enum') return `one of ${field.values?.join(', ')}`
  return { uuid: 'a UUID', instant: 'an RFC 3339 instant in UTC ending in Z', integer: 'a whole number', text: 'text', presence: 'no value' }[field.kind]
}

function readSorters(value: unknown, list: ListDeclaration): Sorter[] {
  if (value === undefined || value === '') return []
  const entries = entriesOf(typeof value === 'string' ? sortersFromJson(value) : value)
  if (!entries || entries.some(([name]) => !isIndex(name))) throw fail('INVALID_SORTER', 'sorters', 'Sorters are an array of field and order.')
  if (entries.length > maxSorters) throw fail('INVALID_SORTER', 'sorters', `At most ${maxSorters} sorters.`)
  return entries.map(([at, item]) => readSorter(item, `sorters[${at}]`, list))
}

function sortersFromJson(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    throw fail('INVALID_SORTER', 'sorters', 'sorters is not well-formed JSON.')
  }
}

function readSorter(item: unknown, path: string, list: ListDeclaration): Sorter {
  if (!isObject(item) || Object.keys(item).some((name) => name !== 'field' && name !== 'order')) {
    throw fail('INVALID_SORTER', path, 'A sorter has field and order.')
  }
  const { field, order = 'asc' } = item
  if (typeof field !== 'string' || !list.sorters.includes(field)) {
    throw fail('INVALID_SORTER', `${path}.field`, `This list sorts by ${list.sorters.join(', ')}.`)
  }
  if (order !== 'asc' && order !== 'desc') throw fail('INVALID_SORTER', `${path}.order`, 'order is asc or desc.')
  return { field, order }
}
