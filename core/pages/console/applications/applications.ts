import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { createValidationProblem, type ProblemError } from '../../../kernel/problem.ts'
import { object, optional, string } from '../../../kernel/schema.ts'
import {
  addApplication,
  checkDomain,
  listApplications,
  listDomains,
  presentApplicationTo,
  readApplication,
  type ApplicationShape,
} from '../../../features/applications/index.ts'
import { may, memberPageOptions } from '../console.ts'
import { getRefusal, listNameIssues } from '../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { declareListFile } from '../frame/list-file.ts'
import {
  createPageRequest,
  cursorField,
  formatAddress,
  isGiven,
  readPages,
  type CsvColumns,
  type QueryText,
} from '../frame/lists.ts'
import { computeMark } from '../frame/marks.ts'
import { getProblemStatus } from '../../site/layout.ts'
import {
  applicationsPath as path,
  getApplicationAddress as getAddress,
  renderApplication,
  renderApplicationForm,
  renderApplications,
  type ApplicationForm,
} from './applications.views.ts'
import { pickContent, splitDomains, toForm, type SettingsForm } from './settings.form.ts'
import { applicationWords } from './words.ts'

const newestFirst = { field: 'createdAt', order: 'desc' } as const

/** The applications of the organization, the newest first. */
const listOperation = declareOperation({
  id: 'console_applications_page_v1',
  method: 'GET',
  path,
  ...memberPageOptions,
  query: { cursor: cursorField },
  document: { tag: 'Pages', summary: 'Applications of the organization' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'application:read')
  if (isAnswer(page)) return page
  const { cursor } = input.query
  const request = createPageRequest([], { sorter: newestFirst, cursor })
  const { data, total, nextCursor } = await listApplications(page.work, page.member, request)
  const content = renderApplications(page, {
    applications: data,
    total,
    isFirst: !isGiven(cursor),
    next: nextCursor === null ? null : formatAddress(path, { cursor: nextCursor }),
    mayCreate: may(page.member, 'application:create'),
  })
  return renderFramed(page, { title: applicationWords[page.language].title }, content)
})

const columns: CsvColumns<ApplicationShape> = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['slug', ({ slug }) => slug],
  ['domains', ({ domains }) => domains.join(' ')],
  ['website', ({ websiteUrl }) => websiteUrl],
  ['network', ({ defaultNetwork }) => defaultNetwork],
  ['created_at', ({ createdAt }) => createdAt],
]

/** The CSV file of all applications of the organization. */
const fileOperation = declareListFile({
  id: 'console_applications_file_v1',
  listPath: path,
  permission: 'application:read',
  fileName: 'applications',
  description: 'The applications.',
  summary: 'Applications as CSV',
  columns,
  readRows: ({ member, work }) => readPages(newestFirst, (request) => listApplications(work, member, request)),
})

const newOperation = declareOperation({
  id: 'console_application_new_page_v1',
  method: 'GET',
  path: `${path}/new`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'A form for a new application' },
}).withReadHandler(async (input) => {
  const page = openPage(input, `${path}/new`, 'application:create')
  return isAnswer(page) ? page : renderNew(page, { name: '', domains: '' })
})

const renderNew = (page: ConsolePage, form: ApplicationForm, problem?: ProblemError): Promise<Answer> =>
  renderFramed(
    page,
    { title: applicationWords[page.language].newTitle, wide: false, ...getProblemStatus(problem) },
    renderApplicationForm(page, form, problem),
  )

const createOperation = declareOperation({
  id: 'console_application_create_page_v1',
  method: 'POST',
  path,
  ...memberPageOptions,
  body: object({
    name: string('Its name.', { maxLength: 400 }),
    domains: optional(string('Its domains, with spaces between them.', { maxLength: 5_000 })),
  }),
  document: { tag: 'Pages', summary: 'Create an application' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, path, 'application:create')
  if (isAnswer(page)) return page
  const { name, domains = '' } = input.body
  try {
    const values = { name: name.trim(), domains: splitDomains(domains) }
    const issues = listNameIssues(values.name)
    if (issues.length > 0) throw createValidationProblem(issues)
    return await input.finish(async (work) => {
      const { id } = await addApplication(work, page.member, values)
      return answerRedirect(getAddress(id), undefined, 303)
    })
  } catch (cause) {
    return renderNew(page, { name, domains }, getRefusal(cause))
  }
})

/** One application and the proofs of its domains. */
const readOperation = declareOperation({
  id: 'console_application_page_v1',
  method: 'GET',
  path: `${path}/:id`,
  ...memberPageOptions,
  query: { cursor: cursorField, saved: optional(string('Whether a change has just been kept.', { maxLength: 3 })) },
  document: { tag: 'Pages', summary: 'One application' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getAddress(input.params.id), 'application:read')
  const { cursor, saved } = input.query
  return isAnswer(page) ? page : renderOne(page, input.params.id, { cursor, isSaved: saved !== undefined })
})

interface ShownState {
  cursor?: QueryText
  isSaved?: boolean
  problem?: ProblemError
  /** A form that was refused, with the mark that it had. */
  written?: { form: SettingsForm; mark: string }
}

/** Renders one application: its domains with their proofs, and the form for those who may change it. */
export async function renderOne(
  page: ConsolePage,
  id: string,
  { cursor, isSaved = false, problem, written }: ShownState,
): Promise<Answer> {
  const { member, work } = page
  const application = await presentApplicationTo(member, work, await readApplication(work, id))
  const request = createPageRequest([], { sorter: { field: 'domain', order: 'asc' }, cursor })
  const { data, nextCursor } = await listDomains(work, id, request)
  const present = toForm(application)
  const isStale = problem?.code === 'PRECONDITION_FAILED'
  const settings = {
    form: written?.form ?? present,
    mark: written && !isStale ? written.mark : computeMark(pickContent(application)),
    stored: isStale ? present : null,
    action: getAddress(id),
    problem,
  }
  const content = renderApplication(page, {
    application,
    domains: data,
    isFirst: !isGiven(cursor),
    next: nextCursor === null ? null : formatAddress(getAddress(id), { cursor: nextCursor }),
    mayMakePassports: may(member, 'dpp:create'),
    settings: may(member, 'application:update') ? settings : null,
    mayDelete: may(member, 'application:delete'),
    isSaved,
    problem,
  })
  return renderFramed(page, { title: application.name, ...getProblemStatus(problem) }, content)
}

const checkOperation = declareOperation({
  id: 'console_application_check_page_v1',
  method: 'POST',
  path: `${path}/:id/check`,
  ...memberPageOptions,
  body: object({ domain: string('The domain.', { maxLength: 253 }) }),
  document: { tag: 'Pages', summary: 'Look for the proof of a domain' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getAddress(id), 'application:update')
  if (isAnswer(page)) return page
  try {
    const store = await checkDomain(input.work, id, input.body.domain)
    return await input.finish(async (work) => {
      await store(work)
      return answerRedirect(getAddress(id), undefined, 303)
    })
  } catch (cause) {
    return renderOne(page, id, { problem: getRefusal(cause) })
  }
})

// The form for a new application comes before the single one, whose path would match it too.
export const applicationPages: Operation[] = [
  listOperation,
  fileOperation,
  newOperation,
  createOperation,
  readOperation,
  checkOperation,
]
