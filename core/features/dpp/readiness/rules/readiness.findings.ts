import type { Issue } from '../../../../kernel/problem.ts'
import type { Finding } from '../answers.types.ts'
import { createFinding, isKind, type RuleFamily } from '../readiness.table.ts'

/** The maximum number of findings in an answer. */
const maxFindings = 200

/** Converts issues to findings of the rule that they break. */
export const toFindings = (family: RuleFamily, issues: readonly Issue[]): Finding[] =>
  issues.map(({ path, code, message }) => createFinding(`${family}_${isKind(code) ? code : 'invalid'}`, path, message))

const familyPattern = /^(untp|sheet|passport)_/

/**
 * Returns each finding once, ordered by path, then by code. If a standard and this interface report the same kind of
 * problem at the same path, the finding of the standard stays, because it comes first in `found`.
 */
export function sortFindings(found: readonly Finding[]): Finding[] {
  const byKey = new Map<string, Finding>()
  for (const one of found) {
    const key = `${one.path} ${one.code.replace(familyPattern, '')}`
    if (!byKey.has(key)) byKey.set(key, one)
  }
  const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
  return selectWorstFindings([...byKey.values()]).sort(
    (one, other) => compare(one.path, other.path) || compare(one.code, other.code),
  )
}

const severityOrder = { error: 0, warning: 1, info: 2 } as const

/** Selects the most severe findings, so that findings that decide about readiness are never cut off by others. */
const selectWorstFindings = (found: Finding[]): Finding[] =>
  found.length <= maxFindings
    ? found
    : found.sort((one, other) => severityOrder[one.severity] - severityOrder[other.severity]).slice(0, maxFindings)
