import type { ListDeclaration, PageRequest, Sorter } from '../../kernel/page.ts'
import { askForNearest } from '../../kernel/text/nearest.ts'
import type { IssueCollector } from '../problems/issue-collector.ts'
import { describeSorters } from './describe-list.ts'
import { parseJson, quoteLabel, toItems, toMembers, getSingleValue, parseFilters } from './filters.ts'
import { createParameterTree, type QueryParameter } from './parameters.ts'

const maxSorters = 5
const listParameterNames: readonly string[] = ['currentPage', 'pageSize', 'cursor', 'filters', 'sorters']

/** Separates the parameters that every list has from the operation's own parameters. */
export function splitQuery(parameters: readonly QueryParameter[]): { ofList: QueryParameter[]; own: QueryParameter[] } {
  const isListParameter = ({ root, steps }: QueryParameter) =>
    listParameterNames.includes(root) && (steps.length === 0 || root === 'filters' || root === 'sorters')
  return {
    ofList: parameters.filter(isListParameter),
    own: parameters.filter((parameter) => !isListParameter(parameter)),
  }
}

/** Parses the parameters of a list against its declaration. Each error is added to `issues` with its path. */
export function parsePageRequest(
  parameters: readonly QueryParameter[],
  list: ListDeclaration,
  issues: IssueCollector,
): PageRequest {
  const getParameters = (name: string) => parameters.filter(({ root }) => root === name)
  const [currentPage, pageSize, cursors] = [
    getParameters('currentPage'),
    getParameters('pageSize'),
    getParameters('cursor'),
  ]
  const page: PageRequest = {
    currentPage: parseWholeNumber(currentPage, { path: 'currentPage', defaultValue: 1, max: 1_000_000_000 }, issues),
    pageSize: parseWholeNumber(pageSize, { path: 'pageSize', defaultValue: 10, max: 100 }, issues),
    isPageExplicit: currentPage.length > 0 || pageSize.length > 0,
    cursor: parseCursor(cursors, issues),
    filters: parseFilters(getParameters('filters'), list, issues),
    sorters: parseSorters(getParameters('sorters'), list, issues),
  }
  if (cursors.length > 0 && currentPage.length > 0) {
    issues.add('INVALID_PAGINATION', {
      path: 'cursor',
      code: 'conflict',
      message: 'and currentPage exclude each other',
    })
  }
  return page
}

interface NumberBounds {
  path: string
  defaultValue: number
  max: number
}

/** Parses a whole number from 1 to `max`. */
function parseWholeNumber(
  values: readonly QueryParameter[],
  { path, defaultValue, max }: NumberBounds,
  issues: IssueCollector,
): number {
  const [first, ...others] = values
  if (!first) return defaultValue
  const number = others.length === 0 && /^\d{1,10}$/.test(first.value) ? Number(first.value) : Number.NaN
  if (number >= 1 && number <= max) return number
  issues.add('INVALID_PAGINATION', { path, code: 'range', message: `must be one whole number from 1 to ${max}` })
  return defaultValue
}

function parseCursor(values: readonly QueryParameter[], issues: IssueCollector): string | null {
  const [first, ...others] = values
  if (!first) return null
  if (others.length === 0 && /^[A-Za-z0-9_-]{1,4000}$/.test(first.value)) return first.value
  issues.add('INVALID_PAGINATION', {
    path: 'cursor',
    code: 'malformed',
    message: 'must be the nextCursor of an earlier answer',
  })
  return null
}

function parseSorters(parameters: readonly QueryParameter[], list: ListDeclaration, issues: IssueCollector): Sorter[] {
  const addIssue: AddIssue = (path, code, message, advice) => {
    issues.add('INVALID_SORTER', { path, code, message }, advice)
    return []
  }
  const { texts, tree } = createParameterTree(parameters, (path) =>
    addIssue(path, 'malformed', 'has both a value and names below it'),
  )
  const groups = [...texts.filter((text) => text !== '').map(parseJson), tree].map(toItems)
  if (groups.some((items) => !items || items.some(([name]) => !/^\d{1,4}$/.test(name)))) {
    return addIssue('sorters', 'malformed', 'must be an array of field and order')
  }
  const items = groups.flatMap((group) => group ?? [])
  if (items.length > maxSorters) return addIssue('sorters', 'max_items', `has more than ${maxSorters} items`)
  return items.flatMap(([at, item]) => parseSorter(item, `sorters[${at}]`, list, addIssue))
}

type AddIssue = (path: string, code: string, message: string, advice?: string) => []

function parseSorter(item: unknown, path: string, list: ListDeclaration, addIssue: AddIssue): Sorter[] {
  const members = toMembers(item)
  if (!members || [...members.keys()].some((name) => name !== 'field' && name !== 'order'))
    return addIssue(path, 'type', 'must have field and order only')
  const field = getSingleValue(members.get('field'))
  const order = members.has('order') ? getSingleValue(members.get('order')) : 'asc'
  const isKnown = typeof field === 'string' && list.sorters.includes(field)
  if (!isKnown) addIssue(`${path}.field`, 'unknown_field', describeUnknownSorter(field, list), describeSorters(list))
  if (order !== 'asc' && order !== 'desc') return addIssue(`${path}.order`, 'enum', 'must be asc or desc')
  return isKnown ? [{ field, order }] : []
}

const describeUnknownSorter = (field: unknown, { sorters }: ListDeclaration): string =>
  `names ${quoteLabel(field)}, which is no sorter here${typeof field === 'string' ? askForNearest(sorters, field.slice(0, 60)) : ''}`
