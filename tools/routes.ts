interface Node<T> {
  literal: Map<string, Node<T>>
  parameter: Node<T> | null
  value: T | null
}

const node = <T>(): Node<T> => ({ literal: new Map(), parameter: null, value: null })

export interface Found<T> {
  readonly value: T
  readonly captured: readonly string[]
}

/**
 * Path templates by segment. A literal segment wins over a parameter at the same place; letters of literals count
 * without case, as HTTP routers read them, so that no spelling of a literal passes for a parameter's value.
 */
export class Routes<T> {
  readonly #root: Node<T> = node()
  readonly #paths: (readonly string[])[] = []

  /** @param path as the document states it, `/v1/applications/{appId}`. */
  add(path: string, value: T): void {
    const segments = path.slice(1).split('/')
    this.#paths.push(segments)
    let at = this.#root
    for (const segment of segments) {
      if (isParameter(segment)) at = at.parameter ??= node()
      else at = take(at.literal, segment.toLowerCase())
    }
    at.value ??= value
  }

  /** Whether what is put in the place of its parameters may make a path another one that was added. */
  contests(path: string): boolean {
    const own = path.slice(1).split('/')
    return this.#paths.some((other) => other.join('/') !== own.join('/') && overlap(own, other))
  }

  /** @param segments percent-decoded. */
  find(segments: readonly string[]): Found<T> | null {
    return descend(this.#root, segments, 0, [])
  }
}

const isParameter = (segment: string) => segment.includes('{')

function overlap(own: readonly string[], other: readonly string[]): boolean {
  if (own.length !== other.length) return false
  return own.every((one, at) => {
    const beside = other[at] ?? ''
    return isParameter(one) || isParameter(beside) || one.toLowerCase() === beside.toLowerCase()
  })
}

function take<T>(children: Map<string, Node<T>>, key: string): Node<T> {
  const child = children.get(key) ?? node<T>()
  children.set(key, child)
  return child
}

function descend<T>(
  at: Node<T>,
  segments: readonly string[],
  index: number,
  captured: readonly string[],
): Found<T> | null {
  const segment = segments[index]
  if (segment === undefined) return at.value === null ? null : { value: at.value, captured }
  const literal = at.literal.get(segment.toLowerCase())
  const found = literal ? descend(literal, segments, index + 1, captured) : null
  if (found) return found
  return at.parameter ? descend(at.parameter, segments, index + 1, [...captured, segment]) : null
}
