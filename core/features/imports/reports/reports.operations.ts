import { answerEvents, answerStream } from '../../../kernel/answer.ts'
import { recordPermissions } from '../../../kernel/ports/record-sinks.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { createProblem } from '../../../kernel/problem.ts'
import { integer, optional } from '../../../kernel/schema.ts'
import { negotiateMediaType } from '../../certification/index.ts'
import { ImportJob, ImportList, importList, ImportReport } from '../records/index.ts'
import { importEntity, presentImport } from '../intake/index.ts'
import { formatReportCsv } from './reports.csv.ts'
import {
  readAllErrors,
  createImportEvents,
  listImports,
  readOwnImport,
  readReport,
  reportPageSizes,
} from './reports.ts'

const tag = 'Imports'

const listOperation = declareOperation({
  id: 'list_imports_v1',
  method: 'GET',
  path: '/v1/imports',
  access: { rule: recordPermissions.read },
  scope: { list: 'data.applicationId' },
  list: importList,
  returns: { 200: ImportList },
  document: {
    tag,
    summary: 'List imports',
    description: 'Imports and their slices, the newest first; `filters[name][eq]=batch` leaves the slices out.',
    mcpName: 'list_imports',
  },
}).withReadHandler(({ caller, page, work }) => listImports(work, caller, page))

const readOperation = declareOperation({
  id: 'get_import_v1',
  method: 'GET',
  path: '/v1/imports/:id',
  access: { rule: recordPermissions.read },
  scope: { params: { id: importEntity } },
  returns: { 200: ImportJob },
  problemCodes: ['NOT_FOUND'],
  document: {
    tag,
    summary: 'Read an import',
    description: 'How far it is, its counts and its first errors; the report has all of them.',
    mcpName: 'get_import',
  },
}).withReadHandler(async ({ caller, params, work }) => presentImport(await readOwnImport(work, caller, params.id)))

const followOperation = declareOperation({
  id: 'follow_import_v1',
  method: 'GET',
  path: '/v1/imports/:id/progress',
  access: { rule: recordPermissions.read },
  scope: { params: { id: importEntity } },
  returns: {
    200: { type: 'text/event-stream', description: 'An event with the present state at once, then one a change.' },
  },
  problemCodes: ['NOT_FOUND'],
  document: {
    tag,
    summary: 'Follow an import',
    description: 'Each event carries the same JSON as the import itself; the stream ends when the import has ended.',
  },
}).withReadHandler(async ({ caller, params, work }) => answerEvents(await createImportEvents(work, caller, params.id)))

const reportOperation = declareOperation({
  id: 'get_import_report_v1',
  method: 'GET',
  path: '/v1/imports/:id/report',
  access: { rule: recordPermissions.read },
  scope: { params: { id: importEntity } },
  query: {
    currentPage: optional(integer('Page of `errors`, from 1.', { minimum: 1, maximum: 1_000_000, default: 1 })),
    pageSize: optional(
      integer('Errors a page.', {
        minimum: 1,
        maximum: reportPageSizes.maxSize,
        default: reportPageSizes.defaultSize,
      }),
    ),
  },
  returns: {
    200: [
      { type: 'application/json', description: 'The report.', schema: ImportReport },
      { type: 'text/csv', description: 'Every warning, which has no line, then every error.' },
    ],
  },
  problemCodes: ['NOT_FOUND', 'NOT_ACCEPTABLE'],
  transport: { headers: { Vary: 'Accept' } },
  document: {
    tag,
    summary: 'Read the report of an import',
    description:
      'Counts, warnings, and errors by line. `Accept: text/csv` gets every warning and error at once as a file with the columns '
      + 'line, path, code, message, value, severity (warning or error) and count (of a warning); there `currentPage` and `pageSize` mean nothing.',
    mcpName: 'get_import_report',
  },
}).withReadHandler(async ({ caller, params: { id }, query, request, work }) => {
  const type = negotiateMediaType(getAcceptHeader(request.headers), ['application/json', 'text/csv'])
  if (type === null) throw createProblem('NOT_ACCEPTABLE', 'There is application/json or text/csv.')
  if (type === 'application/json') return readReport(work, caller, id, query)
  const row = await readOwnImport(work, caller, id)
  return answerStream(
    formatReportCsv(row.warnings, readAllErrors(work.context.db, row)),
    'text/csv; charset=utf-8; header=present',
    {
      'Content-Disposition': `attachment; filename="import-${id}.csv"`,
    },
  )
})

/** Returns the Accept header; several fields of one name are one list. Source: RFC 9110, section 5.3. */
const getAcceptHeader = ({ accept }: Record<string, string | string[] | undefined>) =>
  [accept].flat().filter(Boolean).join(', ') || undefined

export const reportOperations: Operation[] = [listOperation, readOperation, followOperation, reportOperation]
