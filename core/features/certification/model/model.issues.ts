import type { Issue } from '../../../kernel/problem.ts'

/** Maximum number of issues that are reported for one document. */
const maxIssues = 100
/** Maximum length of a name in a path, because a name can be as long as the body. */
const maxNameLength = 100

/** The issues of a document, each with its path. */
export class IssueCollector {
  readonly issues: Issue[] = []

  add(path: string, code: string, message: string): void {
    if (this.issues.length < maxIssues) this.issues.push({ path, code, message })
  }
}

/**
 * Returns the path of a member or an item. In a document that is the whole body (path `body`), a member's path is its
 * name.
 */
export function joinPath(path: string, part: string | number): string {
  if (typeof part === 'number') return `${path}[${part}]`
  const name = part.slice(0, maxNameLength)
  return path === 'body' ? name : `${path}.${name}`
}
