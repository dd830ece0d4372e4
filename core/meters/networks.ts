import type { Knex } from 'knex'
import { createValidationProblem, type Issue } from '../kernel/problem.ts'
import { findPlan } from './plans.ts'
import { choosePlan, type PlanTable } from './types.ts'

/** Says what is wrong with a network that is chosen, if anything is. */
export type NetworkCheck = (network: string) => Issue | undefined

/** Reads which networks the plan of an organization has, once for any number of looks. */
export async function createPlanNetworkCheck(db: Knex, table: PlanTable, organization: string): Promise<NetworkCheck> {
  const allowed = table.networks.get(choosePlan(table, await findPlan(db, organization))) ?? null
  return (network) =>
    allowed === null || allowed.includes(network)
      ? undefined
      : {
          path: 'network',
          code: 'network_not_in_plan',
          message: `is ${network}, which the plan of the organization does not have: it has ${allowed.join(', ')}`,
        }
}

/**
 * Refuses a network that a request names and that the plan of the organization does not have.
 * @param network undefined if the request names none
 * @throws VALIDATION_FAILED with `path`
 */
export async function assertPlanNetwork(
  db: Knex,
  table: PlanTable,
  { organization, network, path = 'network' }: { organization: string; network: string | undefined; path?: string },
): Promise<void> {
  if (network === undefined) return
  const issue = (await createPlanNetworkCheck(db, table, organization))(network)
  if (issue) throw createValidationProblem([{ ...issue, path }])
}
