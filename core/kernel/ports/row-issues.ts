import type { Issue } from '../problem.ts'
import type { RowIssue } from './record-sink.ts'

/** The maximum number of issues that are reported for one row of a file. */
export const maxRowIssues = 10
/** The maximum number of characters of a reported value. */
const maxValueLength = 200

/** Returns the first issues with the values that caused them. */
export function toRowIssues(issues: readonly Issue[], body: unknown): RowIssue[] {
  return issues
    .slice(0, maxRowIssues)
    .map(({ path, code, message }) => ({ path, code, message, value: findValueText(body, path) }))
}

/** Finds the value at a dotted path, as text; null if there is none. */
function findValueText(body: unknown, path: string): string | null {
  let value = body
  for (const part of path.split(/[.[\]]+/).filter((each) => each !== '')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return null
    value = (value as Record<string, unknown>)[part]
  }
  if (value === null || value === undefined || value === body) return null
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.slice(0, maxValueLength).replaceAll('\0', '\ufffd').toWellFormed()
}
