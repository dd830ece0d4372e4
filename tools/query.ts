import { parsedJson } from './json.ts'
import { isRecord } from './openapi.ts'
import type { Parameter } from './parameters.ts'

const encoded = (value: string) => encodeURIComponent(value)
const pair = (name: string, value: string) => `${encoded(name)}=${encoded(value)}`

/**
 * The pairs of one query parameter, percent-encoded. Throws URIError for text that is no Unicode.
 * Source: OpenAPI 3.1, parameter serialization; RFC 6570, section 3.2.8.
 */
export function queryPairs({ name, style, explode }: Parameter, value: unknown): string[] {
  if (style === 'json') return bracketPairs(name, value) ?? [pair(name, JSON.stringify(listForm(name, value)))]
  if (style === 'deepObject' && isRecord(value)) {
    return Object.entries(value).map(([key, entry]) => pair(`${name}[${key}]`, plain(entry)))
  }
  if (explode && Array.isArray(value)) return value.map((entry) => pair(name, plain(entry)))
  if (explode && isRecord(value)) return Object.entries(value).map(([key, entry]) => pair(key, plain(entry)))
  if (typeof value !== 'object' || value === null) return [pair(name, plain(value))]
  const parts: unknown[] = Array.isArray(value) ? value : Object.entries(value).flat()
  return parts.length === 0 ? [] : [`${encoded(name)}=${parts.map((part) => encoded(plain(part))).join(',')}`]
}

/** A value as one piece of text: JSON where it has parts. */
export const plain = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

/**
 * `filters` and `sorters` of an address, as text: an object becomes brackets, the API judges anything else.
 * Null where the text goes out as it came.
 */
export function bracketsOfText(name: string, text: string): string[] | null {
  const value = parsedJson(text)
  if (!isRecord(value) || !isList(name)) return null
  return bracketPairs(name, value) ?? [pair(name, JSON.stringify(listForm(name, value)))]
}

/** Parameters of the API's lists. */
const isList = (name: string) => name === 'filters' || name === 'sorters'

/** Operators that take no value; `null: false`, as a model may say it, means the other one. */
const valueless = ['null', 'nnull']
const opposite = (operator: string) => (operator === 'null' ? 'nnull' : 'null')

/**
 * The object form in brackets: `{status: {eq: 'draft'}}` as `filters[status][eq]=draft`, `{createdAt: 'desc'}` as
 * `sorters[0][field]=createdAt&sorters[0][order]=desc`. Null where brackets cannot say it: of a list, of groups, and
 * where an operand is a list, an object or null, which the API has to see to refuse it.
 */
function bracketPairs(name: string, value: unknown): string[] | null {
  if (!isRecord(value) || !isList(name)) return null
  const pairs = Object.entries(value).flatMap(([field, stated], place): (string | null)[] => {
    if (name === 'sorters') {
      const order = isScalar(stated) ? pair(`sorters[${place}][order]`, plain(stated)) : null
      return [pair(`sorters[${place}][field]`, field), order]
    }
    const conditions = isRecord(stated) ? stated : { eq: stated }
    // Left out, it would mean all rows: the API has to see it to refuse it.
    if (Object.keys(conditions).length === 0) return [isStep(field) ? pair(`filters[${field}]`, '') : null]
    return Object.entries(conditions).map(([operator, operand]) => condition(field, operator, operand))
  })
  return pairs.includes(null) ? null : (pairs as string[])
}

function condition(field: string, operator: string, operand: unknown): string | null {
  if (!isStep(field) || !isStep(operator)) return null
  const name = `filters[${field}][${operator}]`
  if (valueless.includes(operator)) return pair(operand === false ? `filters[${field}][${opposite(operator)}]` : name, '')
  return isScalar(operand) ? pair(name, plain(operand)) : null
}

/** Brackets around it name a member; digits would name a place in a list. */
const isStep = (name: string) => /^[^[\]]+$/.test(name) && !/^\d+$/.test(name)
const isScalar = (value: unknown) => typeof value !== 'object'

/**
 * The list form that the API takes: `{status: {eq: 'draft'}}` as `[{field, operator, value}]`, `{createdAt: 'desc'}` as
 * `[{field, order}]`. A list stays as it is, and so does any other parameter.
 */
function listForm(name: string, value: unknown): unknown {
  if (!isRecord(value) || !isList(name)) return value
  if (name === 'sorters') return Object.entries(value).map(([field, order]) => ({ field, order }))
  return Object.entries(value).flatMap(([field, conditions]) =>
    isRecord(conditions)
      ? Object.entries(conditions).map(([operator, operand]) => ({ field, operator, value: operand }))
      : [{ field, operator: 'eq', value: conditions }],
  )
}
