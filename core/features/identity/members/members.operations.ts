import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { assertActive } from '../organizations/access.ts'
import { changeRole, listMembers, removeMember } from './members.ts'
import { Member, MemberList, memberList, MemberPatch } from './members.schema.ts'

const tag = 'Organizations'

const listOperation = declareOperation({
  id: 'list_members_v1',
  method: 'GET',
  path: '/v1/organizations/:id/members',
  access: { rule: 'member:read', forbidsForeign: true },
  list: memberList,
  returns: { 200: MemberList },
  problemCodes: ['ORG_CROSS_ACCESS_DENIED'],
  document: { tag, summary: 'List members', description: 'The people who work for the active organization.' },
}).withReadHandler(({ caller, page, params, work }) => {
  assertActive(caller, params.id)
  return listMembers(work, caller.organization, page)
})

const updateOperation = declareOperation({
  id: 'update_member_v1',
  method: 'PATCH',
  path: '/v1/organizations/:id/members/:memberId',
  access: 'member:update',
  body: MemberPatch,
  returns: { 200: Member },
  problemCodes: ['ORG_CROSS_ACCESS_DENIED', 'MEMBER_LAST_OWNER'],
  document: {
    tag,
    summary: "Change a member's role",
    description: 'Only an owner makes or changes an owner. Holds from the next request of the member.',
  },
}).withTransactionHandler(({ body, caller, params, work }) => {
  assertActive(caller, params.id)
  return changeRole(work, caller, { id: params.memberId, role: body.role })
})

const removeOperation = declareOperation({
  id: 'delete_member_v1',
  method: 'DELETE',
  path: '/v1/organizations/:id/members/:memberId',
  access: 'keyOrMember',
  returns: { 200: Member },
  problemCodes: ['ORG_CROSS_ACCESS_DENIED', 'MEMBER_LAST_OWNER'],
  document: {
    tag,
    summary: 'Remove a member',
    description: 'Members remove themselves, which is leaving; to remove others needs member:delete.',
  },
}).withTransactionHandler(({ caller, params, work }) =>
  removeMember(work, caller, { organization: params.id.toLowerCase(), id: params.memberId }),
)

/** The operations of members. */
export const memberOperations: Operation[] = [listOperation, updateOperation, removeOperation]
