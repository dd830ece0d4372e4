import { listApplicationChoices } from '../../../features/applications/index.ts'
import { decideRequest, listRequests } from '../../../features/dpp/index.ts'
import { answerRedirect, isAnswer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import type { FilterNode } from '../../../kernel/page.ts'
import { ProblemError } from '../../../kernel/problem.ts'
import { object, oneOf, optional, string } from '../../../kernel/schema.ts'
import { getProblemStatus } from '../../site/layout.ts'
import { isConsolePath, may, memberPageOptions } from '../console.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { createFilter, createPageRequest, cursorField, uuidField } from '../frame/lists.ts'
import { claimRequestsPath, renderClaimRequests, type ClaimRequestQuery } from './claim-requests.views.ts'
import { claimRequestWords, requestStates } from './words.ts'

const newestFirst = { field: 'createdAt', order: 'desc' } as const

const createFilters = ({ state = '', application }: ClaimRequestQuery): FilterNode[] => [
  ...(state === 'all' ? [] : createFilter('status', 'eq', state === '' ? 'waiting' : state)),
  ...createFilter('application.id', 'eq', application?.toLowerCase()),
]

interface Shown {
  query: ClaimRequestQuery
  cursor?: string | undefined
  problem?: ProblemError
}

async function showRequests(page: ConsolePage, { query, cursor, problem }: Shown) {
  const { member, work } = page
  const request = createPageRequest(createFilters(query), { sorter: newestFirst, cursor })
  const [applications, found] = await Promise.all([
    listApplicationChoices(work.trx, member.organization),
    listRequests(work, member, request),
  ])
  const view = { query, cursor, applications, found, mayUpdate: may(member, 'dpp:update'), problem }
  const title = claimRequestWords[page.language].title
  return renderFramed(page, { title, ...getProblemStatus(problem) }, renderClaimRequests(page, view))
}

/** What people ask who hold an item and are not named in its passport, the newest first. */
const listOperation = declareOperation({
  id: 'console_claim_requests_page_v1',
  method: 'GET',
  path: claimRequestsPath,
  ...memberPageOptions,
  query: {
    state: optional(oneOf(['', ...requestStates], 'Which requests; those that wait, if it is left out.')),
    application: uuidField('The application, if not all.'),
    cursor: cursorField,
  },
  document: { tag: 'Pages', summary: 'Requests for passports' },
}).withReadHandler(async (input) => {
  const page = openPage(input, claimRequestsPath, 'dpp:read')
  if (isAnswer(page)) return page
  const { cursor, ...query } = input.query
  return showRequests(page, { query, cursor })
})

/** Approves or declines a request, tells whoever asked, and leads back to the list. */
const decideOperation = declareOperation({
  id: 'console_claim_request_decide_page_v1',
  method: 'POST',
  path: `${claimRequestsPath}/:id`,
  ...memberPageOptions,
  body: object({
    decision: oneOf(['approve', 'decline'], 'What is decided.'),
    next: optional(string('The page to go to afterwards.', { maxLength: 1_000 })),
  }),
  document: { tag: 'Pages', summary: 'Decide about a request for a passport' },
}).withTransactionHandler(async (input) => {
  const page = openPage(input, claimRequestsPath, 'dpp:update')
  if (isAnswer(page)) return page
  const { decision, next = '' } = input.body
  try {
    await decideRequest(page.work, page.member, input.params.id, decision)
  } catch (error) {
    const isShown =
      error instanceof ProblemError && (error.code === 'DPP_PASSPORT_NOT_CLAIMABLE' || error.code === 'RATE_LIMITED')
    if (!isShown) throw error
    return showRequests(page, { query: {}, problem: error })
  }
  return answerRedirect(isConsolePath(next) ? next : claimRequestsPath, undefined, 303)
})

/** The list of requests for passports, and what members decide about them. */
export const claimRequestPages: Operation[] = [listOperation, decideOperation]
