import { isObject } from './fields.judges.ts'

/**
 * Where a path leads in the data of a passport: names joined by dots, from object to object. What is inside an array has
 * no path, nor has a name that holds a dot itself. @returns undefined where it leads nowhere
 */
export function valueAt(data: Record<string, unknown>, path: string): unknown {
  let value: unknown = data
  for (const name of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

export const dataPathExists = (data: Record<string, unknown>, path: string): boolean =>
  valueAt(data, path) !== undefined
