interface RouteNode<T> {
  literal: Map<string, RouteNode<T>>
  parameter: RouteNode<T> | null
  value: T | null
}

const createNode = <T>(): RouteNode<T> => ({ literal: new Map(), parameter: null, value: null })

export interface RouteMatch<T> {
  readonly value: T
  readonly captured: readonly string[]
}

/**
 * Path templates by segment. A literal segment wins over a parameter at the same place. Literals match in any case, as
 * HTTP routers match them, so that no spelling of a literal counts as the value of a parameter.
 */
export class Routes<T> {
  readonly #root: RouteNode<T> = createNode()
  readonly #paths: (readonly string[])[] = []

  /** @param path the path as the document states it, like `/v1/applications/{appId}` */
  add(path: string, value: T): void {
    const segments = path.slice(1).split('/')
    this.#paths.push(segments)
    let at = this.#root
    for (const segment of segments) {
      if (isParameter(segment)) at = at.parameter ??= createNode()
      else at = getOrCreateChild(at.literal, segment.toLowerCase())
    }
    at.value ??= value
  }

  /** Returns whether values of its parameters may turn a path into another path that was added. */
  isContested(path: string): boolean {
    const own = path.slice(1).split('/')
    return this.#paths.some((other) => other.join('/') !== own.join('/') && canOverlap(own, other))
  }

  /** @param segments the percent-decoded segments */
  find(segments: readonly string[]): RouteMatch<T> | null {
    return findInNode(this.#root, segments, 0, [])
  }
}

const isParameter = (segment: string) => segment.includes('{')

function canOverlap(own: readonly string[], other: readonly string[]): boolean {
  if (own.length !== other.length) return false
  return own.every((one, at) => {
    const beside = other[at] ?? ''
    return isParameter(one) || isParameter(beside) || one.toLowerCase() === beside.toLowerCase()
  })
}

function getOrCreateChild<T>(children: Map<string, RouteNode<T>>, key: string): RouteNode<T> {
  const child = children.get(key) ?? createNode<T>()
  children.set(key, child)
  return child
}

function findInNode<T>(
  at: RouteNode<T>,
  segments: readonly string[],
  index: number,
  captured: readonly string[],
): RouteMatch<T> | null {
  const segment = segments[index]
  if (segment === undefined) return at.value === null ? null : { value: at.value, captured }
  const literal = at.literal.get(segment.toLowerCase())
  const found = literal ? findInNode(literal, segments, index + 1, captured) : null
  if (found) return found
  return at.parameter ? findInNode(at.parameter, segments, index + 1, [...captured, segment]) : null
}
