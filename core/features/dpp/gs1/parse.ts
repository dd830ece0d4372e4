import { createValidationProblem } from '../../../kernel/problem.ts'
import { isGtin } from '../content/index.ts'

/**
 * Parses a GTIN of 8, 12, 13 or 14 digits.
 * @returns the GTIN with 14 digits
 * @throws VALIDATION_FAILED
 */
export function parseGtin(digits: string): string {
  if (!isGtin(digits)) {
    const message = 'must be a GTIN of 8, 12, 13 or 14 digits whose last one follows from the others'
    throw createValidationProblem([{ path: 'gtin', code: 'gtin', message }])
  }
  return digits.padStart(14, '0')
}
