/** A decimal number as a whole number of its last digit. */
interface Decimal {
  units: bigint
  digits: number
}

/** Parses a decimal text that is not negative. @throws RangeError for another text */
function parseDecimal(text: string): Decimal {
  const match = /^(\d{1,20})(?:\.(\d{1,20}))?$/.exec(text)
  if (!match) throw new RangeError(`${text.slice(0, 60)} is no decimal number`)
  const fraction = match[2] ?? ''
  return { units: BigInt(`${match[1]}${fraction}`), digits: fraction.length }
}

/** Returns the difference of two amounts, of which the first is not smaller, as decimal text. */
export function subtractAmounts(from: string, amount: string): string {
  const [all, part] = [parseDecimal(from), parseDecimal(amount)]
  const digits = Math.max(all.digits, part.digits)
  const scale = ({ units, digits: own }: Decimal) => units * 10n ** BigInt(digits - own)
  const text = String(scale(all) - scale(part)).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

/** Returns the points of a net total: total × ratio, of which what is no whole point is dropped. */
export function countPoints(total: string, ratio: string): bigint {
  const [amount, factor] = [parseDecimal(total), parseDecimal(ratio)]
  return (amount.units * factor.units) / 10n ** BigInt(amount.digits + factor.digits)
}

/**
 * Returns how many of the points of an order are taken back once `refunded` of its total was refunded, over all refunds:
 * in proportion, and what is no whole point stays with the buyer. All of them once all was refunded, so the differences
 * between refunds that follow each other sum to what the order gave.
 */
export function countTaken(points: bigint, total: string, refunded: string): bigint {
  const [all, back] = [parseDecimal(total), parseDecimal(refunded)]
  const digits = Math.max(all.digits, back.digits)
  const whole = all.units * 10n ** BigInt(digits - all.digits)
  const part = back.units * 10n ** BigInt(digits - back.digits)
  return part >= whole ? points : (points * part) / whole
}
