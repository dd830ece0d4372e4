import type { Knex } from 'knex'
import { createModelSource, listPage } from '../../../database/list/index.ts'
import { newId } from '../../../database/model.ts'
import type { MemberCaller, OrganizationCaller } from '../../../kernel/caller.ts'
import { mapPageResult, type PageRequest, type PageResult } from '../../../kernel/page.ts'
import { createNotFoundProblem, createProblem } from '../../../kernel/problem.ts'
import { UnavailableError } from '../../../kernel/unavailable.ts'
import type { Work } from '../../../kernel/work.ts'
import { canDeliver } from '../../outbox/index.ts'
import { recordAct } from '../acts/acts.ts'
import { assertRank, lockOrganization, lockPresentOrganization } from '../members/ranks.ts'
import { insertMembership, isMemberAddress } from '../members/members.ts'
import type { Membership } from '../identity.schema.ts'
import { OrganizationModel } from '../organizations/organizations.model.ts'
import { findFirstOwner } from '../organizations/owners.ts'
import { invitationStatus } from './invitations.machine.ts'
import { invitationDays, mailInvitation } from './invitations.mail.ts'
import { invitationColumns, InvitationModel } from './invitations.model.ts'
import type { Invitation, NewInvitation } from './invitations.schema.ts'

/** Maximum number of invitations of an organization that can be accepted at a time. */
const maxOpenInvitations = 100

const presentInvitation = ({ id, email, role, shownStatus, expiresAt, createdAt }: InvitationModel): Invitation => ({
  id,
  email,
  role,
  status: shownStatus,
  expiresAt,
  createdAt,
})

/** Lists the invitations of an organization. */
export async function listInvitations(
  { trx }: Pick<Work, 'trx'>,
  organization: string,
  page: PageRequest,
): Promise<PageResult<Invitation>> {
  const invitations = createModelSource(InvitationModel.query(trx).modify('ofOrganization', organization))
  return mapPageResult(await listPage(invitations, page, invitationColumns), presentInvitation)
}

/**
 * Invites a person. Who was invited already is sent the mail again: the invitation stays one, with the role of the newest
 * call and a new end.
 * @returns the invitation, and whether it is new
 * @throws AUTH_INSUFFICIENT_PERMISSIONS for an owner's role if the caller is no owner; ORG_CROSS_ACCESS_DENIED if the
 * organization was deleted meanwhile; MEMBER_EXISTS; INVITATION_LIMIT; RATE_LIMITED; UnavailableError if no mail can be sent
 */
export async function invitePerson(
  work: Work,
  caller: OrganizationCaller,
  { email: address, role }: NewInvitation,
): Promise<{ invitation: Invitation; isNew: boolean }> {
  const { trx, context } = work
  const { organization } = caller
  const email = address.toLowerCase()
  if (!canDeliver(context.settings, 'email'))
    throw new UnavailableError('This installation cannot send mail, so nobody can be invited.')
  await lockPresentOrganization(trx, organization)
  await assertRank(trx, caller, organization, [role])
  if (await isMemberAddress(trx, organization, email))
    throw createProblem('MEMBER_EXISTS', 'This person is a member already.', { path: 'email' })
  const known = await InvitationModel.query(trx)
    .modify('ofOrganization', organization)
    .findOne({ email, status: invitationStatus.moves.create.to })
  const isOpen = known?.shownStatus === 'pending'
  if (!isOpen) await assertRoom(trx, organization)
  const id = known?.id ?? newId()
  const inviter = caller.kind === 'member' ? caller.user : await findFirstOwner(trx, organization)
  await storeInvitation(trx, { id, organization, email, role, inviter })
  const { name, locale } = await OrganizationModel.query(trx).findById(organization).throwIfNotFound()
  await mailInvitation(trx, context, { id, organization, organizationName: name, email, locale })
  const target = { kind: 'invitation', id, label: email }
  await recordAct(work, organization, { action: 'invitation.send', target, change: role })
  return { invitation: presentInvitation(await readInvitation(trx, id)), isNew: !isOpen }
}

/** @throws INVITATION_LIMIT if the organization, which is locked, has as many open invitations as it may have */
async function assertRoom(trx: Knex, organization: string): Promise<void> {
  const open = await InvitationModel.query(trx).where({ organization_id: organization }).modify('open').resultSize()
  if (open >= maxOpenInvitations)
    throw createProblem('INVITATION_LIMIT', `At most ${maxOpenInvitations} invitations can be open at a time.`)
}

interface StoredInvitation {
  id: string
  organization: string
  email: string
  role: Invitation['role']
  inviter: string
}

async function storeInvitation(trx: Knex, { id, organization, email, role, inviter }: StoredInvitation): Promise<void> {
  await trx.raw(
    `insert into invitations (id, organization_id, email, role, status, inviter_id, expires_at)
     values (:id, :organization, :email, :role, ${invitationStatus.target('create')}, :inviter,
       now() + interval '${invitationDays} days')
     on conflict (id) do update set role = excluded.role, inviter_id = excluded.inviter_id,
       expires_at = excluded.expires_at`,
    { id, organization, email, role, inviter },
  )
}

async function readInvitation(trx: Knex, id: string): Promise<InvitationModel> {
  return InvitationModel.query(trx).modify('withShownStatus').findById(id).throwIfNotFound()
}

const createTarget = ({ id, email }: InvitationModel) => ({ kind: 'invitation', id, label: email })

/** Withdraws an invitation. @throws NOT_FOUND; INVITATION_NOT_OPEN */
export async function withdrawInvitation(work: Work, caller: OrganizationCaller, id: string): Promise<Invitation> {
  const { trx } = work
  const { organization } = caller
  const invitation = await InvitationModel.query(trx).modify('ofOrganization', organization).findById(id).forUpdate()
  if (!invitation) throw createNotFoundProblem()
  await endInvitation(trx, invitation, 'withdraw')
  await recordAct(work, organization, {
    action: 'invitation.withdraw',
    target: createTarget(invitation),
  })
  return presentInvitation(await readInvitation(trx, id))
}

async function endInvitation(
  trx: Knex,
  { id, shownStatus }: InvitationModel,
  move: 'accept' | 'decline' | 'withdraw',
): Promise<void> {
  if (shownStatus !== 'pending')
    throw createProblem('INVITATION_NOT_OPEN', 'The invitation was used, withdrawn or has expired.')
  await trx.raw(`update invitations set ${invitationStatus.set(move)} where id = ?`, [id])
}

/**
 * Finds an invitation for the person that it names: who has proven its address.
 * @throws NOT_FOUND for everybody else, whether there is such an invitation or not
 */
async function findOwnInvitation(trx: Knex, { user }: MemberCaller, id: string): Promise<InvitationModel> {
  const found = await InvitationModel.query(trx).modify('withShownStatus').findById(id)
  const person = await trx('users')
    .where({ id: user, email_verified: true })
    .first<{ email: string } | undefined>('email')
  if (!found || found.email !== person?.email) throw createNotFoundProblem()
  return found
}

/** Reads an invitation and who sent it, for the person that it names. @throws NOT_FOUND */
export async function readOwnInvitation(
  { trx }: Pick<Work, 'trx'>,
  caller: MemberCaller,
  id: string,
): Promise<{ invitation: Invitation; organization: { id: string; name: string } }> {
  const found = await findOwnInvitation(trx, caller, id)
  const organization = await OrganizationModel.query(trx).findById(found.organizationId).throwIfNotFound()
  return { invitation: presentInvitation(found), organization: { id: organization.id, name: organization.name } }
}

/** Locks an invitation for the person that it names, after its organization. @throws NOT_FOUND */
async function lockOwnInvitation(trx: Knex, caller: MemberCaller, id: string): Promise<InvitationModel> {
  const found = await findOwnInvitation(trx, caller, id)
  await lockOrganization(trx, found.organizationId)
  const locked = await InvitationModel.query(trx).modify('withShownStatus').findById(id).forUpdate()
  if (!locked) throw createNotFoundProblem()
  return locked
}

/**
 * Makes the person whom an invitation names a member, in the transaction that ends the invitation: the library's own call
 * does it in two steps, between which a process may die. Who became a member meanwhile keeps their role.
 * @throws NOT_FOUND, INVITATION_NOT_OPEN
 */
export async function acceptInvitation(work: Work, caller: MemberCaller, id: string): Promise<Membership> {
  const { trx } = work
  const invitation = await lockOwnInvitation(trx, caller, id)
  const { organizationId: organization, role } = invitation
  await endInvitation(trx, invitation, 'accept')
  const membership = await insertMembership(trx, { organization, user: caller.user, role })
  await recordAct(work, organization, {
    action: 'invitation.accept',
    target: createTarget(invitation),
    change: membership.role,
  })
  return membership
}

/** Declines an invitation. @throws NOT_FOUND, INVITATION_NOT_OPEN */
export async function declineInvitation(work: Work, caller: MemberCaller, id: string): Promise<Invitation> {
  const { trx } = work
  const invitation = await lockOwnInvitation(trx, caller, id)
  await endInvitation(trx, invitation, 'decline')
  await recordAct(work, invitation.organizationId, {
    action: 'invitation.decline',
    target: createTarget(invitation),
  })
  return presentInvitation(await readInvitation(trx, id))
}
