import { createValidationProblem } from '../../kernel/problem.ts'
import { uuidPattern } from '../../kernel/text/uuid.ts'

/** Creates the problem for a value that a command does not accept. */
export const createRefusal = (path: string, code: string, message: string) =>
  createValidationProblem([{ path, code, message }])

/** @throws VALIDATION_FAILED */
export function parseId(value: string, path: string): string {
  if (!uuidPattern.test(value)) throw createRefusal(path, 'format', 'must be a UUID')
  return value.toLowerCase()
}

/** @throws VALIDATION_FAILED */
export function parseEmail(value: string, path: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(value)) throw createRefusal(path, 'format', 'must be an e-mail address')
  return value
}

/** @throws VALIDATION_FAILED */
export function parseOneOf<const V extends readonly string[]>(
  values: V,
  value: string | undefined,
  path: string,
): V[number] | undefined {
  if (value === undefined || values.includes(value)) return value
  throw createRefusal(path, 'enum', `must be one of ${values.join(', ')}`)
}

/** @throws VALIDATION_FAILED */
export function parseInstant(value: string | undefined, path: string): Date | null {
  if (value === undefined) return null
  const at = new Date(/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(value) ? value : NaN)
  if (Number.isNaN(at.getTime())) throw createRefusal(path, 'format', 'must be as 2030-01-31T00:00:00Z')
  return at
}

/** @throws VALIDATION_FAILED */
export function parseJson(value: string, path: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    throw createRefusal(path, 'json', 'is not well-formed JSON')
  }
}
