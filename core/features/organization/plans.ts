import { readFileSync } from 'node:fs'
import { createJsonValidator } from '../../kernel/json/schema-validators.ts'
import { StartError } from '../../kernel/process/process.ts'
import { createNotFoundProblem, createValidationProblem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { choosePlan, setPlan, type MeterRule, type PlanTable } from '../../meters/index.ts'
import { recordAudit } from '../audit/index.ts'
import { meterTable } from './meters.table.ts'
import { PlanEntries, type Plan, type PlanEntry } from './plans.schema.ts'

const ownFile = new URL('plans.json', import.meta.url)
const validatePlans = createJsonValidator(() => PlanEntries)

/**
 * Reads the plans: those of the project, or of the file that PLANS_FILE names.
 * @throws StartError that says what is wrong with the file
 */
export function readPlans(file?: string): readonly PlanEntry[] {
  const name = file ?? 'plans.json'
  let plans: PlanEntry[]
  try {
    const text = readFileSync(file ?? ownFile, 'utf8')
    plans = JSON.parse(text) as PlanEntry[]
    const issues = validatePlans(plans, '', text.length)
    if (issues.length > 0) throw new Error(issues.map(({ path, message }) => `${path} ${message}`.trim()).join('; '))
  } catch (cause) {
    throw new StartError([`The plans of ${name} cannot be used: ${cause instanceof Error ? cause.message : 'unknown'}`])
  }
  assertOnce(
    name,
    'id',
    plans.map(({ id }) => id),
  )
  for (const { id, meters } of plans)
    assertOnce(
      name,
      `meter of the plan ${id}`,
      meters.map(({ code }) => code),
    )
  if (plans.filter((plan) => plan.default).length > 1)
    throw new StartError([`The plans of ${name} cannot be used: only one plan can be the default`])
  return plans
}

function assertOnce(name: string, what: string, values: readonly string[]): void {
  const twice = values.find((value, index) => values.indexOf(value) !== index)
  if (twice !== undefined)
    throw new StartError([`The plans of ${name} cannot be used: the ${what} ${twice} stands twice`])
}

/** Creates the rules of plans. Without a default, the first plan is the default one. */
export function createPlanTable(plans: readonly PlanEntry[]): PlanTable {
  const getRules = ({ meters }: PlanEntry) =>
    new Map(
      meters.map(({ code, limit, hard }): [typeof code, MeterRule] => [
        code,
        { limit, isHard: hard ?? meterTable[code].isHard },
      ]),
    )
  return {
    defaultPlan: (plans.find((plan) => plan.default) ?? plans[0])?.id ?? '',
    plans: new Map(plans.map((plan) => [plan.id, getRules(plan)])),
    networks: new Map(plans.map(({ id, networks }) => [id, networks])),
    withoutFooter: new Set(plans.filter(({ hideFooter }) => hideFooter).map(({ id }) => id)),
  }
}

/** Returns a plan as the API answers it. */
const presentPlan = ({ id, name, description, currency, monthlyPrice, meters }: PlanEntry): Plan => ({
  id,
  name,
  description,
  currency,
  monthlyPrice,
  meters: meters.map(({ code, limit, overagePrice }) => ({ code, limit, overagePrice })),
})

/** Lists the plans as the API answers them. */
export const listPlans = ({ plans }: Pick<Context, 'plans'>): Plan[] => plans.map(presentPlan)

/** Finds the plan of an organization. @param assigned the one that it was put on; null for the default one */
export function getPlan({ plans, meters: { table } }: Context, assigned: string | null): PlanEntry {
  const chosen = choosePlan(table, assigned)
  const plan = plans.find(({ id }) => id === chosen)
  if (!plan) throw new Error('There is no plan')
  return plan
}

/** @throws VALIDATION_FAILED for a plan that the platform does not have */
export function assertKnownPlan(plans: readonly PlanEntry[], plan: string): void {
  if (plans.some(({ id }) => id === plan)) return
  const message = `must be one of ${plans.map(({ id }) => id).join(', ')}`
  throw createValidationProblem([{ path: 'plan', code: 'enum', message }])
}

/**
 * Puts an organization on a plan from now on, and records who did it.
 * @throws VALIDATION_FAILED for an unknown plan
 * @throws NOT_FOUND for an unknown organization
 */
export async function assignPlan(
  { db, plans }: Context,
  { organization, plan, actor }: { organization: string; plan: string; actor: string },
): Promise<{ organization: string; plan: string }> {
  assertKnownPlan(plans, plan)
  await db.transaction(async (trx) => {
    if (!(await setPlan(trx, organization, plan))) throw createNotFoundProblem()
    await recordAudit(trx, { actor, action: 'plan.set', subject: organization, details: { plan } })
  })
  return { organization, plan }
}
