import { listApplicationChoices } from '../../../features/applications/index.ts'
import { handleReport, listReports, reportKinds, type PassportReport } from '../../../features/dpp/index.ts'
import { answerRedirect, isAnswer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import type { FilterNode } from '../../../kernel/page.ts'
import { object, oneOf, optional, string } from '../../../kernel/schema.ts'
import { isConsolePath, may, memberPageOptions } from '../console.ts'
import { openPage, renderFramed } from '../frame/frame.ts'
import { declareListFile } from '../frame/list-file.ts'
import { createFilter, createPageRequest, cursorField, readPages, uuidField, type CsvColumns } from '../frame/lists.ts'
import { renderReports, reportsPath, type ReportQuery } from './reports.views.ts'
import { reportListWords, reportStates } from './words.ts'

const newestFirst = { field: 'createdAt', order: 'desc' } as const

/** The fields of the form above the list, as the address of the page has them. */
const fields = {
  state: optional(oneOf(['', ...reportStates], 'Which reports; those that wait, if it is left out.')),
  kind: optional(oneOf(['', ...reportKinds], 'What was reported, if not all.')),
  application: uuidField('The application, if not all.'),
  passport: uuidField('The passport, if not all.'),
}

function createStateFilters(state: string): FilterNode[] {
  if (state === 'all') return []
  return [{ field: 'handledAt', operator: state === 'handled' ? 'nnull' : 'null', value: null, path: 'state' }]
}

const createFilters = ({ state = '', kind, application, passport }: ReportQuery): FilterNode[] => [
  ...createStateFilters(state),
  ...createFilter('kind', 'eq', kind),
  ...createFilter('application.id', 'eq', application?.toLowerCase()),
  ...createFilter('passport.id', 'eq', passport?.toLowerCase()),
]

/** What people reported about passports of the organization, the newest first. */
const listOperation = declareOperation({
  id: 'console_reports_page_v1',
  method: 'GET',
  path: reportsPath,
  ...memberPageOptions,
  query: { ...fields, cursor: cursorField },
  document: { tag: 'Pages', summary: 'Reports of passports' },
}).withReadHandler(async (input) => {
  const page = openPage(input, reportsPath, 'dpp:read')
  if (isAnswer(page)) return page
  const { member, work } = page
  const { cursor, ...query } = input.query
  const request = createPageRequest(createFilters(query), { sorter: newestFirst, cursor })
  const [applications, found] = await Promise.all([
    listApplicationChoices(work.trx, member.organization),
    listReports(work, member, request),
  ])
  const mayUpdate = may(member, 'dpp:update')
  const content = renderReports(page, { query, cursor, applications, found, mayUpdate })
  return renderFramed(page, { title: reportListWords[page.language].title }, content)
})

const columns: CsvColumns<PassportReport> = [
  ['id', ({ id }) => id],
  ['created_at', ({ createdAt }) => createdAt],
  ['kind', ({ kind }) => kind],
  ['passport', ({ passport }) => passport.id],
  ['passport_name', ({ passport }) => passport.name],
  ['application', ({ application }) => application],
  ['text', ({ text }) => text],
  ['email', ({ email }) => email],
  ['handled_at', ({ handledAt }) => handledAt],
]

/** The CSV file of all reports that the filters of the list find. */
const fileOperation = declareListFile({
  id: 'console_reports_file_v1',
  listPath: reportsPath,
  permission: 'dpp:read',
  fileName: 'reports',
  description: 'The reports.',
  summary: 'Reports as CSV',
  query: fields,
  columns,
  readRows: ({ member, work }, query) =>
    readPages(newestFirst, (request) => listReports(work, member, request), createFilters(query)),
})

/** Marks a report as handled, or as waiting again, and leads back to the list. */
const handleOperation = declareOperation({
  id: 'console_report_handle_page_v1',
  method: 'POST',
  path: `${reportsPath}/:id`,
  ...memberPageOptions,
  body: object({
    handled: oneOf(['yes', 'no'], 'Whether it is handled.'),
    next: optional(string('The page to go to afterwards.', { maxLength: 1_000 })),
  }),
  document: { tag: 'Pages', summary: 'Mark a report as handled' },
}).withTransactionHandler(async (input) => {
  const page = openPage(input, reportsPath, 'dpp:update')
  if (isAnswer(page)) return page
  const { handled, next = '' } = input.body
  await handleReport(page.work, page.member, input.params.id, handled === 'yes')
  return answerRedirect(isConsolePath(next) ? next : reportsPath, undefined, 303)
})

/** The list of reports as a page and as a file, and what members do with a report. */
export const reportPages: Operation[] = [listOperation, fileOperation, handleOperation]
