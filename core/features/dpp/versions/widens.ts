import { isDemanded } from '../fields.judges.ts'
import type { FieldDefinition } from '../fields.schema.ts'

/**
 * Whether everything that fits the definitions before fits those after, as far as the definitions tell by themselves: a
 * false says that values have to be looked at.
 */
export function widensFields(before: readonly FieldDefinition[], after: readonly FieldDefinition[]): boolean {
  const known = new Map(before.map((definition) => [definition.name, definition]))
  const kept = after.filter(({ name }) => known.has(name))
  return kept.length === before.length && after.every((definition) => {
    const old = known.get(definition.name)
    return old === undefined ? !isDemanded(definition) : widens(old, definition)
  })
}

/** The same of one definition. */
function widens(before: FieldDefinition, after: FieldDefinition): boolean {
  if (before.type !== after.type || (isDemanded(after) && !isDemanded(before))) return false
  switch (after.type) {
    case 'string': return widensLength(before, after)
    case 'number': case 'date': return isFreer(before.min, after.min) && isFreer(before.max, after.max)
    case 'enum': return (before.variants ?? []).every((variant) => after.variants?.includes(variant))
    case 'object': return widensFields(before.fields ?? [], after.fields ?? [])
    case 'array':
      return widensLength(before, after) && before.itemsType !== undefined && after.itemsType !== undefined
        && widens(before.itemsType, after.itemsType)
    default: return true
  }
}

const widensLength = (before: FieldDefinition, after: FieldDefinition): boolean =>
  (after.minLength ?? 0) <= (before.minLength ?? 0) && (after.maxLength ?? Infinity) >= (before.maxLength ?? Infinity)

/** A bound that is gone, or the same: which of two others is freer depends on its type. */
const isFreer = (before: unknown, after: unknown): boolean => after === undefined || after === before
