import { Fault } from './transforms.types.ts'

/** Values that one path looks at in one item; a product with thousands of variants needs fewer. */
const mostVisits = 50_000

const tooComplex = new Fault('too_complex', `makes a path look at more than ${mostVisits} values`)

/** One part of a path. */
export interface Step {
  /** Whether it looks at all that is below as well: `..name`. */
  below: boolean
  selectors: readonly Selector[]
}

export interface Selector {
  /** Whether it leads to one value at most. */
  single: boolean
  find(value: unknown, root: unknown): readonly unknown[]
}

/**
 * What a path finds, in its order. How far it goes is counted, so that no item, however it is built, keeps a process
 * busy. Source: RFC 9535, section 2.5.2.2
 */
export function search(steps: readonly Step[], item: unknown): unknown[] | Fault {
  let left = mostVisits
  let found: unknown[] = [item]
  for (const { selectors, below } of steps) {
    const from = below ? descended(found, left) : found
    if (from === null) return tooComplex
    if (below) left -= from.length
    found = []
    for (const value of from) {
      for (const { single, find } of selectors) {
        left -= single ? 1 : sizeOf(value)
        if (left < 0) return tooComplex
        for (const one of find(value, item)) found.push(one)
      }
    }
  }
  return found
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

const sizeOf = (value: unknown): number =>
  (Array.isArray(value) ? value.length : isContainer(value) ? Object.keys(value).length : 1)

/** The values and all below them, each before what it holds; null where there are more than that. */
function descended(values: readonly unknown[], most: number): unknown[] | null {
  const all: unknown[] = []
  const waiting = values.toReversed()
  while (waiting.length > 0) {
    const value = waiting.pop()
    all.push(value)
    if (all.length > most || waiting.length > most) return null
    if (!isContainer(value)) continue
    if (sizeOf(value) > most) return null
    const inner: unknown[] = Array.isArray(value) ? value : Object.values(value)
    for (let at = inner.length - 1; at >= 0; at -= 1) waiting.push(inner[at])
  }
  return all
}
