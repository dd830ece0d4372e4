import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { createProblem, type ProblemError } from '../../../kernel/problem.ts'

/** Creates the problem for an organization that is not the caller's, whether it exists or not. */
export const createCrossAccessProblem = (): ProblemError =>
  createProblem('ORG_CROSS_ACCESS_DENIED', 'You do not belong to this organization, or there is none with this id.')

/** Checks that a path names the organization that the caller acts for. @throws ORG_CROSS_ACCESS_DENIED */
export function assertActive({ organization }: Pick<OrganizationCaller, 'organization'>, id: string): void {
  if (id.toLowerCase() !== organization) throw createCrossAccessProblem()
}
