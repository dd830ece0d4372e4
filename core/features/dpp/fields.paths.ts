import type { FieldDefinition } from './fields.schema.ts'

/**
 * Whether a path names a field of the definitions: names joined by dots, elements of arrays as `parts[].weight`,
 * `parts.[].weight` or, for a single one, `parts[2].weight`. Names may hold dots themselves. What is inside a field of
 * type `json` has no path.
 */
export function pathExists(definitions: readonly FieldDefinition[], path: string): boolean {
  return definitions.some((definition) =>
    path.startsWith(definition.name) && leadsOn(definition, path.slice(definition.name.length)))
}

function leadsOn(definition: FieldDefinition, rest: string): boolean {
  if (rest === '') return true
  if (definition.type === 'object' && rest.startsWith('.')) return pathExists(definition.fields ?? [], rest.slice(1))
  const element = definition.type === 'array' ? /^\.?\[\]|^\[(?:0|[1-9]\d{0,8})\]/.exec(rest) : null
  if (!element || !definition.itemsType) return false
  return leadsOn(definition.itemsType, rest.slice(element[0].length))
}
