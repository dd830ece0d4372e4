import type { Knex } from 'knex'
import type { KeyCaller, MemberCaller } from '../../../kernel/caller.ts'
import type { Role } from '../../../kernel/permission.ts'
import { createProblem } from '../../../kernel/problem.ts'
import { createCrossAccessProblem } from '../organizations/access.ts'

/**
 * Locks an organization, so that its owners and open invitations are counted and changed by one transaction at a time.
 * Rows of its members are locked after it.
 */
export async function lockOrganization(trx: Knex, organization: string): Promise<void> {
  await trx.raw('select from organizations where id = ? for no key update', [organization])
}

/** Locks an organization that nobody has deleted. @throws ORG_CROSS_ACCESS_DENIED if somebody has, at this moment too */
export async function lockPresentOrganization(trx: Knex, organization: string): Promise<void> {
  await lockOrganization(trx, organization)
  const found = await trx('organizations').where({ id: organization }).whereNull('deleted_at').first('id')
  if (found === undefined) throw createCrossAccessProblem()
}

/** Finds the role that a person has in an organization now. */
export async function findRole(trx: Knex, organization: string, user: string): Promise<Role | null> {
  const row = await trx('members')
    .where({ organization_id: organization, user_id: user })
    .first<{ role: Role } | undefined>('role')
  return row?.role ?? null
}

/**
 * Checks that a caller may act on the role of an owner, or make one: only owners do. A key has no role and is never an
 * owner, so that who may make keys cannot become one. The role is read again, because it may have changed since the
 * request began.
 * @param concerned the roles that the act is about
 * @throws AUTH_INSUFFICIENT_PERMISSIONS
 */
export async function assertRank(
  trx: Knex,
  caller: KeyCaller | MemberCaller,
  organization: string,
  concerned: readonly Role[],
): Promise<void> {
  if (!concerned.includes('owner')) return
  const role = caller.kind === 'key' ? null : await findRole(trx, organization, caller.user)
  if (role === 'owner') return
  throw createProblem('AUTH_INSUFFICIENT_PERMISSIONS', 'Only an owner can make, change or remove an owner.')
}
