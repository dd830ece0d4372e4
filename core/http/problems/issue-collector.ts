import { problemCodes, type ProblemCode } from '../../kernel/problem-codes.ts'
import { createProblem, type Issue } from '../../kernel/problem.ts'

/** Maximum number of issues that one answer lists. */
const maxIssues = 100

/** The issues of a request, collected from its path, query and body, so that one answer lists all of them. */
export class IssueCollector {
  readonly #entries: { code: ProblemCode; issue: Issue; advice: string | undefined }[] = []
  readonly #reports422As400: boolean

  /** @param reports422As400 whether issues with status 422 are reported with status 400 */
  constructor(reports422As400 = false) {
    this.#reports422As400 = reports422As400
  }

  get hasIssues(): boolean {
    return this.#entries.length > 0
  }

  /** @param advice sentences for the detail of the answer, if this issue is the one that the detail names */
  add(code: ProblemCode, issue: Issue, advice?: string): void {
    if (this.#entries.length >= maxIssues) return
    this.#entries.push({
      code: this.#reports422As400 && problemCodes[code].status === 422 ? 'INVALID_REQUEST' : code,
      issue,
      advice,
    })
  }

  /**
   * Throws if there are issues. @throws ProblemError with all issues, and with the code of the first issue that has
   * status 400, or else of the first issue
   */
  assertNone(): void {
    const entries = this.#entries
    const decisiveEntry = entries.find(({ code }) => problemCodes[code].status === 400) ?? entries[0]
    if (!decisiveEntry) return
    const {
      code,
      issue: { path, message },
      advice,
    } = decisiveEntry
    const sentence = `${path} ${message}${message.endsWith('?') ? '' : '.'}`
    throw createProblem(code, advice === undefined ? sentence : `${sentence} ${advice}`, {
      errors: entries.map(({ issue }) => issue),
    })
  }
}
