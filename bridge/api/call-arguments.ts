import type { Tool } from '../../tools/catalogue/catalogue.ts'
import { isRecord } from '../../tools/openapi.ts'
import { ArgumentError, type ToolArguments } from '../../tools/arguments/request-factory.ts'
import { createArgumentsProblem, type Problem } from '../../tools/results/problems.ts'
import type { ApiRequest } from '../../tools/results/api-request.ts'
import type { Validator } from '../../tools/catalogue/validators.ts'
import { toIssues } from '../../tools/results/issues.ts'

/** Creates the API request of a call, or a problem if the arguments do not fit the path. @param args fit the schema */
export function createApiRequest(tool: Tool, args: ToolArguments): ApiRequest | { problem: Problem } {
  return catchArgumentErrors(() => tool.createRequest(args))
}

/** Returns the arguments if they fit the schema, otherwise a problem that lists the issues. */
export function parseArguments(validate: Validator, args: unknown): { args: ToolArguments } | { problem: Problem } {
  return catchArgumentErrors(() => {
    if (!isRecord(args)) throw new ArgumentError('arguments', 'must be an object')
    const errors = validate(args)
    return errors.length > 0 ? { problem: createArgumentsProblem(toIssues(errors)) } : { args }
  })
}

/** Runs `work` and turns its argument errors into a problem. */
function catchArgumentErrors<T>(work: () => T): T | { problem: Problem } {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof ArgumentError) return { problem: createArgumentsProblem(cause.issues) }
    if (cause instanceof RangeError)
      return {
        problem: createArgumentsProblem([{ path: 'arguments', code: 'depth', message: 'are nested too deeply' }]),
      }
    throw cause
  }
}
