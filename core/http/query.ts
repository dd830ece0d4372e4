import type { ListDeclaration, Page, Sorter } from '../kernel/page.ts'
import type { Faults } from './faults.ts'
import { fromJson, itemsOf, membersOf, oneOf, readFilters } from './filters.ts'
import { treeOf, type Parameter } from './parameters.ts'

const maxSorters = 5
const listNames: readonly string[] = ['currentPage', 'pageSize', 'cursor', 'filters', 'sorters']

/** Splits the parameters that every list takes from the operation's own. */
export function splitQuery(parameters: readonly Parameter[]): { ofList: Parameter[]; own: Parameter[] } {
  const isOfList = ({ root, steps }: Parameter) =>
    listNames.includes(root) && (steps.length === 0 || root === 'filters' || root === 'sorters')
  return { ofList: parameters.filter(isOfList), own: parameters.filter((parameter) => !isOfList(parameter)) }
}

/** What is asked of a list, judged against its declaration. What is wrong goes to `faults`, each at its path. */
export function readPage(parameters: readonly Parameter[], list: ListDeclaration, faults: Faults): Page {
  const of = (name: string) => parameters.filter(({ root }) => root === name)
  const [currentPage, pageSize, cursors] = [of('currentPage'), of('pageSize'), of('cursor')]
  const page: Page = {
    currentPage: whole(currentPage, { path: 'currentPage', standard: 1, most: 1_000_000_000 }, faults),
    pageSize: whole(pageSize, { path: 'pageSize', standard: 10, most: 100 }, faults),
    explicit: currentPage.length > 0 || pageSize.length > 0,
    cursor: readCursor(cursors, faults),
    filters: readFilters(of('filters'), list, faults),
    sorters: readSorters(of('sorters'), list, faults),
  }
  if (cursors.length > 0 && currentPage.length > 0) {
    faults.add('INVALID_PAGINATION', {
      path: 'cursor',
      code: 'conflict',
      message: 'and currentPage exclude each other',
    })
  }
  return page
}

interface Bounds {
  path: string
  standard: number
  most: number
}

/** A whole number from 1. */
function whole(given: readonly Parameter[], { path, standard, most }: Bounds, faults: Faults): number {
  const [first, ...others] = given
  if (!first) return standard
  const number = others.length === 0 && /^\d{1,10}$/.test(first.value) ? Number(first.value) : Number.NaN
  if (number >= 1 && number <= most) return number
  faults.add('INVALID_PAGINATION', { path, code: 'range', message: `must be one whole number from 1 to ${most}` })
  return standard
}

function readCursor(given: readonly Parameter[], faults: Faults): string | null {
  const [first, ...others] = given
  if (!first) return null
  if (others.length === 0 && /^[A-Za-z0-9_-]{1,4000}$/.test(first.value)) return first.value
  faults.add('INVALID_PAGINATION', {
    path: 'cursor',
    code: 'malformed',
    message: 'must be the nextCursor of an earlier answer',
  })
  return null
}

function readSorters(parameters: readonly Parameter[], list: ListDeclaration, faults: Faults): Sorter[] {
  const fail = (path: string, code: string, message: string): [] => {
    faults.add('INVALID_SORTER', { path, code, message })
    return []
  }
  const { texts, tree } = treeOf(parameters, (path) => fail(path, 'malformed', 'has both a value and names below it'))
  const groups = [...texts.filter((text) => text !== '').map(fromJson), tree].map(itemsOf)
  if (groups.some((items) => !items || items.some(([name]) => !/^\d{1,4}$/.test(name)))) {
    return fail('sorters', 'malformed', 'must be an array of field and order')
  }
  const items = groups.flatMap((group) => group ?? [])
  if (items.length > maxSorters) return fail('sorters', 'max_items', `has more than ${maxSorters} items`)
  return items.flatMap(([at, item]) => readSorter(item, `sorters[${at}]`, list, fail))
}

type Fail = (path: string, code: string, message: string) => []

function readSorter(item: unknown, path: string, list: ListDeclaration, fail: Fail): Sorter[] {
  const members = membersOf(item)
  if (!members || [...members.keys()].some((name) => name !== 'field' && name !== 'order'))
    return fail(path, 'type', 'must have field and order only')
  const field = oneOf(members.get('field'))
  const order = members.has('order') ? oneOf(members.get('order')) : 'asc'
  const known = typeof field === 'string' && list.sorters.includes(field)
  if (!known) fail(`${path}.field`, 'unknown_field', `must be one of ${list.sorters.join(', ')}`)
  if (order !== 'asc' && order !== 'desc') return fail(`${path}.order`, 'enum', 'must be asc or desc')
  return known ? [{ field, order }] : []
}
