import { answerStream } from '../../kernel/answer.ts'
import { getRecordSink } from '../../kernel/ports/record-sinks.ts'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import type { PageRequest } from '../../kernel/page.ts'
import { integer, optional } from '../../kernel/schema.ts'
import { listApplicationChoices } from '../../features/applications/index.ts'
import {
  readAllErrors,
  formatReportCsv,
  findDraftByTrial,
  listImports,
  findMapperNames,
  readOwnImport,
  readReport,
} from '../../features/imports/index.ts'
import {
  renderConsolePage,
  assertPermission,
  getMemberOrRedirect,
  memberPageOptions,
  isRedirect,
  may,
} from './console.ts'
import { renderImportList, renderImportReport, getImportTitle } from './imports.views.ts'

/** The number of imports, and of errors of one import, that a page shows. */
const importPageSize = 20
const errorPageSize = 50
/** The interval between two reloads of a browser without scripts, in seconds. */
const refreshSeconds = 1

const pageNumber = optional(integer('Page, from 1.', { minimum: 1, maximum: 1_000_000, default: 1 }))

const createEquality = (field: string, value: string) => ({ field, operator: 'eq' as const, value, path: field })

const createPage = (currentPage: number): PageRequest => ({
  currentPage,
  pageSize: importPageSize,
  isPageExplicit: true,
  cursor: null,
  sorters: [],
  filters: {
    operator: 'and',
    value: [createEquality('name', 'batch'), createEquality('data.entityName', getRecordSink().entity)],
  },
})

/** The list of the organization's imports, the newest first. */
const listOperation = declareOperation({
  id: 'console_imports_page_v1',
  method: 'GET',
  path: '/console/imports',
  ...memberPageOptions,
  query: { page: pageNumber },
  document: { tag: 'Pages', summary: 'Imports of the organization' },
}).withReadHandler(async ({ caller, query, work }) => {
  const member = getMemberOrRedirect(caller, '/console/imports')
  if (isRedirect(member)) return member
  assertPermission(member, 'dpp:read')
  const currentPage = query.page ?? 1
  const [found, applications] = await Promise.all([
    listImports(work, member, createPage(currentPage)),
    listApplicationChoices(work.trx, member.organization),
  ])
  const isRunning = found.data.some(({ status }) => status === 'pending')
  const options = { title: 'Imports', here: '/console/imports', ...(isRunning && { refresh: 5 }) }
  const mappers = await findMapperNames(
    work.trx,
    member.organization,
    found.data.map(({ data }) => data.mapperId),
  )
  const view = { applications, mappers, mayCreate: may(member, 'dpp:create') }
  return renderConsolePage(work.context, member, options, renderImportList(found, view))
})

/** The page of one import: how far it is, and what happened to its rows. */
const readOperation = declareOperation({
  id: 'console_import_page_v1',
  method: 'GET',
  path: '/console/imports/:id',
  ...memberPageOptions,
  query: { page: pageNumber },
  document: { tag: 'Pages', summary: 'One import' },
}).withReadHandler(async ({ caller, params, query, work }) => {
  const member = getMemberOrRedirect(caller, `/console/imports/${params.id}`)
  if (isRedirect(member)) return member
  assertPermission(member, 'dpp:read')
  const currentPage = query.page ?? 1
  const report = await readReport(work, member, params.id, { currentPage, pageSize: errorPageSize })
  const { job } = report
  const mayGoOn = job.data.dryRun && may(member, 'dpp:create')
  const tried = mayGoOn ? await findDraftByTrial(work.trx, member.organization, job.id) : undefined
  const options = {
    title: getImportTitle(job),
    here: `/console/imports/${params.id}`,
    ...(job.status === 'pending' && { refresh: refreshSeconds, script: '/assets/imports.js' }),
  }
  const mappers = await findMapperNames(work.trx, member.organization, [job.data.mapperId])
  const view = { currentPage, mappers, draft: tried?.upload ?? null }
  return renderConsolePage(work.context, member, options, renderImportReport(report, view))
})

/** The CSV file of every warning and error. */
const errorsOperation = declareOperation({
  id: 'console_import_errors_v1',
  method: 'GET',
  path: '/console/imports/:id/errors.csv',
  ...memberPageOptions,
  returns: { 200: { type: 'text/csv', description: 'Every warning and error.' } },
  document: { tag: 'Pages', summary: 'Warnings and errors of an import as CSV' },
}).withReadHandler(async ({ caller, params, work }) => {
  const member = getMemberOrRedirect(caller, `/console/imports/${params.id}`)
  if (isRedirect(member)) return member
  assertPermission(member, 'dpp:read')
  const row = await readOwnImport(work, member, params.id)
  return answerStream(
    formatReportCsv(row.warnings, readAllErrors(work.context.db, row)),
    'text/csv; charset=utf-8; header=present',
    {
      'Content-Disposition': `attachment; filename="import-${params.id}.csv"`,
    },
  )
})

export const importPages: Operation[] = [listOperation, readOperation, errorsOperation]
