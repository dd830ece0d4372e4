import { NewPassport } from '../dpp/index.ts'

/** One part of a destination: the name of a member, or a place in a list from 0. */
export type PathPart = string | number

/** Places in a list that a mapper can fill, and parts of a path. */
const mostPlaces = 100
const mostParts = 30

const members = Object.keys(NewPassport.properties)
/** Members that hold others; the rest are single values. */
const deep = new Set(['product', 'fields', 'data', 'certifiedPaths'])
/** Names that objects have from birth, which would change more than the passport. */
const forbidden = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * A dotted path into the body that creates a passport, as `data.materials[0].name`, part by part.
 * @returns what is wrong with it as text
 */
export function partsOf(path: string): PathPart[] | string {
  const parts: PathPart[] = []
  for (const piece of path.split('.')) {
    const found = /^([^[\]]+)((?:\[\d{1,4}\])*)$/.exec(piece)
    const name = found?.[1]?.trim()
    if (!found || !name) return 'is not a path as product.name or data.materials[0].name'
    if (forbidden.has(name)) return `cannot have the name ${name}`
    parts.push(name)
    for (const [, place] of (found[2] ?? '').matchAll(/\[(\d+)\]/g)) parts.push(Number(place))
  }
  const [first] = parts
  if (typeof first !== 'string' || !members.includes(first)) {
    return `has to begin with a member of a passport: ${members.join(', ')}`
  }
  if (parts.length > 1 && !deep.has(first)) return `cannot go below ${first}, which is a single value`
  if (parts.some((part) => typeof part === 'number' && part >= mostPlaces)) return `has a place past ${mostPlaces - 1}`
  return parts.length > mostParts ? `has more than ${mostParts} parts` : parts
}

/** An object or a list that values are put into. The first one, without a parent, is the body itself. */
export interface Container { parent: number; key: PathPart; list: boolean }

interface Node {
  parent: Node | null
  part: PathPart
  path: string
  children: Map<PathPart, Node>
  /** Its place among the containers; -1 while nothing is below it. */
  container: number
  /** Whether a row fills it as a whole. */
  taken: boolean
}

const rootNode = (): Node =>
  ({ parent: null, part: '', path: '', children: new Map(), container: 0, taken: false })

const nodeOf = (parent: Node, part: PathPart): Node =>
  ({ parent, part, path: joined(parent.path, part), children: new Map(), container: -1, taken: false })

const joined = (path: string, part: PathPart): string =>
  (typeof part === 'number' ? `${path}[${part}]` : path ? `${path}.${part}` : part)

/** The objects and lists that destinations need, each once; tells where destinations get in each other's way. */
export class Containers {
  readonly all: Container[] = [{ parent: -1, key: '', list: false }]
  readonly #root = rootNode()

  /** @returns what the value is put into, or what is in its way as text */
  add(parts: readonly PathPart[]): { container: number; key: PathPart } | string {
    let node = this.#root
    let container = 0
    for (const part of parts) {
      const inWay = inWayOf(node, part)
      if (inWay !== undefined) return inWay
      container = this.#containerOf(node, typeof part === 'number')
      const next = node.children.get(part) ?? nodeOf(node, part)
      node.children.set(part, next)
      node = next
    }
    if (node.taken) return 'is the destination of another row already'
    if (node.children.size > 0) return 'is filled part by part by other rows'
    node.taken = true
    return { container, key: node.part }
  }

  #containerOf(node: Node, list: boolean): number {
    if (node.container === -1) {
      const parent = node.parent?.container ?? 0
      node.container = this.all.push({ parent, key: node.part, list }) - 1
    }
    return node.container
  }
}

function inWayOf(node: Node, part: PathPart): string | undefined {
  if (node.taken) return `is below ${node.path}, which another row fills as a whole`
  const [other] = node.children.keys()
  if (other === undefined || typeof other === typeof part) return undefined
  return `takes ${node.path} for ${typeof part === 'number' ? 'a list' : 'an object'}, another row for the opposite`
}
