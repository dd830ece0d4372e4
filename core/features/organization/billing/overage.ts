import type { Knex } from 'knex'
import type { MeterCode } from '../../../kernel/words.ts'
import type { Context } from '../../../kernel/work.ts'
import { getRule, listPlans, listUsed, type MeterTotal } from '../../../meters/index.ts'
import { meterCodes } from '../meters.table.ts'
import {
  giveUpReports,
  insertOverage,
  keepRefused,
  keepSent,
  listBilledCustomers,
  listReportedUnits,
  lockReports,
  readMonths,
  takeReports,
  type BilledMonth,
  type DueReport,
  type NewOverage,
} from './overage.store.ts'
import { reportUnits, type ReportOutcome } from './stripe/client.ts'

/** How many reports are sent at a time. */
const batchSize = 8

/**
 * Tells the provider once a day what organizations have used past the limits of meters that are not hard. What is to be
 * told is written first, each report with an identifier that the provider takes once; then it is sent.
 */
export async function tellOverage(context: Context): Promise<void> {
  if (context.settings.stripeSecretKey === undefined) return
  await writeOverage(context)
  await sendOverage(context)
}

/**
 * Writes the units past limits that were not written yet, of this month and of the last one, whose last units come late.
 * @returns the number of new reports
 */
async function writeOverage(context: Context): Promise<number> {
  return context.db.transaction(async (trx) => {
    await lockReports(trx)
    const customers = await listBilledCustomers(trx)
    if (customers.length === 0) return 0
    const { present, last } = await readMonths(trx)
    const assigned = await listPlans(
      trx,
      customers.map(({ organization }) => organization),
    )
    // Where an operator has decided otherwise, nothing is charged.
    const bySubscription = customers.filter(({ organization, plan }) => assigned.get(organization) === plan)
    const reports = [
      ...(await listNewOverage(
        trx,
        context,
        last,
        customers.map(({ organization, monthPlan }) => ({ organization, plan: monthPlan })),
      )),
      ...(await listNewOverage(trx, context, present, bySubscription)),
    ]
    let written = 0
    for (const report of reports) if (await insertOverage(trx, report)) written++
    return written
  })
}

/** Lists the units of a month past the limits of plans, without those that were written before. */
async function listNewOverage(
  trx: Knex,
  context: Context,
  { period, at }: BilledMonth,
  customers: readonly { organization: string; plan: string }[],
): Promise<NewOverage[]> {
  const [used, reported] = [indexUnits(await listUsed(trx, period)), indexUnits(await listReportedUnits(trx, period))]
  return customers.flatMap(({ organization, plan }) =>
    meterCodes.flatMap((meter) => {
      const limit = findChargedLimit(context, plan, meter)
      if (limit === null) return []
      const key = createKey(organization, meter)
      const units = (used.get(key) ?? 0) - limit - (reported.get(key) ?? 0)
      return units > 0 ? [{ organization, meter, period, units, at }] : []
    }),
  )
}

const createKey = (organization: string, meter: MeterCode) => `${organization} ${meter}`

/** Units by organization and meter. */
const indexUnits = (totals: readonly MeterTotal[]): ReadonlyMap<string, number> =>
  new Map(totals.map(({ organization, meter, units }) => [createKey(organization, meter), units]))

/** Returns the limit past which units of a meter are charged; null if none are. */
function findChargedLimit({ plans, meters }: Context, plan: string, meter: MeterCode): number | null {
  const { limit, isHard } = getRule(meters.table, plan, meter)
  const price = plans.find(({ id }) => id === plan)?.meters.find(({ code }) => code === meter)?.overagePrice
  return isHard || price === undefined || price === null ? null : limit
}

/** Sends the reports that are due. @returns how many the provider has taken */
async function sendOverage(context: Context): Promise<number> {
  const { db, log } = context
  for (const { id, status } of await giveUpReports(db))
    log.error({ part: 'billing', report: id, status }, 'a report of units was given up: look at the provider')
  let sent = 0
  for (;;) {
    const reports = await takeReports(db, batchSize)
    const outcomes = await Promise.all(reports.map((report) => sendReport(context, report)))
    sent += outcomes.filter((outcome) => outcome === 'taken').length
    // A provider that does not answer is asked again in an hour.
    if (reports.length < batchSize || outcomes.includes('unclear')) return sent
  }
}

async function sendReport({ db, settings, log }: Context, report: DueReport): Promise<ReportOutcome> {
  const { outcome, cause } = await reportUnits(settings, report)
  if (outcome === 'taken') await keepSent(db, report)
  else log.warn({ part: 'billing', report: report.id, outcome, err: cause }, 'units past a limit were not reported')
  if (outcome === 'refused') await keepRefused(db, report)
  return outcome
}
