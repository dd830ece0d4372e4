import { createValidationProblem } from '../../../kernel/problem.ts'

/** Decimals that a ratio of a tier may have: a number of JSON holds all ratios up to 10^9 exactly then. */
const maxRatioDecimals = 6

/**
 * Formats a ratio as a plain decimal without zeros at its end: `0.0000001`, not `1e-7`.
 * @param ratio a number, or a decimal as the database has it
 */
export function formatRatio(ratio: number | string): string {
  const [, digits = '', decimals = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(ratio)) ?? []
  if (digits === '') throw new RangeError(`${ratio} is no ratio`)
  const shift = Number(exponent)
  const all = `${'0'.repeat(Math.max(0, -shift))}${digits}${decimals}${'0'.repeat(Math.max(0, shift))}`
  const point = digits.length + Math.max(0, -shift) + shift
  const whole = all.slice(0, point).replace(/^0+(?=\d)/, '') || '0'
  const rest = all.slice(point).replace(/0+$/, '')
  return rest === '' ? whole : `${whole}.${rest}`
}

/**
 * Parses the ratio of a request into a decimal text. @throws VALIDATION_FAILED for more decimals than a ratio may have, or
 * above 10^9
 */
export function parseRatio(ratio: number | string): string {
  const text = formatRatio(ratio)
  const [whole = '', decimals = ''] = text.split('.')
  if (decimals.length > maxRatioDecimals) throw createRatioProblem(`must have at most ${maxRatioDecimals} decimals`)
  if (BigInt(whole) * 10n + BigInt(decimals !== '') > 10_000_000_000n) throw createRatioProblem('must be <= 1000000000')
  return text
}

const createRatioProblem = (message: string) =>
  createValidationProblem([{ path: 'currencyToPointRatio', code: 'format', message }])
