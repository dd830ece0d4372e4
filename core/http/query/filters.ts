import {
  filterOperators,
  type FilterCondition,
  type FilterField,
  type FilterNode,
  type FilterGroup,
  type ListDeclaration,
  type FilterOperator,
} from '../../kernel/page.ts'
import type { IssueCollector } from '../problems/issue-collector.ts'
import { askForNearest } from '../../kernel/text/nearest.ts'
import { describeFilters } from './describe-list.ts'
import { describeFilterValue, parseFilterValue } from './filters.values.ts'
import { ParameterValues, createParameterTree, type QueryParameter } from './parameters.ts'

/** Limits of a filter, so that no SQL statement becomes too large. */
const maxConditions = 50
const maxDepth = 5

const isIndex = (name: string) => /^\d{1,4}$/.test(name)
const isOperator = (value: unknown): value is FilterOperator => filterOperators.includes(value as FilterOperator)
/** Quotes a name that a caller sent, for a message. */
export const quoteLabel = (value: unknown) => (typeof value === 'string' ? `"${value.slice(0, 60)}"` : 'that')

/** Returns the members of an object in any of its notations, or null for anything else. */
export function toMembers(value: unknown): ReadonlyMap<string, unknown> | null {
  if (value instanceof Map) return value as ReadonlyMap<string, unknown>
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof ParameterValues)
    return null
  return new Map(Object.entries(value))
}

/**
 * Returns the items of an array, written as JSON or as brackets with indices, or the members of an object; null for
 * anything else.
 */
export function toItems(value: unknown): [string, unknown][] | null {
  if (Array.isArray(value)) return value.map((item, at) => [String(at), item])
  const members = toMembers(value)
  return members && [...members]
}

/** Returns the value of a parameter, or undefined if it was sent with different values. */
export function getSingleValue(value: unknown): unknown {
  if (!(value instanceof ParameterValues)) return value
  return new Set(value.values).size === 1 ? value.values[0] : undefined
}

const askForNearestName = (names: readonly string[], value: unknown): string =>
  typeof value === 'string' ? askForNearest(names, value.slice(0, 60)) : ''

/** Parses JSON text. Returns undefined if it is not well-formed. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** The paths of a condition's parts, for the issues that a client has to fix. */
interface ConditionPaths {
  field: string
  operator: string
  value: string
}

/**
 * Parses the filters of a list in all three notations, which may be mixed; all filters apply. Each error is added to
 * `issues` as INVALID_FILTER with its path.
 */
export function parseFilters(
  parameters: readonly QueryParameter[],
  list: ListDeclaration,
  issues: IssueCollector,
): FilterGroup {
  const parser = new FilterParser(list, issues)
  const { texts, tree } = createParameterTree(parameters, (path) =>
    parser.addIssue(path, 'malformed', 'has both a value and names below it'),
  )
  return {
    operator: 'and',
    value: [...texts.flatMap((text) => parser.parseText(text)), ...parser.parseNodes(tree, 'filters', 1)],
  }
}

class FilterParser {
  readonly #list: ListDeclaration
  readonly #issues: IssueCollector
  #conditionCount = 0

  constructor(list: ListDeclaration, issues: IssueCollector) {
    this.#list = list
    this.#issues = issues
  }

  /** @param advice what a caller needs to know once, whatever the number of issues */
  addIssue(path: string, code: string, message: string, advice?: string): [] {
    this.#issues.add('INVALID_FILTER', { path, code, message }, advice)
    return []
  }

  parseText(text: string): FilterNode[] {
    // An empty text is no filter, as a form sends it. It is an error for an operation that changes its matches, because
    // it may come from an empty variable.
    if (text === '' && this.#list.rowSchema !== undefined) return []
    const value = parseJson(text)
    return value === undefined
      ? this.addIssue('filters', 'malformed', 'is not well-formed JSON')
      : this.parseNodes(value, 'filters', 1)
  }

  parseNodes(value: unknown, path: string, depth: number): FilterNode[] {
    const items = toItems(value)
    if (!items) return this.addIssue(path, 'type', 'must be an array of filters, or brackets of field and operator')
    return items.flatMap(([name, node]) =>
      isIndex(name)
        ? this.#parseNode(node, `${path}[${name}]`, depth)
        : this.#parseShorthand(name, node, `${path}[${name}]`),
    )
  }

  /** Parses `filters[status][eq]=draft`. Several operators and repeated values all apply. */
  #parseShorthand(field: string, value: unknown, path: string): FilterNode[] {
    const members = toMembers(value)
    if (!members) return this.addIssue(path, 'malformed', `needs an operator, as ${path}[eq]=<value>`)
    return [...members].flatMap(([operator, operand]) => {
      const place = `${path}[${operator}]`
      const values = operand instanceof ParameterValues ? operand.values : [operand].flat()
      return values.flatMap((one) =>
        this.#parseCondition(field, operator, one, { field: place, operator: place, value: place }),
      )
    })
  }

  #parseNode(node: unknown, path: string, depth: number): FilterNode[] {
    const members = toMembers(node)
    if (!members) return this.addIssue(path, 'type', 'must be an object of field, operator and value')
    const extra = [...members.keys()].filter((name) => !['field', 'operator', 'value'].includes(name))
    if (extra.length > 0)
      return extra.flatMap((name) =>
        this.addIssue(`${path}.${name.slice(0, 60)}`, 'unknown_member', 'is not a member of a filter'),
      )
    const operator = getSingleValue(members.get('operator'))
    const value = members.get('value')
    if (!members.has('field')) return this.#parseGroup(operator, value, path, depth)
    return this.#parseCondition(getSingleValue(members.get('field')), operator, getSingleValue(value), {
      field: `${path}.field`,
      operator: `${path}.operator`,
      value: `${path}.value`,
    })
  }

  #parseGroup(operator: unknown, value: unknown, path: string, depth: number): FilterNode[] {
    if (operator !== 'or' && operator !== 'and')
      return this.addIssue(`${path}.operator`, 'unknown_operator', 'of a group is or, or and; a filter needs a field')
    if (depth > maxDepth)
      return this.addIssue(path, 'too_deep', `is a group inside ${maxDepth} others, which is the most`)
    const items = toItems(value)
    if (items?.length === 0) return this.addIssue(`${path}.value`, 'min_items', 'of a group needs at least one filter')
    return [{ operator, value: this.parseNodes(value, `${path}.value`, depth + 1) }]
  }

  #parseCondition(field: unknown, operator: unknown, value: unknown, paths: ConditionPaths): FilterCondition[] {
    this.#conditionCount++
    if (this.#conditionCount > maxConditions + 1) return []
    if (this.#conditionCount > maxConditions)
      return this.addIssue(paths.field, 'max_items', `is one filter more than the ${maxConditions} that are taken`)
    if (typeof field !== 'string' || !Object.hasOwn(this.#list.filters, field)) {
      return this.addIssue(
        paths.field,
        'unknown_field',
        `names ${quoteLabel(field)}, which is no filter here${askForNearestName(Object.keys(this.#list.filters), field)}`,
        describeFilters(this.#list),
      )
    }
    const declared = this.#list.filters[field] as FilterField
    if (!isOperator(operator) || !declared.operators.includes(operator)) {
      return this.addIssue(
        paths.operator,
        'unknown_operator',
        `names ${quoteLabel(operator)}; ${field} takes ${declared.operators.join(', ')}${askForNearestName(declared.operators, operator)}`,
        describeFilters(this.#list),
      )
    }
    const parsedValue = operator === 'null' || operator === 'nnull' ? null : parseFilterValue(declared, value)
    if (parsedValue === undefined) return this.addIssue(paths.value, 'type', `must be ${describeFilterValue(declared)}`)
    return [{ field: declared.alias ?? field, operator, value: parsedValue, path: paths.value }]
  }
}
