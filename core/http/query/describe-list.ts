import type { ListDeclaration } from '../../kernel/page.ts'

/**
 * Describes in one line what a list can be filtered and sorted by: `Filters: id eq; status eq ne (draft, published).
 * Sorters: id, createdAt.` Fields with the same operators and values stand together.
 */
export const describeList = (list: ListDeclaration): string => `${describeFilters(list)} ${describeSorters(list)}`

export function describeFilters({ filters }: ListDeclaration): string {
  const fieldsByOperators = new Map<string, string[]>()
  for (const [field, { operators, values }] of Object.entries(filters)) {
    const operatorText = `${operators.join(' ')}${values ? ` (${values.join(', ')})` : ''}`
    fieldsByOperators.set(operatorText, [...(fieldsByOperators.get(operatorText) ?? []), field])
  }
  const groups = [...fieldsByOperators].map(([operatorText, fields]) => `${fields.join(', ')} ${operatorText}`)
  return `Filters: ${groups.join('; ')}.`
}

export const describeSorters = ({ sorters }: ListDeclaration): string => `Sorters: ${sorters.join(', ')}.`
