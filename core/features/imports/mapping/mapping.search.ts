import { ValueIssue } from '../transforms/index.ts'

/** The maximum number of values that one path visits in one item; a product with thousands of variants needs fewer. */
const maxVisits = 50_000

const tooComplexIssue = new ValueIssue('too_complex', `makes a path look at more than ${maxVisits} values`)

/** One part of a path. */
export interface PathSegment {
  /** Whether the segment also visits everything below, as `..name` does. */
  includesDescendants: boolean
  selectors: readonly Selector[]
}

export interface Selector {
  /** Whether the selector leads to one value at most. */
  isSingle: boolean
  find(value: unknown, root: unknown): readonly unknown[]
}

/**
 * Finds the values of a path in an item, in the order of the path. The visited values are counted, so that no item,
 * however it is built, keeps a process busy. Source: RFC 9535, section 2.5.2.2
 */
export function searchItem(steps: readonly PathSegment[], item: unknown): unknown[] | ValueIssue {
  let left = maxVisits
  let matches: unknown[] = [item]
  for (const { selectors, includesDescendants } of steps) {
    const from = includesDescendants ? listDescendants(matches, left) : matches
    if (from === null) return tooComplexIssue
    if (includesDescendants) left -= from.length
    matches = []
    for (const value of from) {
      for (const { isSingle, find } of selectors) {
        left -= isSingle ? 1 : countChildren(value)
        if (left < 0) return tooComplexIssue
        for (const one of find(value, item)) matches.push(one)
      }
    }
  }
  return matches
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

const countChildren = (value: unknown): number =>
  Array.isArray(value) ? value.length : isContainer(value) ? Object.keys(value).length : 1

/**
 * Lists the values and everything below them, each value before what it contains; null if there are more than
 * `maxCount`.
 */
function listDescendants(values: readonly unknown[], maxCount: number): unknown[] | null {
  const all: unknown[] = []
  const waiting = values.toReversed()
  while (waiting.length > 0) {
    const value = waiting.pop()
    all.push(value)
    if (all.length > maxCount || waiting.length > maxCount) return null
    if (!isContainer(value)) continue
    if (countChildren(value) > maxCount) return null
    const inner: unknown[] = Array.isArray(value) ? value : Object.values(value)
    for (let at = inner.length - 1; at >= 0; at -= 1) waiting.push(inner[at])
  }
  return all
}
