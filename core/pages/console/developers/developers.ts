import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import { oneOf, optional } from '../../../kernel/schema.ts'
import { listFailedJobs, retryJob } from '../../../features/jobs/index.ts'
import {
  listRequests,
  maxRequestsPerOrganization,
  type LoggedRequest,
  type RequestFilters,
} from '../../../features/requests/index.ts'
import { memberPageOptions } from '../console.ts'
import { getRefusal } from '../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { answerCsv, formatAddress, isGiven, textField, uuidField, type CsvColumns } from '../frame/lists.ts'
import { developersPath, renderDevelopers, type RequestQuery } from './developers.views.ts'
import { developerWords } from './words.ts'
import { getProblemStatus } from '../../site/layout.ts'

/** The number of requests that a page shows. */
const rowsPerPage = 50

const fields = {
  failed: optional(oneOf(['', 'yes'], 'Whether only requests are listed that were answered with an error.')),
  operation: textField('The operation, if not all.'),
  credential: uuidField('The key, or the user of a member, if not all.'),
}

const createFilters = ({ failed, operation, credential }: RequestQuery): RequestFilters => ({
  failed: failed === 'yes',
  operation: isGiven(operation) ? operation : undefined,
  credential: isGiven(credential) ? credential : undefined,
})

/**
 * The newest requests of the organization, and its jobs that failed. For owners, administrators and editors: those who
 * have `settings:read`, which viewers lack.
 */
const pageOperation = declareOperation({
  id: 'console_developers_page_v1',
  method: 'GET',
  path: developersPath,
  ...memberPageOptions,
  query: { ...fields, cursor: uuidField('Where the page begins, as the page before says.') },
  document: { tag: 'Pages', summary: 'Requests and failed jobs of the organization' },
}).withReadHandler(async (input) => {
  const page = openPage(input, developersPath, 'settings:read')
  return isAnswer(page) ? page : showDevelopers(page, input.query)
})

async function showDevelopers(page: ConsolePage, query: RequestQuery, problem?: ProblemError): Promise<Answer> {
  const { member, work, language } = page
  const { cursor, ...filters } = query
  const after = isGiven(cursor) ? cursor : null
  const [found, jobs] = await Promise.all([
    listRequests(work.trx, member.organization, createFilters(filters), { after, limit: rowsPerPage }),
    listFailedJobs(work, member),
  ])
  const next = found.next === null ? null : formatAddress(developersPath, { ...filters, cursor: found.next })
  const view = { found, query, next, isFirst: after === null, jobs, problem }
  const { title } = developerWords[language]
  return renderFramed(page, { title, ...getProblemStatus(problem) }, renderDevelopers(page, view))
}

const columns: CsvColumns<LoggedRequest> = [
  ['time', ({ at }) => at],
  ['operation', ({ operation }) => operation],
  ['status', ({ status }) => status],
  ['code', ({ code }) => code],
  ['ms', ({ ms }) => ms],
  ['request_id', ({ requestId }) => requestId],
  ['credential', ({ label }) => label],
  ['kind', ({ kind }) => kind],
]

/** The CSV file of all requests that the filters find. */
const fileOperation = declareOperation({
  id: 'console_developers_file_v1',
  method: 'GET',
  path: `${developersPath}.csv`,
  ...memberPageOptions,
  query: fields,
  returns: { 200: { type: 'text/csv', description: 'The requests.' } },
  document: { tag: 'Pages', summary: 'Requests of the organization as CSV' },
}).withReadHandler(async (input) => {
  const page = openPage(input, developersPath, 'settings:read')
  if (isAnswer(page)) return page
  const limit = maxRequestsPerOrganization
  const { requests } = await listRequests(page.work.trx, page.member.organization, createFilters(input.query), {
    limit,
  })
  return answerCsv('requests', columns, [requests])
})

/** Has a failed job run again. Whoever sends the form twice starts it once. */
const retryOperation = declareOperation({
  id: 'console_job_retry_page_v1',
  method: 'POST',
  path: `${developersPath}/jobs/:id/retry`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Run a failed job again' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, developersPath, 'settings:read')
  if (isAnswer(page)) return page
  try {
    return await input.finish(async (work) => {
      await retryJob(work, page.member, input.params.id)
      return answerRedirect(`${developersPath}#jobs`, undefined, 303)
    })
  } catch (cause) {
    return showDevelopers(page, {}, getRefusal(cause))
  }
})

export const developerPages: Operation[] = [pageOperation, fileOperation, retryOperation]
