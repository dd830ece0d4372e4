import { createValidationProblem } from '../../../kernel/problem.ts'

/**
 * Parses points of a request. @param path of the member, for the problem
 * @throws VALIDATION_FAILED for zero
 */
export function parsePoints(amount: number | string, path: string): bigint {
  const points = BigInt(amount)
  if (points < 1n) throw createValidationProblem([{ path, code: 'min_value', message: 'must be >= 1' }])
  return points
}
