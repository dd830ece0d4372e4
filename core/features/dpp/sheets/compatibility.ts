import { type FieldDefinition, isValueRequired } from '../fields/index.ts'

/**
 * Checks whether the definitions alone guarantee that everything that fits `before` also fits `after`. False means that
 * the values have to be checked.
 */
export function widensFields(before: readonly FieldDefinition[], after: readonly FieldDefinition[]): boolean {
  const known = new Map(before.map((definition) => [definition.name, definition]))
  const kept = after.filter(({ name }) => known.has(name))
  return (
    kept.length === before.length
    && after.every((definition) => {
      const old = known.get(definition.name)
      return old === undefined ? !isValueRequired(definition) : widensField(old, definition)
    })
  )
}

/** Checks whether one definition alone guarantees that everything that fits `before` also fits `after`. */
function widensField(before: FieldDefinition, after: FieldDefinition): boolean {
  if (before.type !== after.type || (isValueRequired(after) && !isValueRequired(before))) return false
  switch (after.type) {
    case 'string':
      return widensLength(before, after)
    case 'number':
    case 'date':
      return isFreer(before.min, after.min) && isFreer(before.max, after.max)
    case 'enum':
      return (before.variants ?? []).every((variant) => after.variants?.includes(variant))
    case 'object':
      return widensFields(before.fields ?? [], after.fields ?? [])
    case 'array':
      return (
        widensLength(before, after)
        && before.itemsType !== undefined
        && after.itemsType !== undefined
        && widensField(before.itemsType, after.itemsType)
      )
    default:
      return true
  }
}

const widensLength = (before: FieldDefinition, after: FieldDefinition): boolean =>
  (after.minLength ?? 0) <= (before.minLength ?? 0) && (after.maxLength ?? Infinity) >= (before.maxLength ?? Infinity)

/**
 * Checks whether a bound was removed or stayed the same. Which of two different bounds is wider depends on the type, so
 * a changed bound counts as narrower.
 */
const isFreer = (before: unknown, after: unknown): boolean => after === undefined || after === before
