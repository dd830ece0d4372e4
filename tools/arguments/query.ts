import { parseExactJson } from '../json.ts'
import { isRecord } from '../openapi.ts'
import type { Parameter } from './parameters.ts'

const encodeText = (value: string) => encodeURIComponent(value)
const formatPair = (name: string, value: string) => `${encodeText(name)}=${encodeText(value)}`

/**
 * Formats one query parameter as percent-encoded pairs.
 * Source: OpenAPI 3.1, parameter serialization; RFC 6570, section 3.2.8.
 * @throws URIError for a text that is not well-formed Unicode
 */
export function formatQueryPairs({ name, style, explode }: Parameter, value: unknown): string[] {
  if (style === 'json')
    return formatBracketPairs(name, value) ?? [formatPair(name, JSON.stringify(toListForm(name, value)))]
  if (style === 'deepObject' && isRecord(value)) {
    return Object.entries(value).map(([key, entry]) => formatPair(`${name}[${key}]`, toPlainText(entry)))
  }
  if (explode && Array.isArray(value)) return value.map((entry) => formatPair(name, toPlainText(entry)))
  if (explode && isRecord(value))
    return Object.entries(value).map(([key, entry]) => formatPair(key, toPlainText(entry)))
  if (typeof value !== 'object' || value === null) return [formatPair(name, toPlainText(value))]
  const parts: unknown[] = Array.isArray(value) ? value : Object.entries(value).flat()
  return parts.length === 0
    ? []
    : [`${encodeText(name)}=${parts.map((part) => encodeText(toPlainText(part))).join(',')}`]
}

/** Converts a value to one text; objects and arrays become JSON. */
export const toPlainText = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

/**
 * Converts the text of `filters` or `sorters` in an address to query pairs if it is a JSON object. Returns null if the
 * text should be sent unchanged; the API then validates it.
 */
export function convertToBrackets(name: string, text: string): string[] | null {
  const value = parseExactJson(text)
  if (!isRecord(value) || !isListParameter(name)) return null
  return formatBracketPairs(name, value) ?? [formatPair(name, JSON.stringify(toListForm(name, value)))]
}

/** Returns whether a parameter is one of the API's lists. */
const isListParameter = (name: string) => name === 'filters' || name === 'sorters'

/** Operators that take no value. A model may write `null: false`, which means the opposite operator. */
const valuelessOperators = ['null', 'nnull']
const getOppositeOperator = (operator: string) => (operator === 'null' ? 'nnull' : 'null')

/**
 * Formats the object form with brackets: `{status: {eq: 'draft'}}` as `filters[status][eq]=draft`, `{createdAt:
 * 'desc'}` as `sorters[0][field]=createdAt&sorters[0][order]=desc`. Returns null if brackets cannot express the value:
 * a list, groups, or an operand that is a list, an object or null. The API must see such an operand to refuse it.
 */
function formatBracketPairs(name: string, value: unknown): string[] | null {
  if (!isRecord(value) || !isListParameter(name)) return null
  const pairs = Object.entries(value).flatMap(([field, fieldConditions], place): (string | null)[] => {
    if (name === 'sorters') {
      const order = isScalar(fieldConditions)
        ? formatPair(`sorters[${place}][order]`, toPlainText(fieldConditions))
        : null
      return [formatPair(`sorters[${place}][field]`, field), order]
    }
    const conditions = isRecord(fieldConditions) ? fieldConditions : { eq: fieldConditions }
    // Without this pair the request would match all rows; the API must see the field to refuse it.
    if (Object.keys(conditions).length === 0) return [isMemberName(field) ? formatPair(`filters[${field}]`, '') : null]
    return Object.entries(conditions).map(([operator, operand]) => formatCondition(field, operator, operand))
  })
  return pairs.includes(null) ? null : (pairs as string[])
}

function formatCondition(field: string, operator: string, operand: unknown): string | null {
  if (!isMemberName(field) || !isMemberName(operator)) return null
  const name = `filters[${field}][${operator}]`
  if (valuelessOperators.includes(operator))
    return formatPair(operand === false ? `filters[${field}][${getOppositeOperator(operator)}]` : name, '')
  return isScalar(operand) ? formatPair(name, toPlainText(operand)) : null
}

/** Returns whether a name in brackets means a member; digits would mean a position in a list. */
const isMemberName = (name: string) => /^[^[\]]+$/.test(name) && !/^\d+$/.test(name)
const isScalar = (value: unknown) => typeof value !== 'object'

/**
 * Converts the object form to the list form that the API takes: `{status: {eq: 'draft'}}` to `[{field, operator,
 * value}]`, `{createdAt: 'desc'}` to `[{field, order}]`. A list and any other parameter stay unchanged.
 */
function toListForm(name: string, value: unknown): unknown {
  if (!isRecord(value) || !isListParameter(name)) return value
  if (name === 'sorters') return Object.entries(value).map(([field, order]) => ({ field, order }))
  return Object.entries(value).flatMap(([field, conditions]) =>
    isRecord(conditions)
      ? Object.entries(conditions).map(([operator, operand]) => ({ field, operator, value: operand }))
      : [{ field, operator: 'eq', value: conditions }],
  )
}
