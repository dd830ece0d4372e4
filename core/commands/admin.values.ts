import { invalid } from '../kernel/problem.ts'

/** A value that a command was given and cannot take. */
export const refusal = (path: string, code: string, message: string) => invalid([{ path, code, message }])

/** @throws VALIDATION_FAILED */
export function id(value: string, path: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) throw refusal(path, 'format', 'must be a UUID')
  return value.toLowerCase()
}

/** @throws VALIDATION_FAILED */
export function email(value: string, path: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(value)) throw refusal(path, 'format', 'must be an e-mail address')
  return value
}

/** @throws VALIDATION_FAILED */
export function oneOf<const V extends readonly string[]>(
  values: V, value: string | undefined, path: string,
): V[number] | undefined {
  if (value === undefined || values.includes(value)) return value
  throw refusal(path, 'enum', `must be one of ${values.join(', ')}`)
}

/** @throws VALIDATION_FAILED */
export function instant(value: string | undefined, path: string): Date | null {
  if (value === undefined) return null
  const at = new Date(/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(value) ? value : NaN)
  if (Number.isNaN(at.getTime())) throw refusal(path, 'format', 'must be as 2030-01-31T00:00:00Z')
  return at
}

/** @throws VALIDATION_FAILED */
export function json(value: string, path: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    throw refusal(path, 'json', 'is not well-formed JSON')
  }
}
