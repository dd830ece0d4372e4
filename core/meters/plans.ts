import type { Knex } from 'knex'
import { endOrganizationLeases } from './blocks.ts'

/** Finds the plan that an operator has put an organization on; null for the default one. */
export async function findPlan(db: Knex, organization: string): Promise<string | null> {
  const row = await db('organization_plans').where({ organization }).first<{ plan: string } | undefined>('plan')
  return row?.plan ?? null
}

/** Reads the plans that organizations were put on. Those that were put on none are left out. */
export async function listPlans(db: Knex, organizations: readonly string[]): Promise<Map<string, string>> {
  const rows = await db('organization_plans')
    .whereIn('organization', organizations)
    .select<{ organization: string; plan: string }[]>('organization', 'plan')
  return new Map(rows.map(({ organization, plan }) => [organization, plan]))
}

/**
 * Puts an organization on a plan. Blocks that processes hold end, so that the new limits count at once.
 * @returns false if there is no such organization
 */
export async function setPlan(trx: Knex, organization: string, plan: string): Promise<boolean> {
  const setting = trx.raw(
    `insert into organization_plans (organization, plan) values (?, ?)
     on conflict (organization) do update set plan = excluded.plan, since = now()`,
    [organization, plan],
  )
  const isKnown = await setting.then(
    () => true,
    (cause: unknown) => {
      // Source: PostgreSQL, appendix A, foreign_key_violation.
      if ((cause as { code?: unknown }).code !== '23503') throw cause
      return false
    },
  )
  if (isKnown) await endOrganizationLeases(trx, organization)
  return isKnown
}
