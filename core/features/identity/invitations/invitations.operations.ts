import { answerJson } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { Membership } from '../identity.schema.ts'
import { assertActive } from '../organizations/access.ts'
import {
  acceptInvitation,
  declineInvitation,
  invitePerson,
  listInvitations,
  withdrawInvitation,
} from './invitations.ts'
import { Invitation, InvitationList, invitationList, NewInvitation } from './invitations.schema.ts'

const tag = 'Organizations'

const listOperation = declareOperation({
  id: 'list_invitations_v1',
  method: 'GET',
  path: '/v1/organizations/:id/invitations',
  access: { rule: 'invitation:read', forbidsForeign: true },
  list: invitationList,
  returns: { 200: InvitationList },
  problemCodes: ['ORG_CROSS_ACCESS_DENIED'],
  document: { tag, summary: 'List invitations', description: 'Those of the active organization, in every state.' },
}).withReadHandler(({ caller, page, params, work }) => {
  assertActive(caller, params.id)
  return listInvitations(work, caller.organization, page)
})

const createOperation = declareOperation({
  id: 'create_invitation_v1',
  method: 'POST',
  path: '/v1/organizations/:id/invitations',
  access: { rule: 'invitation:create', forbidsForeign: true },
  body: NewInvitation,
  returns: { 201: Invitation, 200: Invitation },
  problemCodes: ['ORG_CROSS_ACCESS_DENIED', 'MEMBER_EXISTS', 'INVITATION_LIMIT'],
  document: {
    tag,
    summary: 'Invite a person',
    description:
      'Sends a mail with a link that is good for 7 days. Who has an open invitation is sent it again: 200, with the new '
      + 'role. At most 3 mails a day go to one address, 200 for one organization; at most 100 invitations are open.',
  },
}).withTransactionHandler(async ({ body, caller, params, work }) => {
  assertActive(caller, params.id)
  const { invitation, isNew } = await invitePerson(work, caller, body)
  return answerJson(invitation, undefined, isNew ? 201 : 200)
})

const withdrawOperation = declareOperation({
  id: 'delete_invitation_v1',
  method: 'DELETE',
  path: '/v1/organizations/:id/invitations/:invitationId',
  access: 'invitation:delete',
  returns: { 200: Invitation },
  problemCodes: ['ORG_CROSS_ACCESS_DENIED', 'INVITATION_NOT_OPEN'],
  document: { tag, summary: 'Withdraw an invitation', description: 'Its link leads nowhere from then on.' },
}).withTransactionHandler(({ caller, params, work }) => {
  assertActive(caller, params.id)
  return withdrawInvitation(work, caller, params.invitationId)
})

const ownDescription = 'For the person whose verified e-mail address the invitation names; for others there is none.'

const acceptOperation = declareOperation({
  id: 'accept_invitation_v1',
  method: 'POST',
  path: '/v1/invitations/:id/accept',
  access: 'member',
  returns: { 200: Membership },
  problemCodes: ['INVITATION_NOT_OPEN'],
  document: { tag, summary: 'Accept an invitation', description: ownDescription },
}).withTransactionHandler(({ caller, params, work }) => acceptInvitation(work, caller, params.id))

const declineOperation = declareOperation({
  id: 'decline_invitation_v1',
  method: 'POST',
  path: '/v1/invitations/:id/decline',
  access: 'member',
  returns: { 200: Invitation },
  problemCodes: ['INVITATION_NOT_OPEN'],
  document: { tag, summary: 'Decline an invitation', description: ownDescription },
}).withTransactionHandler(({ caller, params, work }) => declineInvitation(work, caller, params.id))

/** The operations of invitations. */
export const invitationOperations: Operation[] = [
  listOperation,
  createOperation,
  withdrawOperation,
  acceptOperation,
  declineOperation,
]
