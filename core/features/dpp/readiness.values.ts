import type { Finding } from './open.types.ts'
import { isObject } from './fields.judges.ts'
import { finding } from './readiness.table.ts'

export type Values = Record<string, unknown>

/** Elements of a list, and characters of a text, that rules look at. */
const most = { elements: 1_000, characters: 500 }

/** The objects of a list; none where it is no list. */
export const objectsOf = (value: unknown): Values[] =>
  Array.isArray(value) ? value.slice(0, most.elements).filter(isObject) : []

/** The beginning of a text; empty where it is none. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, most.characters) : '')

const day = /^\d{4}-\d{2}-\d{2}$/

/** Values that are each as UNTP has them and contradict each other. */
export function judgeSense(product: Values): Finding[] {
  const { productionDate, expiryDate, performanceClaim, materialProvenance, packaging } = product
  const used = isObject(packaging) ? packaging['materialUsed'] : undefined
  return [
    ...inTime(productionDate, expiryDate, 'product.expiryDate', 'is before product.productionDate'),
    ...objectsOf(performanceClaim).flatMap(({ applicablePeriod }, index) =>
      judgePeriod(applicablePeriod, `product.performanceClaim[${index}].applicablePeriod.endDate`)),
    ...wholeOf(materialProvenance, 'product.materialProvenance'), ...wholeOf(used, 'product.packaging.materialUsed'),
  ]
}

const judgePeriod = (period: unknown, at: string): Finding[] =>
  isObject(period) ? inTime(period['startDate'], period['endDate'], at, 'is before startDate') : []

function inTime(first: unknown, last: unknown, at: string, what: string): Finding[] {
  const [from, until] = [textOf(first), textOf(last)]
  return day.test(from) && day.test(until) && until < from ? [finding('dates_out_of_order', at, what)] : []
}

/** Sums of decimal fractions are off by as much as this. */
const rounding = 1e-6

function wholeOf(materials: unknown, at: string): Finding[] {
  const sum = objectsOf(materials).reduce((total, { massFraction }) =>
    total + (typeof massFraction === 'number' ? massFraction : 0), 0)
  const what = 'has mass fractions of more than 1 together'
  return sum > 1 + rounding ? [finding('mass_fractions_exceed_one', at, what)] : []
}
