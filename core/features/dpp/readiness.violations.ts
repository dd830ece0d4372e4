import type { Violation } from '../../kernel/problem.ts'
import type { Finding } from './open.types.ts'
import { finding, isKind, type Family } from './readiness.table.ts'

/** Most findings of an answer: who has more has enough to do. */
const mostFindings = 200

/** Violations as findings of the rule that they break. */
export const ofViolations = (family: Family, violations: readonly Violation[]): Finding[] =>
  violations.map(({ path, code, message }) => finding(`${family}_${isKind(code) ? code : 'invalid'}`, path, message))

const families = /^(untp|sheet|passport)_/

/**
 * Each finding once, in the order of paths, then of codes. What a standard and this interface both refuse in the same
 * way at the same path is told by the standard, which comes first in `found`.
 */
export function inOrder(found: readonly Finding[]): Finding[] {
  const told = new Map<string, Finding>()
  for (const one of found) {
    const key = `${one.path} ${one.code.replace(families, '')}`
    if (!told.has(key)) told.set(key, one)
  }
  const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
  return mostSevere([...told.values()])
    .sort((one, other) => compare(one.path, other.path) || compare(one.code, other.code))
}

const weight = { error: 0, warning: 1, info: 2 } as const

/** What decides about readiness is not cut off by what does not. */
const mostSevere = (found: Finding[]): Finding[] => found.length <= mostFindings
  ? found
  : found.sort((one, other) => weight[one.severity] - weight[other.severity]).slice(0, mostFindings)
