import type { Knex } from 'knex'
import { createValidationProblem } from '../../../kernel/problem.ts'
import { choosePlan, findPlan, type PlanTable } from '../../../meters/index.ts'
import type { ApplicationPatch } from '../applications.schema.ts'

/** Returns whether the plan of an organization lets its pages leave out our name. It counts now, whatever was stored. */
export const mayHideFooter = async (db: Knex, table: PlanTable, organization: string): Promise<boolean> =>
  table.withoutFooter.has(choosePlan(table, await findPlan(db, organization)))

/**
 * Refuses a theme that leaves out our name where the plan does not have that.
 * @throws VALIDATION_FAILED with the path
 */
export async function assertPlanFooter(
  db: Knex,
  table: PlanTable,
  { organization, theme }: { organization: string; theme: ApplicationPatch['theme'] },
): Promise<void> {
  if (theme?.hideFooter !== true || (await mayHideFooter(db, table, organization))) return
  const message = 'is true, which the plan of the organization does not have'
  throw createValidationProblem([{ path: 'theme.hideFooter', code: 'not_in_plan', message }])
}
