import type { OrganizationCaller } from '../../kernel/caller.ts'
import type { Work } from '../../kernel/work.ts'
import { getRule, readUsage } from '../../meters/index.ts'
import { meterCodes, meterTable } from './meters.table.ts'
import { getPlan } from './plans.ts'
import type { QuotaUsage } from './quotas.schema.ts'

/** Reads what an organization has used in the present month, and what its plan allows. */
export async function readQuotaUsage(
  { trx, context }: Work,
  { organization }: Pick<OrganizationCaller, 'organization'>,
): Promise<QuotaUsage> {
  const { plan: assigned, start, end, asOf, meters } = await readUsage(trx, organization)
  const { id, name } = getPlan(context, assigned)
  const resetsAt = end.toISOString()
  return {
    period: { start: start.toISOString(), end: resetsAt },
    plan: { id, name },
    asOf: asOf.toISOString(),
    meters: meterCodes.map((code) => {
      const { limit, isHard } = getRule(context.meters.table, id, code)
      const found = meters.find(({ meter }) => meter === code)
      const used = found?.used ?? 0
      // Without a limit, nothing has to be kept for the processes.
      const reserved = (limit === null ? found?.held : found?.reserved) ?? 0
      return {
        code,
        unit: meterTable[code].unit,
        used,
        reserved,
        limit,
        remaining: limit === null ? null : Math.max(0, limit - used - reserved),
        overage: limit === null ? 0 : Math.max(0, used - limit),
        hard: isHard,
        resetsAt,
      }
    }),
  }
}
