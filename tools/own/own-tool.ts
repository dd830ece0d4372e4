import type { InputElicitor } from './elicitation.ts'
import type { ToolEntry } from '../catalogue/catalogue.ts'
import type { ToolArguments } from '../arguments/request-factory.ts'
import type { Problem } from '../results/problems.ts'
import type { ToolResult } from '../results/results.ts'
import type { Validator } from '../catalogue/validators.ts'

/** The API refused a read, or could not be reached. */
export class ReadRefusedError extends Error {
  override name = 'ReadRefusedError'
  readonly problem: Problem
  /** The Retry-After header of the refusal. */
  readonly retryAfter: string | null

  constructor(problem: Problem, retryAfter: string | null = null) {
    super(problem.detail)
    this.problem = problem
    this.retryAfter = retryAfter
  }
}

/** Reads the JSON at a path of the API with the caller's rights. @throws ReadRefusedError */
export type ApiReader = (path: string) => Promise<unknown>

/** A tool of the bridge itself, which is not an operation of the API. */
export interface OwnTool {
  readonly entry: ToolEntry
  readonly validateArguments: Validator
  /** True if a call may ask a person. */
  readonly canElicit: boolean
  /**
   * Calls the tool. Throws ReadRefusedError.
   * @param args the arguments, which fit the input schema
   * @param elicitInput null if the client cannot ask people
   */
  readonly callTool: (args: ToolArguments, readApi: ApiReader, elicitInput: InputElicitor | null) => Promise<ToolResult>
}
