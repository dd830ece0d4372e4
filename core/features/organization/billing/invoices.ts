import type { MeterCode } from '../../../kernel/words.ts'
import type { PlanEntry } from '../plans.schema.ts'
import type { QuotaUsage } from '../quotas.schema.ts'
import { addAmounts, multiplyPrice } from './amounts.ts'

/** A line of an invoice: the price of the plan, or units of a meter past its limit. */
export interface InvoiceLine {
  /** The meter; null for the plan itself. */
  meter: MeterCode | null
  units: number
  /** Price of a unit and of all of them, as decimals. */
  unitPrice: string
  amount: string
}

/** An invoice as it would be if nothing more was used. */
export interface UpcomingInvoice {
  /** When it is due to be written, RFC 3339. */
  issuedAt: string
  currency: PlanEntry['currency']
  lines: readonly InvoiceLine[]
  /** As a decimal. */
  total: string
}

/** Computes the invoice of the present month: the price of the plan, and what was used past its limits until now. */
export function computeUpcomingInvoice(plan: PlanEntry, { period, meters }: QuotaUsage): UpcomingInvoice {
  const createLine = (meter: MeterCode | null, units: number, unitPrice: string): InvoiceLine => ({
    meter,
    units,
    unitPrice,
    amount: multiplyPrice(unitPrice, units),
  })
  const overage = meters.flatMap(({ code, hard, overage: units }) => {
    const price = plan.meters.find((one) => one.code === code)?.overagePrice
    return hard || units === 0 || price === undefined || price === null ? [] : [createLine(code, units, price)]
  })
  const lines = [createLine(null, 1, plan.monthlyPrice), ...overage]
  const total = addAmounts(lines.map(({ amount }) => amount))
  return { issuedAt: period.end, currency: plan.currency, lines, total }
}
