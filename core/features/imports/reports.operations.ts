import { events, stream } from '../../kernel/answer.ts'
import { operation, type Operation } from '../../kernel/operation.ts'
import { problem } from '../../kernel/problem.ts'
import { integer, optional } from '../../kernel/schema.ts'
import { negotiate } from '../certification/index.ts'
import { ImportJob, ImportList, ImportReport, importList } from './imports.schema.ts'
import { importView } from './imports.view.ts'
import { reportAsCsv } from './reports.csv.ts'
import { allErrors, importEvents, listImports, ownImport, reportOf, reportPage } from './reports.ts'

const tag = 'Imports'

const list = operation({
  id: 'list_imports_v1',
  method: 'GET',
  path: '/v1/imports',
  summary: 'List imports',
  description: 'Imports and their slices, the newest first; `filters[name][eq]=batch` leaves the slices out.',
  tag,
  access: 'dpp:read',
  list: importList,
  returns: { 200: ImportList },
  mcp: 'list_imports',
}).readBy(({ caller, page, work }) => listImports(work, caller, page))

const read = operation({
  id: 'get_import_v1',
  method: 'GET',
  path: '/v1/imports/:id',
  summary: 'Read an import',
  description: 'How far it is, its counts and its first errors; the report has all of them.',
  tag,
  access: 'dpp:read',
  returns: { 200: ImportJob },
  problems: ['NOT_FOUND'],
  mcp: 'get_import',
}).readBy(async ({ caller, params, work }) => importView(await ownImport(work, caller, params.id)))

const follow = operation({
  id: 'follow_import_v1',
  method: 'GET',
  path: '/v1/imports/:id/progress',
  summary: 'Follow an import',
  description: 'Each event carries the same JSON as the import itself; the stream ends when the import has ended.',
  tag,
  access: 'dpp:read',
  returns: {
    200: { type: 'text/event-stream', description: 'An event with the present state at once, then one a change.' },
  },
  problems: ['NOT_FOUND'],
}).readBy(async ({ caller, params, work }) => events(await importEvents(work, caller, params.id)))

const report = operation({
  id: 'get_import_report_v1',
  method: 'GET',
  path: '/v1/imports/:id/report',
  summary: 'Read the report of an import',
  description: 'Counts, warnings, and errors by line. `Accept: text/csv` gets every warning and error at once as a file with the columns '
    + 'line, path, code, message, value, severity (warning or error) and count (of a warning); there `currentPage` and `pageSize` mean nothing.',
  tag,
  access: 'dpp:read',
  query: {
    currentPage: optional(integer('Page of `errors`, from 1.', { minimum: 1, maximum: 1_000_000, default: 1 })),
    pageSize: optional(integer('Errors a page.', {
      minimum: 1, maximum: reportPage.most, default: reportPage.standard,
    })),
  },
  returns: {
    200: [
      { type: 'application/json', description: 'The report.', schema: ImportReport },
      { type: 'text/csv', description: 'Every warning, which has no line, then every error.' },
    ],
  },
  headers: { Vary: 'Accept' },
  problems: ['NOT_FOUND', 'NOT_ACCEPTABLE'],
  mcp: 'get_import_report',
}).readBy(async ({ caller, params: { id }, query, request, work }) => {
  const type = negotiate(acceptOf(request.headers), ['application/json', 'text/csv'])
  if (type === null) throw problem('NOT_ACCEPTABLE', 'There is application/json or text/csv.')
  if (type === 'application/json') return reportOf(work, caller, id, query)
  const row = await ownImport(work, caller, id)
  return stream(reportAsCsv(row.warnings, allErrors(work.context.db, row)), 'text/csv; charset=utf-8; header=present', {
    'Content-Disposition': `attachment; filename="import-${id}.csv"`,
  })
})

/** Fields of one name stand for one list. Source: RFC 9110, section 5.3. */
const acceptOf = ({ accept }: Record<string, string | string[] | undefined>) =>
  [accept].flat().filter(Boolean).join(', ') || undefined

export const reportOperations: Operation[] = [list, read, follow, report]
