import { randomUUID } from 'node:crypto'
import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { createValidationProblem, type ProblemError, type Issue } from '../../../kernel/problem.ts'
import { object, oneOf, optional, string, uuid } from '../../../kernel/schema.ts'
import { isName, nameIssueMessage } from '../../../kernel/text/characters.ts'
import {
  changePointsTogether,
  deleteAccount,
  eraseKey,
  findNextTier,
  listTierChanges,
  listTierChoices,
  readAccount,
  readPointDates,
  readStatement,
  updateAccount,
  type Account,
  type StatementEntry,
} from '../../../features/loyalty/index.ts'
import { may, memberPageOptions } from '../console.ts'
import { renderPointsQuestion } from './account.points.ts'
import { renderAccount, type AccountView, type PointsForm, type ProfileForm } from './account.views.ts'
import { getAccountTitle } from './accounts.views.ts'
import { getRefusal, renderQuestion } from '../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { answerCsv, dayField, parseDay, textField, uuidField, type CsvColumns, type QueryText } from '../frame/lists.ts'
import { formatPoints } from '../frame/lists.views.ts'
import { getProblemStatus } from '../../site/layout.ts'

/** The number of entries that the page and the file show. */
const maxShownEntries = 100
const maxFileEntries = 20_000
const maxShownChanges = 20

const getAddress = (id: string) => `/console/accounts/${id}`

/** The page of one account: who it is, what they have, and how it came about. */
const readOperation = declareOperation({
  id: 'console_account_page_v1',
  method: 'GET',
  path: '/console/accounts/:id',
  ...memberPageOptions,
  query: { since: dayField('First day of the statement; a year ago, if it is left out.') },
  document: { tag: 'Pages', summary: 'One account' },
}).withReadHandler(async (input) => {
  const { params, query } = input
  const page = openPage(input, getAddress(params.id), 'loyalty:read')
  return isAnswer(page) ? page : renderAccountPage(page, params.id, { since: query.since })
})

/** The first instant of a statement: of the day, or of this day a year ago. */
function getBeginning(day: QueryText): Date {
  const wanted = parseDay(day, 'since')
  if (wanted !== undefined) return new Date(wanted)
  const beginning = new Date(`${new Date().toISOString().slice(0, 10)}T00:00:00Z`)
  beginning.setUTCFullYear(beginning.getUTCFullYear() - 1)
  return beginning
}

/** A form of the page that was refused. */
type Refused = { problem: ProblemError } & ({ points: PointsForm } | { profile: ProfileForm })

async function renderAccountPage(
  page: ConsolePage,
  id: string,
  { since, refused }: { since?: QueryText; refused?: Refused },
): Promise<Answer> {
  const { member, words, work } = page
  const account = await readAccount(work, member, id)
  const [statement, dates, nextTier, changes, tiers] = await Promise.all([
    readStatement(work.trx, id, { since: getBeginning(since), limit: maxShownEntries }),
    readPointDates(work.trx, id),
    findNextTier(work.trx, { account: id, application: account.application.id }),
    listTierChanges(work.trx, { organization: member.organization, account: id, limit: maxShownChanges }),
    listTierChoices(work, member, account.application.id),
  ])
  const view: AccountView = {
    ...page,
    statement,
    dates,
    nextTier,
    changes,
    tiers,
    forms: may(member, 'loyalty:update') ? createForms(account, refused) : null,
    mayDelete: may(member, 'loyalty:delete'),
    problem: refused?.problem,
  }
  const options = { title: getAccountTitle(account, words), ...getProblemStatus(refused?.problem) }
  return renderFramed(page, options, renderAccount(account, view))
}

function createForms({ loyalty }: Account, refused: Refused | undefined): AccountView['forms'] {
  const { fixedRewardTier, visits, customerId } = loyalty
  const profile = { fixedRewardTier: fixedRewardTier ?? '', visits: String(visits), customerId: customerId ?? '' }
  // A form that was sent twice carries the same reference, so that it counts once.
  const points: PointsForm = { change: 'mint', amount: '', reason: '', reference: randomUUID() }
  if (!refused) return { points, profile, opened: null }
  return 'points' in refused
    ? { points: refused.points, profile, opened: 'points' }
    : { points, profile: refused.profile, opened: 'profile' }
}

const columns: CsvColumns<StatementEntry> = [
  ['id', ({ id }) => id],
  ['recorded_at', ({ recordedAt }) => recordedAt.toISOString()],
  ['occurred_at', ({ occurredAt }) => occurredAt.toISOString()],
  ['kind', ({ kind }) => kind],
  ['points', ({ points }) => BigInt(points)],
  ['balance', ({ balance }) => BigInt(balance)],
  ['status', ({ status }) => status],
  ['reason', ({ reason }) => reason],
  ['reference', ({ reference }) => reference],
]

/** The CSV file of the statement, the newest entry first. */
const fileOperation = declareOperation({
  id: 'console_account_statement_file_v1',
  method: 'GET',
  path: '/console/accounts/:id/statement.csv',
  ...memberPageOptions,
  query: { since: dayField('First day of the statement; a year ago, if it is left out.') },
  returns: { 200: { type: 'text/csv', description: 'The entries; X-Truncated: true, if there are more of them.' } },
  document: { tag: 'Pages', summary: 'Statement of an account as CSV' },
}).withReadHandler(async (input) => {
  const { params, query, work } = input
  const page = openPage(input, getAddress(params.id), 'loyalty:read')
  if (isAnswer(page)) return page
  const { id } = await readAccount(work, page.member, params.id)
  const { count, entries } = await readStatement(work.trx, id, {
    since: getBeginning(query.since),
    limit: maxFileEntries,
  })
  const headers: Record<string, string> = count > entries.length ? { 'X-Truncated': 'true' } : {}
  return answerCsv(`statement-${id}`, columns, [entries], headers)
})

/** Says what crediting or taking points would do, then does it by the operations of the API, with a reason. */
const changeOperation = declareOperation({
  id: 'console_account_points_page_v1',
  method: 'POST',
  path: '/console/accounts/:id/points',
  ...memberPageOptions,
  body: object({
    change: oneOf(['mint', 'burn'], 'Whether points are credited or taken.'),
    amount: string('How many points.', { maxLength: 40 }),
    reason: string('Why, for people.', { maxLength: 200 }),
    reference: uuid('What the form is recognized by when it is sent twice.'),
    act: optional(oneOf(['look', 'book'], 'Whether to tell what would happen, or to book it.')),
  }),
  document: { tag: 'Pages', summary: 'Credit or take points of an account' },
}).withOutboundHandler(async (input) => {
  const { body, params, work } = input
  const page = openPage(input, getAddress(params.id), 'loyalty:update')
  if (isAnswer(page)) return page
  const { act = 'look', change, ...entered } = body
  const form: PointsForm = { ...entered, change, amount: body.amount.trim(), reason: body.reason.trim() }
  try {
    assertForm(form)
    if (act === 'look') return await renderPointsQuestion(page, params.id, form)
    const { amount, reason } = form
    const reference = `console-${body.reference.toLowerCase()}`
    await changePointsTogether(work, {
      organization: page.member.organization,
      account: params.id,
      kind: change,
      change: { amount, reason, reference },
    })
    return answerRedirect(getAddress(params.id), undefined, 303)
  } catch (cause) {
    return renderAccountPage(page, params.id, { refused: { points: form, problem: getRefusal(cause) } })
  }
})

/** @throws VALIDATION_FAILED for what the operations of the API would not take, and without a reason */
function assertForm({ amount, reason }: PointsForm): void {
  const issues: Issue[] = []
  if (!/^[1-9][0-9]{0,17}$/.test(amount))
    issues.push({ path: 'amount', code: 'format', message: 'must be a whole number above zero, in digits' })
  if (!isName(reason))
    issues.push({ path: 'reason', code: 'format', message: reason === '' ? 'is missing' : nameIssueMessage })
  if (issues.length > 0) throw createValidationProblem(issues)
}

/** Changes the tier, the visits and the customer of an account by the operation of the API. */
const profileOperation = declareOperation({
  id: 'console_account_profile_page_v1',
  method: 'POST',
  path: '/console/accounts/:id/profile',
  ...memberPageOptions,
  body: object({
    fixedRewardTier: uuidField('The tier that holds whatever the visits.'),
    visits: string('How many visits there are.', { maxLength: 20 }),
    customerId: textField('What the till calls the person.'),
  }),
  document: { tag: 'Pages', summary: 'Change the tier, visits and customer of an account' },
}).withOutboundHandler(async (input) => {
  const { body, params } = input
  const page = openPage(input, getAddress(params.id), 'loyalty:update')
  if (isAnswer(page)) return page
  const { fixedRewardTier = '', customerId = '' } = body
  const form: ProfileForm = { fixedRewardTier, visits: body.visits.trim(), customerId: customerId.trim() }
  try {
    const loyalty = parseProfileForm(form)
    const change = { patch: { loyalty }, precondition: () => undefined }
    return await input.finish(async (work) => {
      await updateAccount(work, page.member, params.id, change)
      return answerRedirect(getAddress(params.id), undefined, 303)
    })
  } catch (cause) {
    return renderAccountPage(page, params.id, { refused: { profile: form, problem: getRefusal(cause) } })
  }
})

/** @throws VALIDATION_FAILED for what the operations of the API would not take */
function parseProfileForm({ fixedRewardTier, visits, customerId }: ProfileForm) {
  const number = /^\d{1,7}$/.test(visits) ? Number(visits) : Number.NaN
  if (!(number <= 1_000_000))
    throw createValidationProblem([
      { path: 'loyalty.visits', code: 'number', message: 'must be a whole number from 0 to 1000000' },
    ])
  if (customerId !== '' && !isName(customerId))
    throw createValidationProblem([{ path: 'loyalty.customerId', code: 'format', message: nameIssueMessage }])
  return {
    fixedRewardTier: fixedRewardTier === '' ? null : fixedRewardTier,
    visits: number,
    customerId: customerId === '' ? null : customerId,
  }
}

/** The page that says what deleting an account does. */
const askOperation = declareOperation({
  id: 'console_account_delete_question_v1',
  method: 'GET',
  path: '/console/accounts/:id/delete',
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before an account is deleted' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getAddress(input.params.id), 'loyalty:delete')
  return isAnswer(page) ? page : renderDeletion(page, input.params.id)
})

async function renderDeletion(page: ConsolePage, id: string, problem?: ProblemError): Promise<Answer> {
  const account = await readAccount(page.work, page.member, id)
  const { account: phrases } = page.words
  const points = formatPoints(account.loyalty.optimisticBalance, page.language)
  const content = renderQuestion(
    {
      title: `${phrases.deleteTitle} ${getAccountTitle(account, page.words)}`,
      consequences: [...phrases.deleteText, account.loyalty.optimisticBalance !== '0' && phrases.held(points)],
      button: phrases.deleteButton,
      action: `${getAddress(id)}/delete`,
      back: getAddress(id),
      problem,
    },
    page.words,
  )
  return renderFramed(page, { title: phrases.deleteTitle, wide: false, ...getProblemStatus(problem) }, content)
}

const deleteOperation = declareOperation({
  id: 'console_account_delete_page_v1',
  method: 'POST',
  path: '/console/accounts/:id/delete',
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Delete an account' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getAddress(id), 'loyalty:delete')
  if (isAnswer(page)) return page
  const { member, work } = page
  const account = await readAccount(work, member, id)
  try {
    await eraseKey(input.context, account)
    return await input.finish(async (inner) => {
      await deleteAccount(inner, member, { id, precondition: () => undefined })
      return answerRedirect('/console/accounts', undefined, 303)
    })
  } catch (cause) {
    return renderDeletion(page, id, getRefusal(cause))
  }
})

export const accountPages: Operation[] = [
  readOperation,
  fileOperation,
  changeOperation,
  profileOperation,
  askOperation,
  deleteOperation,
]
