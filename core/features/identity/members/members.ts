import type { Knex } from 'knex'
import { createModelSource, listPage } from '../../../database/list/index.ts'
import { newId } from '../../../database/model.ts'
import {
  createPermissionProblem,
  mayActFor,
  type KeyCaller,
  type MemberCaller,
  type OrganizationCaller,
} from '../../../kernel/caller.ts'
import { mapPageResult, type PageRequest, type PageResult } from '../../../kernel/page.ts'
import type { Role } from '../../../kernel/permission.ts'
import { createNotFoundProblem, createProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { recordAct } from '../acts/acts.ts'
import type { Membership } from '../identity.schema.ts'
import { createCrossAccessProblem } from '../organizations/access.ts'
import { readMemberships } from '../sessions.ts'
import { memberColumns, MemberModel } from './members.model.ts'
import type { Member } from './members.schema.ts'
import { assertRank, findRole, lockPresentOrganization } from './ranks.ts'

const presentMember = ({ id, userId, userName, userEmail, role, createdAt }: MemberModel): Member => ({
  id,
  user: { id: userId, name: userName || null, email: userEmail },
  role,
  createdAt,
})

/** Lists the members of an organization. */
export async function listMembers(
  { trx }: Pick<Work, 'trx'>,
  organization: string,
  page: PageRequest,
): Promise<PageResult<Member>> {
  const members = createModelSource(MemberModel.query(trx).modify('ofOrganization', organization))
  return mapPageResult(await listPage(members, page, memberColumns), presentMember)
}

/**
 * Reads a member of the organization that the caller acts for.
 * @throws NOT_FOUND, also for another member than the caller if the caller may not read members
 */
export async function readMember({ trx }: Pick<Work, 'trx'>, caller: OrganizationCaller, id: string): Promise<Member> {
  const member = await MemberModel.query(trx).modify('ofOrganization', caller.organization).findOne('members.id', id)
  const isOwn = caller.kind === 'member' && member?.userId === caller.user
  if (!member || !(isOwn || mayActFor(caller, caller.organization, 'member:read'))) throw createNotFoundProblem()
  return presentMember(member)
}

/** Locks an organization and a member of it, in this order. @throws ORG_CROSS_ACCESS_DENIED; NOT_FOUND */
async function lockMember(trx: Knex, organization: string, id: string): Promise<MemberModel> {
  await lockPresentOrganization(trx, organization)
  const member = await MemberModel.query(trx).modify('ofOrganization', organization).findOne('members.id', id)
  if (!member) throw createNotFoundProblem()
  return member
}

/** @throws MEMBER_LAST_OWNER if the member is the only owner of the organization, which is locked */
async function assertOtherOwner(trx: Knex, { id, organizationId, role }: MemberModel): Promise<void> {
  if (role !== 'owner') return
  const other = await MemberModel.query(trx)
    .where({ organization_id: organizationId, role: 'owner' satisfies Role })
    .whereNot({ id })
    .first()
  if (!other) throw createProblem('MEMBER_LAST_OWNER', 'An organization keeps one owner at least.')
}

const createTarget = ({ id, userEmail }: MemberModel) => ({ kind: 'member', id, label: userEmail })

/**
 * Gives a member another role, which holds from the member's next request.
 * @throws NOT_FOUND, AUTH_INSUFFICIENT_PERMISSIONS, MEMBER_LAST_OWNER
 */
export async function changeRole(
  work: Work,
  caller: OrganizationCaller,
  { id, role }: { id: string; role: Role },
): Promise<Member> {
  const { trx } = work
  const member = await lockMember(trx, caller.organization, id)
  await assertRank(trx, caller, caller.organization, [member.role, role])
  if (role === member.role) return presentMember(member)
  await assertOtherOwner(trx, member)
  await MemberModel.query(trx).findById(member.id).patch({ role })
  await recordAct(work, caller.organization, {
    action: 'member.change-role',
    target: createTarget(member),
    change: `${member.role} > ${role}`,
  })
  return { ...presentMember(member), role }
}

/**
 * Removes a member. Members remove themselves whatever their role; to remove others needs member:delete. What the person
 * made stays with the organization.
 * @returns the member as it was
 * @throws ORG_CROSS_ACCESS_DENIED, NOT_FOUND, AUTH_INSUFFICIENT_PERMISSIONS, MEMBER_LAST_OWNER
 */
export async function removeMember(
  work: Work,
  caller: KeyCaller | MemberCaller,
  { organization, id }: { organization: string; id: string },
): Promise<Member> {
  const { trx } = work
  const isOwn = caller.organization === organization
  const user = caller.kind === 'member' ? caller.user : null
  // A person leaves without choosing the organization before.
  if (!isOwn && (user === null || (await findRole(trx, organization, user)) === null)) throw createCrossAccessProblem()
  const member = await lockMember(trx, organization, id)
  if (member.userId !== user) {
    if (!isOwn) throw createCrossAccessProblem()
    if (!mayActFor(caller, organization, 'member:delete')) throw createPermissionProblem(caller, 'member:delete')
    await assertRank(trx, caller, organization, [member.role])
  }
  await assertOtherOwner(trx, member)
  await MemberModel.query(trx).deleteById(member.id)
  await recordAct(work, organization, {
    action: member.userId === user ? 'member.leave' : 'member.remove',
    target: createTarget(member),
    change: member.role,
  })
  return presentMember(member)
}

/** Checks whether the person with this e-mail address, in small letters, is a member of an organization. */
export async function isMemberAddress(trx: Knex, organization: string, email: string): Promise<boolean> {
  const member = await MemberModel.query(trx).modify('ofOrganization', organization).findOne('users.email', email)
  return member !== undefined
}

/** A membership to be. */
interface NewMembership {
  organization: string
  user: string
  role: Role
}

/** Makes a person a member of an organization, which is locked. Who is one already keeps their role. */
export async function insertMembership(trx: Knex, { organization, user, role }: NewMembership): Promise<Membership> {
  await MemberModel.query(trx)
    .insert({ id: newId(), organizationId: organization, userId: user, role })
    .onConflict(['user_id', 'organization_id'])
    .ignore()
  const membership = (await readMemberships(trx, user)).find(({ id }) => id === organization)
  if (!membership) throw new Error(`The membership in ${organization} was not stored`)
  return membership
}
