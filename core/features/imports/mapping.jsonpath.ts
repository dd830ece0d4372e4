import { JSONPathEnvironment, JSONPathNode, jsonpath, type JSONPathQuery, type JSONValue } from 'json-p3'
import { search, type Step } from './mapping.search.ts'
import { Fault } from './transforms.types.ts'

/** Reads a value out of an item: undefined where there is none, or a fault. */
export type Reader = (item: unknown) => unknown

const { selectors, expressions } = jsonpath

/** Without the two functions that run regular expressions of whoever wrote the path. */
class Environment extends JSONPathEnvironment {
  protected override setupFilterFunctions(): void {
    super.setupFilterFunctions()
    this.functionRegister.delete('match')
    this.functionRegister.delete('search')
  }
}

const environment = new Environment({ strict: true })

/**
 * A JSONPath made ready. One that can lead to a single place gives the value there. Any other gives the list of what it
 * finds; but where nothing except a filter makes it one of several, as in `$.images[?@.main].url`, a single find is
 * given as it is. What does not begin with `$` is what stands behind `$.`, or else the plain name of a member.
 * @returns what is wrong with it as text. Source: RFC 9535
 */
export function readerOf(source: string): Reader | string {
  const query = queryOf(source)
  if (typeof query === 'string') return query
  if (query.singularQuery()) return alongPath(query)
  const costly = costOf(query)
  if (costly !== undefined) return costly
  const picks = query.segments.every((segment) =>
    segment.selectors.length === 1 && !isDescendant(segment) && segment.selectors.every(isPick))
  const steps = stepsOf(query)
  return (item) => {
    const found = search(steps, item)
    if (found instanceof Fault) return found
    return picks && found.length === 1 ? found[0] : found.length === 0 ? undefined : found
  }
}

function queryOf(source: string): JSONPathQuery | string {
  if (source.startsWith('$')) return compiled(source) ?? noPath
  return compiled(`$.${source}`) ?? compiled(`$[${JSON.stringify(source)}]`) ?? noPath
}

const noPath = 'is not a JSONPath (RFC 9535), as $.name or $.materials[*].name; match() and search() are not taken'

function compiled(path: string): JSONPathQuery | undefined {
  try {
    return environment.compile(path)
  } catch {
    return undefined
  }
}

/** The parts of a path; the library evaluates each selector. */
const stepsOf = ({ segments }: JSONPathQuery): Step[] => segments.map((segment) => ({
  below: isDescendant(segment),
  selectors: segment.selectors.map((selector) => ({
    single: selector instanceof selectors.NameSelector || selector instanceof selectors.IndexSelector,
    find: (value, root) =>
      selector.resolve(new JSONPathNode(value as JSONValue, [], root as JSONValue)).map((node) => node.value),
  })),
}))

const isDescendant = (segment: { toString(): string }) => segment.toString().startsWith('..')

const isPick = (selector: unknown) => selector instanceof selectors.NameSelector
  || selector instanceof selectors.IndexSelector || selector instanceof selectors.FilterSelector

/** Names and places one after another, without what a query costs. */
function alongPath(query: JSONPathQuery): Reader {
  const parts = query.segments.flatMap(({ selectors: [one] }) => (one instanceof selectors.NameSelector ? one.name
    : one instanceof selectors.IndexSelector ? one.index : []))
  return (item) => {
    let value = item
    for (const part of parts) {
      if (typeof part === 'number') {
        if (!Array.isArray(value)) return undefined
        value = value.at(part) as unknown
      } else {
        if (!isObject(value) || !Object.hasOwn(value, part)) return undefined
        value = value[part]
      }
    }
    return value
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a path leads to a single place, so that nothing is searched. */
export const isSearch = (source: string): boolean => {
  const query = queryOf(source)
  return typeof query !== 'string' && !query.singularQuery()
}

/**
 * What makes the work of a path grow faster than its item: each of these multiplies with the others, so that one of a
 * kind is all there may be. Undefined for a path that is fine.
 */
function costOf(query: JSONPathQuery): string | undefined {
  const { segments } = query
  if (segments.filter(isDescendant).length > 1) return 'has more than one .. in it'
  if (segments.filter((one) => one.selectors.length > 1).length > 1) return 'has more than one list of selectors'
  const filters = segments.flatMap((one) => one.selectors).filter((one) => one instanceof selectors.FilterSelector)
  if (filters.length > 1) return 'has more than one filter'
  return filters.every(({ expression }) => isCheap(expression)) ? undefined
    : 'has a filter that searches; it can only look at single places, as @.type'
}

/** Whether a filter looks at single places only: no search within a search. */
function isCheap(expression: unknown): boolean {
  if (expression instanceof expressions.LogicalExpression) return isCheap(expression.expression)
  if (expression instanceof expressions.PrefixExpression) return isCheap(expression.right)
  if (expression instanceof expressions.InfixExpression) return isCheap(expression.left) && isCheap(expression.right)
  if (expression instanceof expressions.FunctionExtension) return expression.args.every(isCheap)
  if (expression instanceof expressions.FilterQuery) return expression.path.singularQuery()
  return true
}
