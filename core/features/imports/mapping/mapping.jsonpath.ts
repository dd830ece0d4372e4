import { isObject } from '../../../kernel/json/values.ts'
import { JSONPathEnvironment, JSONPathNode, jsonpath, type JSONPathQuery, type JSONValue } from 'json-p3'
import { searchItem, type PathSegment } from './mapping.search.ts'
import { ValueIssue } from '../transforms/index.ts'

/** A function that reads a value from an item: it returns undefined if there is none, or an issue. */
export type ValueReader = (item: unknown) => unknown

const { selectors, expressions } = jsonpath

/** An environment without the two functions that run regular expressions from a path. */
class RestrictedEnvironment extends JSONPathEnvironment {
  protected override setupFilterFunctions(): void {
    super.setupFilterFunctions()
    this.functionRegister.delete('match')
    this.functionRegister.delete('search')
  }
}

const environment = new RestrictedEnvironment({ strict: true })

/**
 * Compiles a JSONPath to a reader. A path that can lead to a single place only reads the value there. Any other path
 * reads the list of what it finds; but if only a filter makes it find several values, as in `$.images[?@.main].url`, a
 * single find is returned by itself. A source that does not begin with `$` is read as if `$.` stood before it, or else
 * as the plain name of a member.
 * @returns the reader, or a text that says what is wrong with the source
 * Source: RFC 9535
 */
export function compileJsonPath(source: string): ValueReader | string {
  const query = parseQuery(source)
  if (typeof query === 'string') return query
  if (query.singularQuery()) return createPathReader(query)
  const costly = findCostIssue(query)
  if (costly !== undefined) return costly
  const picks = query.segments.every(
    (segment) => segment.selectors.length === 1 && !isDescendant(segment) && segment.selectors.every(isPickSelector),
  )
  const steps = toPathSegments(query)
  return (item) => {
    const found = searchItem(steps, item)
    if (found instanceof ValueIssue) return found
    return picks && found.length === 1 ? found[0] : found.length === 0 ? undefined : found
  }
}

function parseQuery(source: string): JSONPathQuery | string {
  if (source.startsWith('$')) return compileQuery(source) ?? invalidPathMessage
  return compileQuery(`$.${source}`) ?? compileQuery(`$[${JSON.stringify(source)}]`) ?? invalidPathMessage
}

const invalidPathMessage =
  'is not a JSONPath (RFC 9535), as $.name or $.materials[*].name; match() and search() are not taken'

function compileQuery(path: string): JSONPathQuery | undefined {
  try {
    return environment.compile(path)
  } catch {
    return undefined
  }
}

/** Converts a query to the segments of its path; the library evaluates each selector. */
const toPathSegments = ({ segments }: JSONPathQuery): PathSegment[] =>
  segments.map((segment) => ({
    includesDescendants: isDescendant(segment),
    selectors: segment.selectors.map((selector) => ({
      isSingle: selector instanceof selectors.NameSelector || selector instanceof selectors.IndexSelector,
      find: (value, root) =>
        selector.resolve(new JSONPathNode(value as JSONValue, [], root as JSONValue)).map((node) => node.value),
    })),
  }))

const isDescendant = (segment: { toString(): string }) => segment.toString().startsWith('..')

const isPickSelector = (selector: unknown) =>
  selector instanceof selectors.NameSelector
  || selector instanceof selectors.IndexSelector
  || selector instanceof selectors.FilterSelector

/** Creates a reader that follows names and places one after another, without the cost of a query. */
function createPathReader(query: JSONPathQuery): ValueReader {
  const parts = query.segments.flatMap(({ selectors: [one] }) =>
    one instanceof selectors.NameSelector ? one.name : one instanceof selectors.IndexSelector ? one.index : [],
  )
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

/** Returns whether a path can lead to more than one place, so that items have to be searched. */
export const isSearchPath = (source: string): boolean => {
  const query = parseQuery(source)
  return typeof query !== 'string' && !query.singularQuery()
}

/**
 * Finds what makes the work of a path grow faster than its item. Such parts multiply each other's work, so only one of
 * each kind is allowed. Returns undefined if the path is fine.
 */
function findCostIssue(query: JSONPathQuery): string | undefined {
  const { segments } = query
  if (segments.filter(isDescendant).length > 1) return 'has more than one .. in it'
  if (segments.filter((one) => one.selectors.length > 1).length > 1) return 'has more than one list of selectors'
  const filters = segments.flatMap((one) => one.selectors).filter((one) => one instanceof selectors.FilterSelector)
  if (filters.length > 1) return 'has more than one filter'
  return filters.every(({ expression }) => isCheap(expression))
    ? undefined
    : 'has a filter that searches; it can only look at single places, as @.type'
}

/** Returns whether a filter looks at single places only, so that there is no search within a search. */
function isCheap(expression: unknown): boolean {
  if (expression instanceof expressions.LogicalExpression) return isCheap(expression.expression)
  if (expression instanceof expressions.PrefixExpression) return isCheap(expression.right)
  if (expression instanceof expressions.InfixExpression) return isCheap(expression.left) && isCheap(expression.right)
  if (expression instanceof expressions.FunctionExtension) return expression.args.every(isCheap)
  if (expression instanceof expressions.FilterQuery) return expression.path.singularQuery()
  return true
}
