import { isAnswer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import type { Sorter } from '../../../kernel/page.ts'
import { oneOf, optional } from '../../../kernel/schema.ts'
import { networkNames } from '../../../features/accounts/index.ts'
import { listApplicationChoices } from '../../../features/applications/index.ts'
import {
  listSheets,
  readAllSheets,
  readOrganizationStats,
  sheetStatuses,
  type Sheet,
} from '../../../features/dpp/index.ts'
import { may, memberPageOptions } from '../console.ts'
import { openPage, renderFramed } from '../frame/frame.ts'
import {
  answerCsv,
  createFilter,
  createPageRequest,
  cursorField,
  dayField,
  parseDay,
  textField,
  uuidField,
  type CsvColumns,
} from '../frame/lists.ts'
import { renderSheets, renderStatistics, sheetOrders, sheetsPath as path, type SheetQuery } from './sheets.views.ts'
import { sheetWords } from './words.ts'

const fields = {
  search: textField('Part of a name.'),
  application: uuidField('The application, if not all.'),
  status: optional(oneOf(['', ...sheetStatuses], 'The state, if not all.')),
  network: optional(oneOf(['', ...networkNames], 'The network, if not all.')),
  since: dayField('First day of those that were created, as 2026-03-01.'),
  order: optional(oneOf(sheetOrders, 'What comes first.')),
}

/** The order of the list by the word of the page's address. */
const sorters: Readonly<Record<(typeof sheetOrders)[number], Sorter>> = {
  newest: { field: 'createdAt', order: 'desc' },
  changed: { field: 'updatedAt', order: 'desc' },
  name: { field: 'name', order: 'asc' },
}

const createRequest = ({ search, application, status, network, since, order, cursor }: SheetQuery) =>
  createPageRequest(
    [
      ...createFilter('name', 'contains', search?.trim()),
      ...createFilter('application.id', 'eq', application?.toLowerCase()),
      ...createFilter('status', 'eq', status),
      ...createFilter('network', 'eq', network),
      ...createFilter('createdAt', 'gte', parseDay(since, 'since')),
    ],
    { sorter: sorters[order ?? 'newest'], cursor },
  )

/** The list of sheets. Its address has the filters, so that it can be shared. */
const listOperation = declareOperation({
  id: 'console_sheets_page_v1',
  method: 'GET',
  path,
  ...memberPageOptions,
  query: { ...fields, cursor: cursorField },
  document: { tag: 'Pages', summary: 'Sheets of the organization' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'dpp:read')
  if (isAnswer(page)) return page
  const { member, work, language } = page
  const { query } = input
  const [found, applications] = await Promise.all([
    listSheets(work, member, createRequest(query)),
    listApplicationChoices(work.trx, member.organization),
  ])
  const view = { query, applications, mayCreate: may(member, 'dpp:create') }
  return renderFramed(page, { title: sheetWords[language].title }, renderSheets(page, found, view))
})

const columns: CsvColumns<Sheet> = [
  ['id', ({ id }) => id],
  ['application', ({ application }) => application],
  ['name', ({ name }) => name],
  ['status', ({ status }) => status],
  ['network', ({ network }) => network],
  ['version', ({ version }) => version],
  ['product_fields', ({ productFields }) => productFields.map(({ name }) => name).join(' ')],
  ['passports_fields', ({ passportsFields }) => passportsFields.map(({ name }) => name).join(' ')],
  ['certified_paths', ({ certifiedPaths }) => certifiedPaths.join(' ')],
  ['created_at', ({ createdAt }) => createdAt],
  ['updated_at', ({ updatedAt }) => updatedAt],
]

/** The CSV file of all sheets that the filters of the list find. */
const fileOperation = declareOperation({
  id: 'console_sheets_file_v1',
  method: 'GET',
  path: `${path}.csv`,
  ...memberPageOptions,
  query: fields,
  returns: { 200: { type: 'text/csv', description: 'The sheets.' } },
  document: { tag: 'Pages', summary: 'Sheets as CSV' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'dpp:read')
  if (isAnswer(page)) return page
  const { member, work } = page
  return answerCsv('sheets', columns, readAllSheets({ trx: work.context.db }, member, createRequest(input.query)))
})

/** The statistics of all sheets. */
const statisticsOperation = declareOperation({
  id: 'console_sheets_statistics_page_v1',
  method: 'GET',
  path: `${path}/statistics`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Statistics of all sheets' },
}).withReadHandler(async (input) => {
  const page = openPage(input, `${path}/statistics`, 'dpp:read')
  if (isAnswer(page)) return page
  const { member, work, language } = page
  const stats = await readOrganizationStats(work.trx, member.organization)
  return renderFramed(page, { title: sheetWords[language].statisticsTitle }, renderStatistics(page, stats))
})

export const sheetListPages: Operation[] = [listOperation, fileOperation, statisticsOperation]
