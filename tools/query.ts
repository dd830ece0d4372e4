import { isRecord } from './openapi.ts'
import type { Parameter } from './parameters.ts'

const pair = (name: string, value: string) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`

/** The pairs of one query parameter, percent-encoded. Source: OpenAPI 3.1, parameter serialization. */
export function queryPairs(parameter: Parameter, value: unknown): string[] {
  const { name, style, explode } = parameter
  if (style === 'json') return [pair(name, JSON.stringify(listForm(name, value)))]
  if (Array.isArray(value)) {
    return explode ? value.map((entry) => pair(name, plain(entry))) : [pair(name, value.map(plain).join(','))]
  }
  if (!isRecord(value)) return [pair(name, plain(value))]
  return Object.entries(value).map(([key, entry]) =>
    pair(style === 'deepObject' ? `${name}[${key}]` : key, plain(entry)),
  )
}

const plain = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

/**
 * The list form that the API takes: `{status: {eq: 'draft'}}` becomes `[{field, operator, value}]`,
 * `{createdAt: 'desc'}` becomes `[{field, order}]`. A list stays as it is, and so does any other parameter.
 */
export function listForm(name: string, value: unknown): unknown {
  if (!isRecord(value)) return value
  if (name === 'sorters') return Object.entries(value).map(([field, order]) => ({ field, order }))
  if (name !== 'filters') return value
  return Object.entries(value).flatMap(([field, conditions]) =>
    isRecord(conditions)
      ? Object.entries(conditions).map(([operator, operand]) => ({ field, operator, value: operand }))
      : [{ field, operator: 'eq', value: conditions }],
  )
}

/** `filters` and `sorters` of an address: an object becomes the list form, the API judges anything else. */
export function listFormText(name: string, text: string): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    if (cause instanceof SyntaxError) return text
    throw cause
  }
  return isRecord(value) ? JSON.stringify(listForm(name, value)) : text
}
