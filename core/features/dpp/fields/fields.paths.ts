import type { FieldDefinition } from './fields.schema.ts'

/**
 * Checks whether a path names a field of the definitions. A path is names joined by dots; the elements of an array are
 * `parts[].weight` or `parts.[].weight`, and a single element is `parts[2].weight`. Names may contain dots themselves.
 * Values inside a field of type `json` have no path.
 */
export function pathExists(definitions: readonly FieldDefinition[], path: string): boolean {
  return definitions.some(
    (definition) => path.startsWith(definition.name) && fieldHasPath(definition, path.slice(definition.name.length)),
  )
}

function fieldHasPath(definition: FieldDefinition, rest: string): boolean {
  if (rest === '') return true
  if (definition.type === 'object' && rest.startsWith('.')) return pathExists(definition.fields ?? [], rest.slice(1))
  const element = definition.type === 'array' ? /^\.?\[\]|^\[(?:0|[1-9]\d{0,8})\]/.exec(rest) : null
  if (!element || !definition.itemsType) return false
  return fieldHasPath(definition.itemsType, rest.slice(element[0].length))
}
