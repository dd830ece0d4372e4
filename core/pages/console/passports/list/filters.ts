import { granularities, passportSources, passportStatuses } from '../../../../features/dpp/index.ts'
import { jobStatuses } from '../../../../kernel/job.ts'
import type { FilterNode, FilterOperator, PageRequest, Sorter } from '../../../../kernel/page.ts'
import { oneOf, optional } from '../../../../kernel/schema.ts'
import { uuidPattern } from '../../../../kernel/text/uuid.ts'
import {
  createFilter,
  createPageRequest,
  dayField,
  parseDay,
  textField,
  uuidField,
  type QueryText,
} from '../../frame/lists.ts'
import type { ApplicationChoice } from '../../frame/lists.views.ts'

export const passportOrders = ['newest', 'oldest', 'changed', 'unchanged'] as const

const sorters: Readonly<Record<(typeof passportOrders)[number], Sorter>> = {
  newest: { field: 'createdAt', order: 'desc' },
  oldest: { field: 'createdAt', order: 'asc' },
  changed: { field: 'updatedAt', order: 'desc' },
  unchanged: { field: 'updatedAt', order: 'asc' },
}

/** The fields of the form above the list, as the address of the page has them. Each is a filter of the API's list. */
export const filterFields = {
  search: textField('Part of a name or reference, a number, an identifier, or the e-mail address that may claim.'),
  status: optional(oneOf(['', ...passportStatuses], 'The status, if not all.')),
  application: uuidField('The application, if not all.'),
  sheet: uuidField('The sheet, if not all.'),
  granularity: optional(oneOf(['', ...granularities], 'What the product stands for, if not all.')),
  source: optional(oneOf(['', ...passportSources], 'How they came to be, if not all.')),
  import: uuidField('The import that made them.'),
  certify: optional(oneOf(['', ...jobStatuses], 'What became of them in the last job that certified them.')),
  model: textField('The number of their model.'),
  batch: textField('The number of their batch.'),
  owner: uuidField('The account that claimed them.'),
  since: dayField('First day of those that were created, as 2026-03-01.'),
  until: dayField('Last day of those that were created.'),
  changed: dayField('First day of those that were changed.'),
  order: optional(oneOf(passportOrders, 'What comes first.')),
}
export type FilterName = keyof typeof filterFields
export const filterNames = Object.keys(filterFields) as FilterName[]

/** The filters of a list as its address has them. */
export interface PassportQuery extends Partial<Record<Exclude<FilterName, 'order'>, string>> {
  order?: (typeof passportOrders)[number]
}

/** The most sheets whose passports a search finds by the name of the sheet. */
const maxSearchedSheets = 20

/** Creates the filter of what people search for: anything by which they may know a passport. */
function createSearchFilter(search: string, sheets: readonly ApplicationChoice[]): FilterNode[] {
  const text = search.trim()
  if (text === '') return []
  if (uuidPattern.test(text)) return createFilter('id', 'eq', text.toLowerCase())
  if (text.includes('@')) return createFilter('allowedClaimEmail', 'eq', text)
  const named = sheets.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())).slice(0, maxSearchedSheets)
  const value = [
    ...createFilter('reference', 'contains', text),
    ...createFilter('product.name', 'contains', text),
    ...['product.itemNumber', 'product.batchNumber', 'product.modelNumber'].flatMap((field) =>
      createFilter(field, 'eq', text),
    ),
    ...named.flatMap(({ id }) => createFilter('product', 'eq', id)),
  ]
  return [{ operator: 'or', value }]
}

const dayMs = 86_400_000
const getDayAfter = (day: QueryText): string | undefined => {
  const first = parseDay(day, 'until')
  return first === undefined ? undefined : new Date(Date.parse(first) + dayMs).toISOString()
}

/** Creates the filters of the API's list. @param sheets those whose names the search may find */
export function createFilters(query: PassportQuery, sheets: readonly ApplicationChoice[]): FilterNode[] {
  const conditions: readonly (readonly [field: string, operator: FilterOperator, value: QueryText])[] = [
    ['status', 'eq', query.status],
    ['application.id', 'eq', query.application?.toLowerCase()],
    ['product', 'eq', query.sheet?.toLowerCase()],
    ['product.idGranularity', 'eq', query.granularity],
    ['source', 'eq', query.source],
    ['import', 'eq', query.import?.toLowerCase()],
    ['certifyJob.status', 'eq', query.certify],
    ['product.modelNumber', 'eq', query.model?.trim()],
    ['product.batchNumber', 'eq', query.batch?.trim()],
    ['mintedTo.id', 'eq', query.owner?.toLowerCase()],
    ['createdAt', 'gte', parseDay(query.since, 'since')],
    ['createdAt', 'lt', getDayAfter(query.until)],
    ['updatedAt', 'gte', parseDay(query.changed, 'changed')],
  ]
  return [
    ...createSearchFilter(query.search ?? '', sheets),
    ...conditions.flatMap(([field, operator, value]) => createFilter(field, operator, value)),
  ]
}

/** Creates the request for a page of the list. */
export const createListRequest = (
  query: PassportQuery,
  sheets: readonly ApplicationChoice[],
  cursor?: string | undefined,
): PageRequest => createPageRequest(createFilters(query, sheets), { sorter: sorters[query.order ?? 'newest'], cursor })

/** Creates the request for exactly these passports. */
export const createChoiceRequest = (ids: readonly string[]): PageRequest =>
  createPageRequest([{ operator: 'or', value: ids.flatMap((id) => createFilter('id', 'eq', id)) }])

/** Returns the members of a query or body that are filters and are filled in. */
export const pickFilters = (fields: Readonly<Record<string, unknown>>): PassportQuery =>
  Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = fields[name]
      return typeof value === 'string' && value !== '' ? [[name, value] as const] : []
    }),
  )

const boxPattern = /^box-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** Returns the name of the box that chooses a passport. */
export const getBoxName = (id: string): string => `box-${id}`

/** Returns the passports whose boxes were ticked. */
export const pickBoxes = (fields: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(fields).flatMap((name) => boxPattern.exec(name)?.[1] ?? [])
