import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation, type OutboundHandlerInput } from '../../../kernel/operation.ts'
import { roles, type Permission } from '../../../kernel/permission.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import { object, oneOf, string } from '../../../kernel/schema.ts'
import type { Work } from '../../../kernel/work.ts'
import {
  changeRole,
  invitePerson,
  listInvitations,
  listMembers,
  readMember,
  readMemberships,
  removeMember,
  withdrawInvitation,
  type Member,
} from '../../../features/identity/index.ts'
import { may, memberPageOptions, type ActiveMember } from '../console.ts'
import { getRefusal, renderQuestion } from '../frame/forms.views.ts'
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
import { addPeopleRefusals, invitationsPath, membersPath, renderMembers, type MembersView } from './members.views.ts'
import { peopleWords } from './words.ts'
import { getProblemStatus } from '../../site/layout.ts'

const byAge = { field: 'createdAt', order: 'asc' } as const

/** The people of the organization. */
const listOperation = declareOperation({
  id: 'console_members_page_v1',
  method: 'GET',
  path: membersPath,
  ...memberPageOptions,
  query: { cursor: cursorField },
  document: { tag: 'Pages', summary: 'Members of the organization' },
}).withReadHandler(async (input) => {
  const page = openPage(input, membersPath, 'member:read')
  return isAnswer(page) ? page : renderPeople(page, { cursor: input.query.cursor })
})

const columns: CsvColumns<Member> = [
  ['id', ({ id }) => id],
  ['name', ({ user }) => user.name],
  ['email', ({ user }) => user.email],
  ['role', ({ role }) => role],
  ['created_at', ({ createdAt }) => createdAt],
]

/** The CSV file of all people of the organization. */
const fileOperation = declareListFile({
  id: 'console_members_file_v1',
  listPath: membersPath,
  permission: 'member:read',
  fileName: 'members',
  description: 'The members.',
  summary: 'Members as CSV',
  columns,
  readRows: ({ member, work }) => readPages(byAge, (request) => listMembers(work, member.organization, request)),
})

interface PeopleOptions {
  cursor?: string | undefined
  problem?: ProblemError
  form?: MembersView['form']
}

async function renderPeople(page: ConsolePage, { cursor, problem, form }: PeopleOptions = {}): Promise<Answer> {
  const { member, work, language } = page
  const mayList = may(member, 'invitation:read')
  const [{ data, total, nextCursor }, invitations] = await Promise.all([
    listMembers(work, member.organization, createPageRequest([], { sorter: byAge, cursor })),
    mayList
      ? listInvitations(work, member.organization, {
          ...createPageRequest(createFilter('status', 'eq', 'pending'), { sorter: byAge }),
          pageSize: 100,
        })
      : null,
  ])
  const content = renderMembers(page, {
    members: data,
    total,
    isFirst: !isGiven(cursor),
    next: nextCursor === null ? null : formatAddress(membersPath, { cursor: nextCursor }),
    invitations: invitations?.data ?? null,
    mayInvite: may(member, 'invitation:create'),
    mayWithdraw: may(member, 'invitation:delete'),
    mayUpdate: may(member, 'member:update'),
    mayRemove: may(member, 'member:delete'),
    problem,
    form,
  })
  const { title } = peopleWords[language]
  return renderFramed(page, { title, ...getProblemStatus(problem) }, content)
}

type FormInput = Parameters<typeof openPage>[0] & Pick<OutboundHandlerInput, 'finish'>

/** Does what a form asks and leads back to the list; or shows the list with the reason, and what was written. */
async function answerForm(
  input: FormInput,
  permission: Permission,
  act: (work: Work, member: ActiveMember) => Promise<unknown>,
  form?: MembersView['form'],
): Promise<Answer> {
  const page = openPage(input, membersPath, permission)
  if (isAnswer(page)) return page
  try {
    return await input.finish(async (work) => {
      await act(work, page.member)
      return answerRedirect(membersPath, undefined, 303)
    })
  } catch (cause) {
    return renderPeople(page, { problem: getRefusal(cause), form })
  }
}

const role = oneOf(roles, 'What the person may do.')

const changeOperation = declareOperation({
  id: 'console_member_update_page_v1',
  method: 'POST',
  path: `${membersPath}/:id`,
  ...memberPageOptions,
  body: object({ role }),
  document: { tag: 'Pages', summary: 'Change the role of a member' },
}).withOutboundHandler((input) =>
  answerForm(input, 'member:update', (work, member) =>
    changeRole(work, member, { id: input.params.id, role: input.body.role }),
  ),
)

/** The page that says what removing a member does, or leaving. */
const questionOperation = declareOperation({
  id: 'console_member_remove_question_v1',
  method: 'GET',
  path: `${membersPath}/:id/remove`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before a member is removed' },
}).withReadHandler(async (input) => {
  const page = openPage(input, membersPath, 'organization:read')
  return isAnswer(page) ? page : renderRemoval(page, input.params.id)
})

async function renderRemoval(page: ConsolePage, id: string, problem?: ProblemError): Promise<Answer> {
  const { member, work, language } = page
  const phrases = peopleWords[language]
  const found = await readMember(work, member, id)
  const isOwn = found.user.id === member.user
  const organizations = await readMemberships(work.trx, member.user)
  const organization = organizations.find((one) => one.id === member.organization)?.name ?? ''
  const title = isOwn ? phrases.leaveTitle(organization) : phrases.removeTitle(found.user.email)
  const content = renderQuestion(
    {
      title,
      consequences: [isOwn ? phrases.leaveText : phrases.removeText, phrases.staysText],
      button: isOwn ? phrases.leave : phrases.remove,
      action: `${membersPath}/${id}/remove`,
      back: may(member, 'member:read') ? membersPath : '/console',
      problem,
    },
    addPeopleRefusals(page),
  )
  return renderFramed(page, { title, wide: false, ...getProblemStatus(problem) }, content)
}

const removeOperation = declareOperation({
  id: 'console_member_remove_page_v1',
  method: 'POST',
  path: `${membersPath}/:id/remove`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Remove a member, or leave' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, membersPath, 'organization:read')
  if (isAnswer(page)) return page
  const { member } = page
  try {
    return await input.finish(async (work) => {
      const { user } = await removeMember(work, member, { organization: member.organization, id: input.params.id })
      return answerRedirect(user.id === member.user ? '/console/organizations' : membersPath, undefined, 303)
    })
  } catch (cause) {
    return renderRemoval(page, input.params.id, getRefusal(cause))
  }
})

const inviteOperation = declareOperation({
  id: 'console_invitation_create_page_v1',
  method: 'POST',
  path: invitationsPath,
  ...memberPageOptions,
  body: object({ email: string('E-mail address of the person.', { maxLength: 254, format: 'email' }), role }),
  document: { tag: 'Pages', summary: 'Invite a person, or send an invitation again' },
}).withOutboundHandler((input) =>
  answerForm(input, 'invitation:create', (work, member) => invitePerson(work, member, input.body), input.body),
)

const withdrawOperation = declareOperation({
  id: 'console_invitation_withdraw_page_v1',
  method: 'POST',
  path: `${invitationsPath}/:id/withdraw`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Withdraw an invitation' },
}).withOutboundHandler((input) =>
  answerForm(input, 'invitation:delete', (work, member) => withdrawInvitation(work, member, input.params.id)),
)

/** The pages about the people of an organization. */
export const memberPages: Operation[] = [
  listOperation,
  fileOperation,
  inviteOperation,
  withdrawOperation,
  changeOperation,
  questionOperation,
  removeOperation,
]
