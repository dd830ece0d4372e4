import {
  operators,
  type Condition,
  type FilterField,
  type FilterNode,
  type Group,
  type ListDeclaration,
  type Operator,
} from '../kernel/page.ts'
import type { Faults } from './faults.ts'
import { hintOf, readValue } from './filters.values.ts'
import { Given, treeOf, type Parameter } from './parameters.ts'

/** Bounds on a filter, so that no statement grows past reason. */
const mostLeaves = 50
const mostDepth = 5

const isIndex = (name: string) => /^\d{1,4}$/.test(name)
const isOperator = (value: unknown): value is Operator => operators.includes(value as Operator)
const label = (value: unknown) => (typeof value === 'string' ? `"${value.slice(0, 60)}"` : 'that')

/** Members of an object, however it was spelled; null for anything else. */
export function membersOf(value: unknown): ReadonlyMap<string, unknown> | null {
  if (value instanceof Map) return value as ReadonlyMap<string, unknown>
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Given) return null
  return new Map(Object.entries(value))
}

/** Items of an array, written as JSON or as brackets with indices, or the members of an object; null for anything else. */
export function itemsOf(value: unknown): [string, unknown][] | null {
  if (Array.isArray(value)) return value.map((item, at) => [String(at), item])
  const members = membersOf(value)
  return members && [...members]
}

/** The one value behind a name. A name that was given two different values has none that counts. */
export function oneOf(value: unknown): unknown {
  if (!(value instanceof Given)) return value
  return new Set(value.values).size === 1 ? value.values[0] : undefined
}

/** JSON text as its value, or undefined. */
export function fromJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Where the parts of a condition were written, for the one who has to mend it. */
interface Places {
  field: string
  operator: string
  value: string
}

/**
 * The filters of a list in all three spellings, freely mixed; all of them apply. What is wrong goes to `faults` as
 * INVALID_FILTER, each at its path.
 */
export function readFilters(parameters: readonly Parameter[], list: ListDeclaration, faults: Faults): Group {
  const reader = new FilterReader(list, faults)
  const { texts, tree } = treeOf(parameters, (path) =>
    reader.fail(path, 'malformed', 'has both a value and names below it'),
  )
  return {
    operator: 'and',
    value: [...texts.flatMap((text) => reader.text(text)), ...reader.nodes(tree, 'filters', 1)],
  }
}

class FilterReader {
  readonly #list: ListDeclaration
  readonly #faults: Faults
  #leaves = 0

  constructor(list: ListDeclaration, faults: Faults) {
    this.#list = list
    this.#faults = faults
  }

  fail(path: string, code: string, message: string): [] {
    this.#faults.add('INVALID_FILTER', { path, code, message })
    return []
  }

  text(text: string): FilterNode[] {
    // No filter, as a form sends it; but where the matches are changed and not listed, it may be a variable that is empty.
    if (text === '' && this.#list.of !== undefined) return []
    const value = fromJson(text)
    return value === undefined
      ? this.fail('filters', 'malformed', 'is not well-formed JSON')
      : this.nodes(value, 'filters', 1)
  }

  nodes(value: unknown, path: string, depth: number): FilterNode[] {
    const items = itemsOf(value)
    if (!items) return this.fail(path, 'type', 'must be an array of filters, or brackets of field and operator')
    return items.flatMap(([name, node]) =>
      isIndex(name) ? this.#node(node, `${path}[${name}]`, depth) : this.#shorthand(name, node, `${path}[${name}]`),
    )
  }

  /** `filters[status][eq]=draft`; several operators and repeated values all apply. */
  #shorthand(field: string, value: unknown, path: string): FilterNode[] {
    const members = membersOf(value)
    if (!members) return this.fail(path, 'malformed', `needs an operator, as ${path}[eq]=<value>`)
    return [...members].flatMap(([operator, given]) => {
      const place = `${path}[${operator}]`
      const values = given instanceof Given ? given.values : [given].flat()
      return values.flatMap((one) =>
        this.#condition(field, operator, one, { field: place, operator: place, value: place }),
      )
    })
  }

  #node(node: unknown, path: string, depth: number): FilterNode[] {
    const members = membersOf(node)
    if (!members) return this.fail(path, 'type', 'must be an object of field, operator and value')
    const extra = [...members.keys()].filter((name) => !['field', 'operator', 'value'].includes(name))
    if (extra.length > 0)
      return extra.flatMap((name) =>
        this.fail(`${path}.${name.slice(0, 60)}`, 'unknown_member', 'is not a member of a filter'),
      )
    const operator = oneOf(members.get('operator'))
    const value = members.get('value')
    if (!members.has('field')) return this.#group(operator, value, path, depth)
    return this.#condition(oneOf(members.get('field')), operator, oneOf(value), {
      field: `${path}.field`,
      operator: `${path}.operator`,
      value: `${path}.value`,
    })
  }

  #group(operator: unknown, value: unknown, path: string, depth: number): FilterNode[] {
    if (operator !== 'or' && operator !== 'and')
      return this.fail(`${path}.operator`, 'unknown_operator', 'of a group is or, or and; a filter needs a field')
    if (depth > mostDepth)
      return this.fail(path, 'too_deep', `is a group inside ${mostDepth} others, which is the most`)
    const items = itemsOf(value)
    if (items?.length === 0) return this.fail(`${path}.value`, 'min_items', 'of a group needs at least one filter')
    return [{ operator, value: this.nodes(value, `${path}.value`, depth + 1) }]
  }

  #condition(field: unknown, operator: unknown, value: unknown, places: Places): Condition[] {
    this.#leaves++
    if (this.#leaves > mostLeaves + 1) return []
    if (this.#leaves > mostLeaves)
      return this.fail(places.field, 'max_items', `is one filter more than the ${mostLeaves} that are taken`)
    if (typeof field !== 'string' || !Object.hasOwn(this.#list.filters, field)) {
      return this.fail(places.field, 'unknown_field', `names ${label(field)}, by which this list does not filter`)
    }
    const declared = this.#list.filters[field] as FilterField
    if (!isOperator(operator) || !declared.operators.includes(operator)) {
      return this.fail(
        places.operator,
        'unknown_operator',
        `names ${label(operator)}; ${field} takes ${declared.operators.join(', ')}`,
      )
    }
    const judged = operator === 'null' || operator === 'nnull' ? null : readValue(declared, value)
    if (judged === undefined) return this.fail(places.value, 'type', `must be ${hintOf(declared)}`)
    return [{ field: declared.alias ?? field, operator, value: judged, path: places.value }]
  }
}
