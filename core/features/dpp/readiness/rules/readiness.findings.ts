import type { Issue } from '../../../../kernel/problem.ts'
import type { Finding } from '../answers.types.ts'
import { isRemoved } from '../readiness.examples.ts'
import { createFinding, isKind, type RuleFamily } from '../readiness.table.ts'

/** The maximum number of findings in an answer. */
const maxFindings = 200

/**
 * Converts issues to findings of the rule that they break.
 * @param exampleAt returns an example of the value at a path; undefined where that of the rule is right
 */
export const toFindings = (
  family: RuleFamily,
  issues: readonly Issue[],
  exampleAt: (path: string) => unknown = () => undefined,
): Finding[] =>
  issues.map(({ path, code, message }) => {
    const kind = isKind(code) ? code : 'invalid'
    // Where the member has to go, no value is an example.
    const example = isRemoved(kind) ? null : exampleAt(path)
    return createFinding(`${family}_${kind}`, path, message, example === undefined ? {} : { example })
  })

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

/** The order of severities, the most severe first. */
export const severityOrder = { error: 0, warning: 1, info: 2 } as const

/** Selects the most severe findings, so that findings that decide about readiness are never cut off by others. */
const selectWorstFindings = (found: Finding[]): Finding[] =>
  found.length <= maxFindings
    ? found
    : found.sort((one, other) => severityOrder[one.severity] - severityOrder[other.severity]).slice(0, maxFindings)
