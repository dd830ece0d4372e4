import type { RecordSink } from '../../../kernel/ports/record-sink.ts'

/** One part of a destination: the name of a member, or a place in a list, from 0. */
export type PathPart = string | number

/** The maximum number of places in a list that a mapper can fill, and the maximum number of parts of a path. */
const maxListPlaces = 100
const maxPathParts = 30

/** The names that every object inherits; writing to them would change more than the body. */
const forbiddenNames = new Set(['__proto__', 'constructor', 'prototype'])

/** What a mapper has to know of the records that it makes. */
export type RecordShape = Pick<RecordSink, 'noun' | 'members' | 'containers' | 'requiredPaths'>

/**
 * Parses a dotted path into the body that creates a record, such as `data.materials[0].name`, into its parts.
 * @returns the parts, or a text that says what is wrong with the path
 */
export function parsePath(path: string, { noun, members, containers }: RecordShape): PathPart[] | string {
  const parts: PathPart[] = []
  for (const piece of path.split('.')) {
    const found = /^([^[\]]+)((?:\[\d{1,4}\])*)$/.exec(piece)
    const name = found?.[1]?.trim()
    if (!found || !name) return 'is not a path as product.name or data.materials[0].name'
    if (forbiddenNames.has(name)) return `cannot have the name ${name}`
    parts.push(name)
    for (const [, place] of (found[2] ?? '').matchAll(/\[(\d+)\]/g)) parts.push(Number(place))
  }
  const [first] = parts
  if (typeof first !== 'string' || !members.includes(first)) {
    return `has to begin with a member of ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}: ${members.join(', ')}`
  }
  if (parts.length > 1 && !containers.includes(first)) return `cannot go below ${first}, which is a single value`
  if (parts.some((part) => typeof part === 'number' && part >= maxListPlaces))
    return `has a place past ${maxListPlaces - 1}`
  return parts.length > maxPathParts ? `has more than ${maxPathParts} parts` : parts
}

/** An object or a list that receives values. The first one, without a parent, is the body itself. */
export interface Container {
  parent: number
  key: PathPart
  list: boolean
}

interface PathNode {
  parent: PathNode | null
  part: PathPart
  path: string
  children: Map<PathPart, PathNode>
  /** Its index among the containers; -1 while nothing is below it. */
  container: number
  /** Whether a row fills the node as a whole. */
  taken: boolean
}

const createRootNode = (): PathNode => ({
  parent: null,
  part: '',
  path: '',
  children: new Map(),
  container: 0,
  taken: false,
})

const createNode = (parent: PathNode, part: PathPart): PathNode => ({
  parent,
  part,
  path: joinPath(parent.path, part),
  children: new Map(),
  container: -1,
  taken: false,
})

const joinPath = (path: string, part: PathPart): string =>
  typeof part === 'number' ? `${path}[${part}]` : path ? `${path}.${part}` : part

/**
 * The objects and lists that destinations need, each once. Adding a destination shows whether it conflicts with
 * another.
 */
export class ContainerTree {
  readonly all: Container[] = [{ parent: -1, key: '', list: false }]
  readonly #root = createRootNode()

  /** @returns the container that receives the value, or a text that says which conflict there is */
  add(parts: readonly PathPart[]): { container: number; key: PathPart } | string {
    let node = this.#root
    let container = 0
    for (const part of parts) {
      const conflict = findConflict(node, part)
      if (conflict !== undefined) return conflict
      container = this.#containerOf(node, typeof part === 'number')
      const next = node.children.get(part) ?? createNode(node, part)
      node.children.set(part, next)
      node = next
    }
    if (node.taken) return 'is the destination of another row already'
    if (node.children.size > 0) return 'is filled part by part by other rows'
    node.taken = true
    return { container, key: node.part }
  }

  #containerOf(node: PathNode, list: boolean): number {
    if (node.container === -1) {
      const parent = node.parent?.container ?? 0
      node.container = this.all.push({ parent, key: node.part, list }) - 1
    }
    return node.container
  }
}

function findConflict(node: PathNode, part: PathPart): string | undefined {
  if (node.taken) return `is below ${node.path}, which another row fills as a whole`
  const [other] = node.children.keys()
  if (other === undefined || typeof other === typeof part) return undefined
  return `takes ${node.path} for ${typeof part === 'number' ? 'a list' : 'an object'}, another row for the opposite`
}
