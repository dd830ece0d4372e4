import type { Ask } from './asking.ts'
import type { ToolEntry } from './catalogue.ts'
import type { Arguments } from './prepare.ts'
import type { Problem } from './problems.ts'
import type { ToolResult } from './results.ts'
import type { Validator } from './validators.ts'

/** The API refused a read, or could not be read. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly problem: Problem
  /** The Retry-After header of the refusal. */
  readonly retryAfter: string | null

  constructor(problem: Problem, retryAfter: string | null = null) {
    super(problem.detail)
    this.problem = problem
    this.retryAfter = retryAfter
  }
}

/** The JSON at a path of the API, as this caller may see it. Throws Refusal. */
export type Read = (path: string) => Promise<unknown>

/** A tool that is no operation of the API. */
export interface OwnTool {
  readonly entry: ToolEntry
  readonly validate: Validator
  /**
   * Throws Refusal.
   * @param args fit the input schema.
   * @param ask null where the client cannot ask people.
   */
  readonly call: (args: Arguments, read: Read, ask: Ask | null) => Promise<ToolResult>
}
