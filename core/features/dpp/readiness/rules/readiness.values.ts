import type { Finding } from '../answers.types.ts'
import { isObject } from '../../fields/index.ts'
import { createFinding } from '../readiness.table.ts'

export type Values = Record<string, unknown>

/** The limits of what rules look at: elements of a list and characters of a text. */
const maxLooked = { elements: 1_000, characters: 500 }

/** Returns the objects of a list; none if the value is no list. */
export const getObjects = (value: unknown): Values[] =>
  Array.isArray(value) ? value.slice(0, maxLooked.elements).filter(isObject) : []

/** Returns the beginning of a text; empty if the value is no text. */
export const getText = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, maxLooked.characters) : ''

const dayPattern = /^\d{4}-\d{2}-\d{2}$/

/** Finds values that are each valid in UNTP but contradict each other. */
export function validateConsistency(product: Values): Finding[] {
  const { productionDate, expiryDate, performanceClaim, materialProvenance, packaging } = product
  const used = isObject(packaging) ? packaging['materialUsed'] : undefined
  return [
    ...validateOrder(productionDate, expiryDate, 'product.expiryDate', 'is before product.productionDate'),
    ...getObjects(performanceClaim).flatMap(({ applicablePeriod }, index) =>
      validatePeriod(applicablePeriod, `product.performanceClaim[${index}].applicablePeriod.endDate`),
    ),
    ...validateFractions(materialProvenance, 'product.materialProvenance'),
    ...validateFractions(used, 'product.packaging.materialUsed'),
  ]
}

const validatePeriod = (period: unknown, at: string): Finding[] =>
  isObject(period) ? validateOrder(period['startDate'], period['endDate'], at, 'is before startDate') : []

function validateOrder(first: unknown, last: unknown, at: string, what: string): Finding[] {
  const [from, until] = [getText(first), getText(last)]
  return dayPattern.test(from) && dayPattern.test(until) && until < from
    ? // The last day of the earlier date's year is never before it.
      [createFinding('dates_out_of_order', at, what, { example: `${from.slice(0, 4)}-12-31` })]
    : []
}

/** The tolerance for rounding errors in sums of decimal fractions. */
const roundingError = 1e-6

function validateFractions(materials: unknown, at: string): Finding[] {
  const sum = getObjects(materials).reduce(
    (total, { massFraction }) => total + (typeof massFraction === 'number' ? massFraction : 0),
    0,
  )
  const what = 'has mass fractions of more than 1 together'
  return sum > 1 + roundingError ? [createFinding('mass_fractions_exceed_one', at, what)] : []
}
