import { isObject } from './values.ts'

type JsonValue = unknown

/**
 * Applies a JSON Merge Patch: merges objects deeply, replaces arrays, removes members that are null. Neither argument
 * is changed. Source: RFC 7396, section 2.
 */
export function mergePatch<T>(target: T, patch: JsonValue): T {
  if (!isObject(patch)) return patch as T
  const result = new Map<string, JsonValue>(isObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name)
    else result.set(name, mergePatch(result.get(name), value))
  }
  return Object.fromEntries(result) as T
}
