import type { Knex } from 'knex'
import { createPermissionProblem, mayActFor, type MemberCaller, type OrganizationCaller } from '../../kernel/caller.ts'
import { findJobDeclaration } from '../../kernel/ports/job-declarations.ts'
import { createNotFoundProblem, createValidationProblem } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import {
  countFailedJobs as countFailed,
  listFailedJobs as listFailed,
  retryFailedJob,
  type FailedJob,
} from '../../queue/retry.ts'
import { findJob } from './jobs.ts'

/** A failed job, and whether the member who looks at it can have it run again. */
export type ListedFailedJob = FailedJob & { mayRetry: boolean }

/** The number of failed jobs that are listed. */
const maxListed = 50

/** The number of failed jobs of an organization that the list of them shows. */
export const countFailedJobs = (trx: Knex, organization: string): Promise<number> =>
  countFailed(trx, organization, maxListed)

/** Lists the last failed jobs of the member's organization, with what the member may do about them. */
export async function listFailedJobs(
  { trx }: Pick<Work, 'trx'>,
  member: OrganizationCaller & MemberCaller,
): Promise<ListedFailedJob[]> {
  const jobs = await listFailed(trx, member.organization, maxListed)
  return jobs.map((job) => {
    const permission = findJobDeclaration(job.type)?.retryPermission
    const mayRetry = permission !== undefined && mayActFor(member, member.organization, permission)
    return { ...job, mayRetry: job.hasWorkLeft && mayRetry }
  })
}

/**
 * Has a failed job run again. A job that has not failed, or has been put back to work before, stays as it is.
 * @throws NOT_FOUND, also for a job of another organization
 * @throws VALIDATION_FAILED for a type of jobs that give up their work when they fail
 * @throws AUTH_INSUFFICIENT_PERMISSIONS
 */
export async function retryJob(
  { trx, context }: Work,
  member: OrganizationCaller & MemberCaller,
  id: string,
): Promise<void> {
  const { organization } = member
  const job = await findJob(trx, id)
  if (job?.organization !== organization) throw createNotFoundProblem()
  const permission = findJobDeclaration(job.type)?.retryPermission
  if (permission === undefined) {
    const message = 'is of a type that is started anew instead'
    throw createValidationProblem([{ path: 'job', code: 'final', message }])
  }
  if (!mayActFor(member, organization, permission)) throw createPermissionProblem(member, permission)
  await retryFailedJob(trx, context.queue, id, organization)
}
