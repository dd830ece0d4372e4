import { assertPlanNetwork } from '../../../meters/index.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { createNotFoundProblem, createValidationProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { readApplication } from '../../applications/index.ts'
import type { AssignmentModel } from './assignments.model.ts'
import { presentAssignment } from './assignments.present.ts'
import type { Assignment, AssignmentPatch, NewAssignment } from './assignments.schema.ts'
import { deleteAssignment, lockAssignment, readAssignment, updateAssignments } from './assignments.store.ts'
import { assertTier } from './consume.ts'
import { lockContacts } from './contacts.ts'
import { parseGift, validateGift } from './gifts.ts'
import { giveAll } from './giving.ts'

/** An assignment as it is answered, and whether it is a new one. */
export interface StoredAssignment {
  assignment: Assignment
  isNew: boolean
}

/**
 * Assigns points and a tier to a person. Somebody who has an account there already gets them at once.
 * @throws NOT_FOUND if the organization has no such application; VALIDATION_FAILED; ACCOUNT_REWARD_TIER_NOT_FOUND
 * @throws LOYALTY_FIRST_ASSIGNMENT_EXISTING if the person has a pending one and `upsert` is not true, or if the contacts
 * are those of two pending ones
 * @throws QUOTA_EXCEEDED if the person has an account, which would be one past a hard limit
 */
export async function createAssignment(
  work: Work,
  { organization }: OrganizationCaller,
  body: NewAssignment,
): Promise<StoredAssignment> {
  const { trx } = work
  const application = await readApplication(work, body.application, { lock: 'forKeyShare' })
  const place = { application: application.id, network: body.network ?? application.defaultNetwork }
  const { content, issues } = await parseGift(work.context, place.network, body)
  if (issues.length > 0) throw createValidationProblem(issues)
  await assertPlanNetwork(trx, work.context.meters.table, { organization, network: body.network })
  if (content.rewardTier !== null) await assertTier(trx, application.id, content.rewardTier)
  await lockContacts(trx, place, content)
  const rule = body.upsert === true ? 'add' : 'refuse'
  const [outcome] = await giveAll(trx, work.context, { ...place, organization, rule }, [content])
  if (outcome?.status === 'refused') throw outcome.problem
  if (!outcome || outcome.status === 'skipped') throw new Error('An assignment was left out')
  const { id, status } = outcome
  return { assignment: presentAssignment(await readAssignment(trx, id)), isNew: status === 'created' }
}

type Precondition = (representation: unknown) => void

/** Locks an assignment of the caller's organization. @throws NOT_FOUND; PRECONDITION_FAILED */
async function lockOwn(
  { trx }: Work,
  { organization }: OrganizationCaller,
  id: string,
  precondition: Precondition,
): Promise<AssignmentModel> {
  const assignment = await lockAssignment(trx, organization, id)
  if (!assignment) throw createNotFoundProblem()
  precondition(presentAssignment(assignment))
  return assignment
}

/**
 * Changes the points or the tier of a pending assignment.
 * @throws NOT_FOUND; PRECONDITION_FAILED; VALIDATION_FAILED, also for one that an account got already; and
 * ACCOUNT_REWARD_TIER_NOT_FOUND
 */
export async function changeAssignment(
  work: Work,
  caller: OrganizationCaller,
  { id, patch, precondition }: { id: string; patch: AssignmentPatch; precondition: Precondition },
): Promise<Assignment> {
  const assignment = await lockOwn(work, caller, id, precondition)
  if (assignment.status !== 'pending')
    throw createValidationProblem([
      { path: 'status', code: 'consumed', message: 'is consumed: change the points of the account instead' },
    ])
  const points = patch.optimisticBalance === undefined ? assignment.points : String(patch.optimisticBalance)
  const rewardTier = patch.rewardTier === undefined ? assignment.rewardTier : patch.rewardTier
  const issues = validateGift({ points, rewardTier })
  if (issues.length > 0) throw createValidationProblem(issues)
  if (patch.rewardTier) await assertTier(work.trx, assignment.application, patch.rewardTier)
  // What is the same already keeps its version, so that a repeated call changes nothing.
  if (points === assignment.points && rewardTier === assignment.rewardTier) return presentAssignment(assignment)
  await updateAssignments(work.trx, [{ ...assignment, points, rewardTier }])
  return presentAssignment(await readAssignment(work.trx, id))
}

/** Deletes an assignment. What an account got of it stays. @throws NOT_FOUND; PRECONDITION_FAILED */
export async function removeAssignment(
  work: Work,
  caller: OrganizationCaller,
  { id, precondition }: { id: string; precondition: Precondition },
): Promise<Assignment> {
  const assignment = await lockOwn(work, caller, id, precondition)
  await deleteAssignment(work.trx, id)
  return presentAssignment(assignment)
}
