import { redirect, stream } from '../kernel/answer.ts'
import { operation, type Operation } from '../kernel/operation.ts'
import type { Page } from '../kernel/page.ts'
import { integer, optional } from '../kernel/schema.ts'
import { applicationChoices } from '../features/applications/index.ts'
import {
  allErrors, reportAsCsv, findTried, listImports, mapperNames, ownImport, reportOf,
} from '../features/imports/index.ts'
import { consolePage, demand, entry, forMembers, isWay, may } from './console.ts'
import { importList, importReport, importTitle } from './imports.views.ts'

/** Imports, and errors of one, that a page shows. */
const importsShown = 20
const errorsShown = 50
/** Seconds between two looks of a browser without scripts. */
const refresh = 1

const pageNumber = optional(integer('Page, from 1.', { minimum: 1, maximum: 1_000_000, default: 1 }))

const wholeImports = (currentPage: number): Page => ({
  currentPage, pageSize: importsShown, explicit: true, cursor: null, sorters: [],
  filters: { operator: 'and', value: [{ field: 'name', operator: 'eq', value: 'batch', path: 'name' }] },
})

/** Imports of the organization, the newest first. */
const list = operation({
  id: 'console_imports_page_v1', method: 'GET', path: '/console/imports', summary: 'Imports of the organization',
  ...forMembers,
  query: { page: pageNumber },
}).readBy(async ({ caller, query, work }) => {
  const member = entry(caller, '/console/imports')
  if (isWay(member)) return member
  demand(member, 'dpp:read')
  const currentPage = query.page ?? 1
  const [found, applications] = await Promise.all([
    listImports(work, member, wholeImports(currentPage)), applicationChoices(work.trx, member.organization)])
  const options = { title: 'Imports', ...(found.data.some(({ status }) => status === 'pending') && { refresh: 5 }) }
  const mappers = await mapperNames(work.trx, member.organization, found.data.map(({ data }) => data.mapperId))
  const view = { applications, mappers, mayCreate: may(member, 'dpp:create') }
  return consolePage(work.context, member, options, importList(found, view))
})

/** One import: how far it is, and what became of its rows. */
const read = operation({
  id: 'console_import_page_v1', method: 'GET', path: '/console/imports/:id', summary: 'One import', ...forMembers,
  query: { page: pageNumber },
}).readBy(async ({ caller, params, query, work }) => {
  const member = entry(caller, `/console/imports/${params.id}`)
  if (isWay(member)) return member
  demand(member, 'dpp:read')
  const currentPage = query.page ?? 1
  const report = await reportOf(work, member, params.id, { currentPage, pageSize: errorsShown })
  const { job } = report
  const mayGoOn = job.data.dryRun && may(member, 'dpp:create')
  const tried = mayGoOn ? await findTried(work.trx, member.organization, job.id) : undefined
  const options = { title: importTitle(job), ...(job.status === 'pending' && { refresh, script: '/assets/imports.js' }) }
  const mappers = await mapperNames(work.trx, member.organization, [job.data.mapperId])
  const view = { currentPage, mappers, draft: tried?.upload ?? null }
  return consolePage(work.context, member, options, importReport(report, view))
})

/** Every warning and error, as a file. */
const errors = operation({
  id: 'console_import_errors_v1', method: 'GET', path: '/console/imports/:id/errors.csv',
  summary: 'Warnings and errors of an import as CSV',
  ...forMembers, returns: { 200: { type: 'text/csv', description: 'Every warning and error.' } },
}).readBy(async ({ caller, params, work }) => {
  const member = entry(caller, `/console/imports/${params.id}`)
  if (isWay(member)) return redirect(`/console/sign-in`, undefined, 303)
  demand(member, 'dpp:read')
  const row = await ownImport(work, member, params.id)
  return stream(reportAsCsv(row.warnings, allErrors(work.context.db, row)), 'text/csv; charset=utf-8; header=present', {
    'Content-Disposition': `attachment; filename="import-${params.id}.csv"`,
  })
})

export const importPages: Operation[] = [list, read, errors]
