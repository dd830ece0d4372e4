type Json = unknown

const isObject = (value: Json): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * JSON Merge Patch: objects merge deeply, arrays are replaced, null removes. Neither argument is changed.
 * Source: RFC 7396, section 2.
 */
export function mergePatch<T>(target: T, patch: Json): T {
  if (!isObject(patch)) return patch as T
  const result = new Map<string, Json>(isObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name)
    else result.set(name, mergePatch(result.get(name), value))
  }
  return Object.fromEntries(result) as T
}
