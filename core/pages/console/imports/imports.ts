import { answerStream, isAnswer } from '../../../kernel/answer.ts'
import { getRecordSink } from '../../../kernel/ports/record-sinks.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { integer, optional } from '../../../kernel/schema.ts'
import { listApplicationChoices } from '../../../features/applications/index.ts'
import { listPassports } from '../../../features/dpp/index.ts'
import {
  readAllErrors,
  formatReportCsv,
  findDraftByTrial,
  listImports,
  findMapperNames,
  readOwnImport,
  readReport,
  type ImportJob,
} from '../../../features/imports/index.ts'
import { may, memberPageOptions } from '../console.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { declareListFile } from '../frame/list-file.ts'
import {
  createFilter,
  createPageRequest,
  cursorField,
  formatAddress,
  isGiven,
  readPages,
  type CsvColumns,
} from '../frame/lists.ts'
import { getImportTitle, importsPath as path, renderImportList } from './imports.views.ts'
import { renderImportReport } from './report.views.ts'
import { importWords } from './words.ts'

/** The number of imports, and of errors of one import, that a page shows. */
const importPageSize = 20
const errorPageSize = 50
/** The interval between two reloads of a browser without scripts, in seconds. */
const refreshSeconds = 1

const newestFirst = { field: 'createdAt', order: 'desc' } as const

/** The filters of imports of passports, by files and by mappers. */
const listFilters = () => [
  ...createFilter('name', 'eq', 'batch'),
  ...createFilter('data.entityName', 'eq', getRecordSink().entity),
]

/** The list of the organization's imports, the newest first. */
const listOperation = declareOperation({
  id: 'console_imports_page_v1',
  method: 'GET',
  path,
  ...memberPageOptions,
  query: { cursor: cursorField },
  document: { tag: 'Pages', summary: 'Imports of the organization' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'dpp:read')
  if (isAnswer(page)) return page
  const { member, work, language } = page
  const { cursor } = input.query
  const request = { ...createPageRequest(listFilters(), { sorter: newestFirst, cursor }), pageSize: importPageSize }
  const [{ data, total, nextCursor }, applications] = await Promise.all([
    listImports(work, member, request),
    listApplicationChoices(work.trx, member.organization),
  ])
  const isRunning = data.some(({ status }) => status === 'pending')
  const content = renderImportList(page, {
    imports: data,
    total,
    isFirst: !isGiven(cursor),
    next: nextCursor === null ? null : formatAddress(path, { cursor: nextCursor }),
    applications,
    mappers: await findNames(page, data),
    mayCreate: may(member, 'dpp:create'),
  })
  return renderFramed(page, { title: importWords[language].title, ...(isRunning && { refresh: 5 }) }, content)
})

const findNames = ({ work, member }: ConsolePage, imports: readonly ImportJob[]) =>
  findMapperNames(
    work.trx,
    member.organization,
    imports.map(({ data }) => data.mapperId),
  )

const columns: CsvColumns<ImportJob> = [
  ['id', ({ id }) => id],
  ['file_name', ({ data }) => data.fileName ?? null],
  ['application', ({ data }) => data.applicationId],
  ['mapper', ({ data }) => data.mapperId],
  ['source', ({ data }) => data.source],
  ['format', ({ data }) => data.format],
  ['dry_run', ({ data }) => String(data.dryRun)],
  ['on_duplicate', ({ data }) => data.onDuplicate],
  ['status', ({ status }) => status],
  ['completed', ({ completed }) => completed],
  ['failed', ({ failed }) => failed],
  ['created_at', ({ createdAt }) => createdAt],
  ['finished_at', ({ finishedAt }) => finishedAt],
]

/** The CSV file of all imports of the organization. */
const fileOperation = declareListFile({
  id: 'console_imports_file_v1',
  listPath: path,
  permission: 'dpp:read',
  fileName: 'imports',
  description: 'The imports.',
  summary: 'Imports as CSV',
  columns,
  readRows: ({ member, work }) =>
    readPages(newestFirst, (request) => listImports(work, member, request), listFilters()),
})

const pageNumber = optional(integer('Page of the errors, from 1.', { minimum: 1, maximum: 1_000_000, default: 1 }))

/** The page of one import: how far it is, and what happened to its rows. */
const readOperation = declareOperation({
  id: 'console_import_page_v1',
  method: 'GET',
  path: `${path}/:id`,
  ...memberPageOptions,
  query: { page: pageNumber },
  document: { tag: 'Pages', summary: 'One import' },
}).withReadHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, `${path}/${id}`, 'dpp:read')
  if (isAnswer(page)) return page
  const { member, work, language } = page
  const currentPage = input.query.page ?? 1
  const report = await readReport(work, member, id, { currentPage, pageSize: errorPageSize })
  const { job } = report
  const mayGoOn = job.data.dryRun && may(member, 'dpp:create')
  const tried = mayGoOn ? await findDraftByTrial(work.trx, member.organization, job.id) : undefined
  const options = {
    title: getImportTitle(job, importWords[language]),
    ...(job.status === 'pending' && { refresh: refreshSeconds, script: '/assets/imports.js' }),
  }
  const drafts = may(member, 'dpp:update') ? await countDrafts(page, job) : 0
  const view = { currentPage, mappers: await findNames(page, [job]), draft: tried?.upload ?? null, drafts }
  return renderFramed(page, options, renderImportReport(page, report, view))
})

/** Counts the passports that an import has made and that are drafts still. */
async function countDrafts({ work, member }: ConsolePage, { id, status, data }: ImportJob): Promise<number> {
  if (status === 'pending' || data.dryRun || data.entityName !== getRecordSink().entity) return 0
  const filters = [...createFilter('import', 'eq', id), ...createFilter('status', 'eq', 'draft')]
  return (await listPassports(work, member, { ...createPageRequest(filters), pageSize: 1 })).total
}

/** The CSV file of every warning and error. */
const errorsOperation = declareOperation({
  id: 'console_import_errors_v1',
  method: 'GET',
  path: `${path}/:id/errors.csv`,
  ...memberPageOptions,
  returns: { 200: { type: 'text/csv', description: 'Every warning and error.' } },
  document: { tag: 'Pages', summary: 'Warnings and errors of an import as CSV' },
}).withReadHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, `${path}/${id}`, 'dpp:read')
  if (isAnswer(page)) return page
  const row = await readOwnImport(page.work, page.member, id)
  return answerStream(
    formatReportCsv(row.warnings, readAllErrors(page.work.context.db, row)),
    'text/csv; charset=utf-8; header=present',
    { 'Content-Disposition': `attachment; filename="import-${id}.csv"`, 'Cache-Control': 'no-store' },
  )
})

export const importPages: Operation[] = [listOperation, fileOperation, readOperation, errorsOperation]
