import { answerRedirect, isAnswer, type Answer } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import type { FilterNode, Sorter } from '../../../../kernel/page.ts'
import { object, oneOf, optional, string } from '../../../../kernel/schema.ts'
import { networkNames } from '../../../../features/accounts/index.ts'
import { listApplicationChoices } from '../../../../features/applications/index.ts'
import {
  changeAssignment,
  createAssignment,
  listAssignments,
  listTierChoices,
  readAllAssignments,
  readOwnAssignment,
  removeAssignment,
  type Assignment,
} from '../../../../features/loyalty/index.ts'
import { may, memberPageOptions } from '../../console.ts'
import { getRefusal, renderQuestion, type RefusedForm } from '../../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../../frame/frame.ts'
import {
  answerCsv,
  createFilter,
  createPageRequest,
  cursorField,
  textField,
  uuidField,
  type CsvColumns,
} from '../../frame/lists.ts'
import { formatPoints } from '../../frame/lists.views.ts'
import { parseGift, parseNewAssignment } from './assignments.form.ts'
import {
  assignmentsPath as path,
  getPerson,
  renderAssignment,
  renderAssignments,
  renderNewAssignment,
  type AssignmentForm,
  type AssignmentQuery,
} from './assignments.views.ts'
import { getProblemStatus } from '../../../site/layout.ts'

const fields = {
  search: textField('Part of an e-mail address or a phone number.'),
  application: uuidField('The application, if not all.'),
  network: optional(oneOf(['', ...networkNames], 'The network, if not all.')),
  status: optional(oneOf(['', 'pending', 'consumed'], 'Whether they were given; pending, if it is left out.')),
}

const newestFirst: Sorter = { field: 'createdAt', order: 'desc' }

/** Creates the filter of what is searched for: digits alone are part of a phone number. */
const createSearch = (search: string): FilterNode[] =>
  /^\+?[\d ().-]+$/.test(search)
    ? createFilter('phoneNumber', 'contains', search.replace(/[^\d+]/g, ''))
    : createFilter('email', 'contains', search.toLowerCase())

const createRequest = ({ search = '', application, status, cursor }: AssignmentQuery) =>
  createPageRequest(
    [
      ...createSearch(search.trim()),
      ...createFilter('application.id', 'eq', application?.toLowerCase()),
      ...createFilter('status', 'eq', status),
    ],
    { sorter: newestFirst, cursor },
  )

const toNetwork = (network: AssignmentQuery['network']) => networkNames.find((name) => name === network)

/** Points and tiers that wait for people. */
const listOperation = declareOperation({
  id: 'console_assignments_page_v1',
  method: 'GET',
  path,
  ...memberPageOptions,
  query: { ...fields, cursor: cursorField },
  document: { tag: 'Pages', summary: 'Assignments of the organization' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'loyalty:read')
  if (isAnswer(page)) return page
  const { member, work } = page
  const { query } = input
  const [found, applications, tiers] = await Promise.all([
    listAssignments(work, member, createRequest(query), { network: toNetwork(query.network) }),
    listApplicationChoices(work.trx, member.organization),
    listTierChoices(work, member),
  ])
  const content = renderAssignments(found, {
    ...page,
    query,
    applications,
    tiers: new Map(tiers.map(({ id, name }) => [id, name])),
    mayCreate: may(member, 'loyalty:create'),
  })
  return renderFramed(page, { title: page.words.assignments.title }, content)
})

const columns: CsvColumns<Assignment> = [
  ['id', ({ id }) => id],
  ['application', ({ application }) => application],
  ['network', ({ network }) => network],
  ['email', ({ email }) => email ?? null],
  ['phone_number', ({ phoneNumber }) => phoneNumber ?? null],
  ['points', ({ optimisticBalance }) => BigInt(optimisticBalance)],
  ['reward_tier', ({ rewardTier }) => rewardTier ?? null],
  ['status', ({ status }) => status],
  ['created_at', ({ createdAt }) => createdAt],
]

const fileOperation = declareOperation({
  id: 'console_assignments_file_v1',
  method: 'GET',
  path: `${path}.csv`,
  ...memberPageOptions,
  query: fields,
  returns: { 200: { type: 'text/csv', description: 'The assignments.' } },
  document: { tag: 'Pages', summary: 'Assignments as CSV' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'loyalty:read')
  if (isAnswer(page)) return page
  const { member, work } = page
  const options = { network: toNetwork(input.query.network) }
  return answerCsv(
    'assignments',
    columns,
    readAllAssignments({ trx: work.context.db }, member, createRequest(input.query), options),
  )
})

const emptyForm: AssignmentForm = { application: '', email: '', phoneNumber: '', optimisticBalance: '', rewardTier: '' }

const newOperation = declareOperation({
  id: 'console_assignment_new_page_v1',
  method: 'GET',
  path: `${path}/new`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'A new assignment' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'loyalty:create')
  return isAnswer(page) ? page : renderNew(page)
})

/** Reads what the forms offer: applications, and tiers with the name of theirs where there are several. */
async function readChoices({ member, work }: ConsolePage) {
  const [applications, tiers] = await Promise.all([
    listApplicationChoices(work.trx, member.organization),
    listTierChoices(work, member),
  ])
  const names = new Map(applications.map(({ id, name }) => [id, name]))
  const label = (name: string, application: string) =>
    applications.length > 1 ? `${name} (${names.get(application) ?? ''})` : name
  return { applications, tiers: tiers.map(({ id, name, application }) => [id, label(name, application)] as const) }
}

async function renderNew(page: ConsolePage, refused?: RefusedForm<AssignmentForm>): Promise<Answer> {
  const view = { ...page, ...(await readChoices(page)), problem: refused?.problem }
  const content = renderNewAssignment(refused?.form ?? emptyForm, view)
  const title = page.words.assignments.newTitle
  return renderFramed(page, { title, wide: false, ...getProblemStatus(refused?.problem) }, content)
}

const giftMembers = {
  optimisticBalance: string('How many points.', { maxLength: 40 }),
  rewardTier: uuidField('The tier, if one comes with them.'),
}

const createOperation = declareOperation({
  id: 'console_assignment_create_page_v1',
  method: 'POST',
  path,
  ...memberPageOptions,
  body: object({
    application: uuidField('Its application.'),
    email: textField('E-mail address of the person.', { maxLength: 400 }),
    phoneNumber: textField('Phone number of the person.'),
    ...giftMembers,
    upsert: optional(oneOf(['true'], 'Adds to what waits already.')),
  }),
  document: { tag: 'Pages', summary: 'Create an assignment' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, path, 'loyalty:create')
  if (isAnswer(page)) return page
  const form: AssignmentForm = { ...emptyForm, ...input.body }
  try {
    const content = parseNewAssignment(form)
    return await input.finish(async (work) => {
      await createAssignment(work, page.member, content)
      return answerRedirect(path, undefined, 303)
    })
  } catch (cause) {
    return renderNew(page, { form, problem: getRefusal(cause) })
  }
})

const getAddress = (id: string) => `${path}/${id}`

const readOperation = declareOperation({
  id: 'console_assignment_page_v1',
  method: 'GET',
  path: `${path}/:id`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'One assignment' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getAddress(input.params.id), 'loyalty:read')
  if (isAnswer(page)) return page
  return renderOne(page, await readOwnAssignment(page.work, page.member, input.params.id))
})

type Gift = Pick<AssignmentForm, 'optimisticBalance' | 'rewardTier'>

async function renderOne(page: ConsolePage, assignment: Assignment, refused?: RefusedForm<Gift>): Promise<Answer> {
  const { member } = page
  const { optimisticBalance, rewardTier = '' } = assignment
  const content = renderAssignment(assignment, refused?.form ?? { optimisticBalance, rewardTier }, {
    ...page,
    ...(await readChoices(page)),
    problem: refused?.problem,
    mayUpdate: may(member, 'loyalty:update'),
    mayDelete: may(member, 'loyalty:delete'),
  })
  return renderFramed(
    page,
    { title: getPerson(assignment), wide: false, ...getProblemStatus(refused?.problem) },
    content,
  )
}

const updateOperation = declareOperation({
  id: 'console_assignment_update_page_v1',
  method: 'POST',
  path: `${path}/:id`,
  ...memberPageOptions,
  body: object(giftMembers),
  document: { tag: 'Pages', summary: 'Change an assignment' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getAddress(id), 'loyalty:update')
  if (isAnswer(page)) return page
  const { member, work } = page
  const assignment = await readOwnAssignment(work, member, id)
  const form: Gift = { rewardTier: '', ...input.body }
  try {
    const { optimisticBalance, rewardTier = null } = parseGift(form)
    const patch = { optimisticBalance, rewardTier }
    return await input.finish(async (inner) => {
      await changeAssignment(inner, member, { id, patch, precondition: () => undefined })
      return answerRedirect(getAddress(id), undefined, 303)
    })
  } catch (cause) {
    return renderOne(page, assignment, { form, problem: getRefusal(cause) })
  }
})

/** The page that says what deleting an assignment does. */
const askOperation = declareOperation({
  id: 'console_assignment_delete_question_v1',
  method: 'GET',
  path: `${path}/:id/delete`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before an assignment is deleted' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getAddress(input.params.id), 'loyalty:delete')
  if (isAnswer(page)) return page
  const assignment = await readOwnAssignment(page.work, page.member, input.params.id)
  const { assignments: phrases } = page.words
  const { id, status, optimisticBalance } = assignment
  const isGiven = status === 'consumed'
  const title = phrases.deleteTitle
  const content = renderQuestion(
    {
      title,
      consequences: [
        !isGiven && phrases.deleteText(getPerson(assignment), formatPoints(optimisticBalance, page.language)),
        isGiven && phrases.deleteGiven,
      ],
      button: phrases.deleteButton,
      action: `${getAddress(id)}/delete`,
      back: getAddress(id),
      problem: undefined,
    },
    page.words,
  )
  return renderFramed(page, { title, wide: false }, content)
})

const deleteOperation = declareOperation({
  id: 'console_assignment_delete_page_v1',
  method: 'POST',
  path: `${path}/:id/delete`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Delete an assignment' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getAddress(id), 'loyalty:delete')
  if (isAnswer(page)) return page
  return await input.finish(async (work) => {
    await removeAssignment(work, page.member, { id, precondition: () => undefined })
    return answerRedirect(path, undefined, 303)
  })
})

export const assignmentPages: Operation[] = [
  listOperation,
  fileOperation,
  newOperation,
  createOperation,
  readOperation,
  updateOperation,
  askOperation,
  deleteOperation,
]
