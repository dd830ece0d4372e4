import type { Knex } from 'knex'
import type { MeterCode } from '../../kernel/words.ts'
import { listRemovedUnits, listUsed, listWrongLeases, type MeterTotal } from '../../meters/index.ts'
import type { UnitsReader } from '../area.ts'

/** A number of a meter that is not what the rows say. */
export interface QuotaDifference {
  organization: string
  meter: MeterCode
  /** The first day of the month. */
  period: string
  /** `used`: units used, by the rows. `leased`: units that processes and jobs hold, by their blocks. */
  kind: 'used' | 'leased'
  metered: number
  derived: number
}

/** What a check came to: how many meters of organizations were checked, and which numbers differ. */
export interface QuotaVerification {
  checked: number
  differences: QuotaDifference[]
}

/**
 * Derives from the rows of all areas what organizations have used in the present month, and compares it with what the
 * meters say. One snapshot of the database is read, while everything runs.
 * @param only an organization, or null for all of them
 */
export function verifyQuotas(
  db: Knex,
  readers: readonly UnitsReader[],
  only: string | null = null,
): Promise<QuotaVerification> {
  return db.transaction((trx) => compareUnits(trx, readers, only), {
    isolationLevel: 'repeatable read',
    readOnly: true,
  })
}

async function compareUnits(
  trx: Knex,
  readers: readonly UnitsReader[],
  only: string | null,
): Promise<QuotaVerification> {
  const {
    rows: [month],
  } = await trx.raw<{ rows: { period: string; from: Date; to: Date }[] }>(
    `select first::date::text as period, first at time zone 'utc' as from, (first + interval '1 month') at time zone 'utc' as to
     from (select date_trunc('month', now() at time zone 'utc') as first) as month`,
  )
  if (!month) throw new Error('a query without a table had no row')
  const { period, from, to } = month
  const derived = sumUnits(await listRemovedUnits(trx, period))
  for (const readUnits of readers) sumUnits(await readUnits(trx, from, to), derived)
  const metered = sumUnits(await listUsed(trx, period))
  const differences: QuotaDifference[] = []
  const isWanted = (organization: string) => only === null || organization === only
  const keys = new Set([...metered.keys(), ...derived.keys()].filter((key) => isWanted(key.split(' ')[0] ?? '')))
  for (const key of keys) {
    const [organization = '', meter] = key.split(' ') as [string, MeterCode]
    const numbers = { metered: metered.get(key) ?? 0, derived: derived.get(key) ?? 0 }
    if (numbers.metered !== numbers.derived) differences.push({ organization, meter, period, kind: 'used', ...numbers })
  }
  for (const { organization, meter, leased, units } of await listWrongLeases(trx, period))
    if (isWanted(organization))
      differences.push({ organization, meter, period, kind: 'leased', metered: leased, derived: units })
  return { checked: keys.size, differences }
}

/** Adds units to the sums by organization and meter. */
function sumUnits(totals: readonly MeterTotal[], sums = new Map<string, number>()): Map<string, number> {
  for (const { organization, meter, units } of totals) {
    const key = `${organization} ${meter}`
    sums.set(key, (sums.get(key) ?? 0) + units)
  }
  return sums
}
