import { listApplicationChoices } from '../../../../features/applications/index.ts'
import { listMappers, listRunningMappers, mapperTypes, type Mapper } from '../../../../features/imports/index.ts'
import { isAnswer } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import type { FilterNode } from '../../../../kernel/page.ts'
import { oneOf, optional } from '../../../../kernel/schema.ts'
import { memberPageOptions } from '../../console.ts'
import { openPage, renderFramed } from '../../frame/frame.ts'
import { declareListFile } from '../../frame/list-file.ts'
import {
  createFilter,
  createPageRequest,
  cursorField,
  readPages,
  textField,
  uuidField,
  type CsvColumns,
} from '../../frame/lists.ts'
import { mappingsPath, renderMappings, type MappingQuery } from './mappings.views.ts'
import { mappingWords } from './words.ts'

const newestFirst = { field: 'createdAt', order: 'desc' } as const

/** The fields of the form above the list. Each is a filter of the API's list. */
const fields = {
  name: textField('Part of the name.'),
  application: uuidField('The application, if not all.'),
  type: optional(oneOf(['', ...mapperTypes], 'What it reads, if not all.')),
}

const createFilters = ({ name, application, type }: MappingQuery): FilterNode[] => [
  ...createFilter('name', 'contains', name?.trim()),
  ...createFilter('application.id', 'eq', application?.toLowerCase()),
  ...createFilter('type', 'eq', type),
]

/** The saved mappings of the organization, the newest first, and the imports that go on with them. */
const listOperation = declareOperation({
  id: 'console_mappings_page_v1',
  method: 'GET',
  path: mappingsPath,
  ...memberPageOptions,
  query: { ...fields, cursor: cursorField },
  document: { tag: 'Pages', summary: 'Saved mappings of imports' },
}).withReadHandler(async (input) => {
  const page = openPage(input, mappingsPath, 'dpp:read')
  if (isAnswer(page)) return page
  const { member, work } = page
  const { cursor, ...query } = input.query
  const [applications, found, running] = await Promise.all([
    listApplicationChoices(work.trx, member.organization),
    listMappers(work, member, createPageRequest(createFilters(query), { sorter: newestFirst, cursor })),
    listRunningMappers(work, undefined),
  ])
  const content = renderMappings(page, { query, cursor, applications, found, running })
  return renderFramed(page, { title: mappingWords[page.language].title }, content)
})

const columns: CsvColumns<Mapper> = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['application', ({ application }) => application],
  ['entity', ({ entityName }) => entityName],
  ['type', ({ type }) => type],
  ['format', ({ format }) => format],
  ['url', ({ url }) => url],
  ['schedule', ({ schedule }) => schedule],
  ['next_run_at', ({ nextRunAt }) => nextRunAt],
  ['columns', ({ rows }) => rows.length],
  ['created_at', ({ createdAt }) => createdAt],
  ['updated_at', ({ updatedAt }) => updatedAt],
]

/** The CSV file of all mappings that the filters of the list find. */
const fileOperation = declareListFile({
  id: 'console_mappings_file_v1',
  listPath: mappingsPath,
  permission: 'dpp:read',
  fileName: 'mappings',
  description: 'The mappings.',
  summary: 'Saved mappings as CSV',
  query: fields,
  columns,
  readRows: ({ member, work }, query) =>
    readPages(newestFirst, (request) => listMappers(work, member, request), createFilters(query)),
})

/** The list of saved mappings as a page and as a file. */
export const mappingListPages: Operation[] = [listOperation, fileOperation]
