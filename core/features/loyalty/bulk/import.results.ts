import type { RowIssue, StoreResult } from '../../../kernel/ports/record-sink.ts'
import { toRowIssues } from '../../../kernel/ports/row-issues.ts'
import type { ProblemError } from '../../../kernel/problem.ts'

/** Collects what became of the rows of a slice. */
export class SliceResult {
  created = 0
  updated = 0
  skipped = 0
  #failed = 0
  readonly #errors: (RowIssue & { line: number })[] = []

  refuse(line: number, issues: readonly RowIssue[]): void {
    this.#failed++
    for (const issue of issues) this.#errors.push({ ...issue, line })
  }

  toStored(): StoreResult {
    const { created, updated, skipped } = this
    return { created, updated, skipped, failed: this.#failed, errors: this.#errors.sort((a, b) => a.line - b.line) }
  }
}

/** Converts the refusal of an assignment to the issues of its row. */
export function toGiftIssues({ code, detail, errors = [] }: ProblemError, body: unknown): RowIssue[] {
  if (errors.length === 0) {
    const { email } = body as { email?: unknown }
    return toRowIssues([{ path: email === undefined ? 'phoneNumber' : 'email', code, message: detail }], body)
  }
  // What an account can have is said of the amount that is credited.
  const issues = errors.map((issue) => (issue.path === 'amount' ? { ...issue, path: 'optimisticBalance' } : issue))
  return toRowIssues(issues, body)
}
