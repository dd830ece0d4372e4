import type { Violation } from '../../kernel/problem.ts'

/** The most faults that are told of one document. */
const mostTold = 100
/** Characters of a name in a path: it can be as long as a body. */
const longestName = 100

/** What is wrong with a document, each with its place. */
export class Faults {
  readonly found: Violation[] = []

  add(path: string, code: string, message: string): void {
    if (this.found.length < mostTold) this.found.push({ path, code, message })
  }
}

/** The path of a member or of an element; what stands by itself in a body has the names of its members. */
export function below(path: string, part: string | number): string {
  if (typeof part === 'number') return `${path}[${part}]`
  const name = part.slice(0, longestName)
  return path === 'body' ? name : `${path}.${name}`
}
