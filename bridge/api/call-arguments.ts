import type { Tool } from '../../tools/catalogue/catalogue.ts'
import { isRecord } from '../../tools/openapi.ts'
import { ArgumentError, type ToolArguments } from '../../tools/arguments/request-factory.ts'
import { makesNew } from '../../tools/arguments/once.ts'
import { sortMembers } from '../../tools/json.ts'
import { createArgumentsProblem, type Problem } from '../../tools/results/problems.ts'
import type { ApiRequest } from '../../tools/results/api-request.ts'
import type { Validator } from '../../tools/catalogue/validators.ts'
import { toIssues } from '../../tools/results/issues.ts'
import { explainIssues } from '../../tools/search/explain-issues.ts'

/**
 * Creates the API request of a call, or a problem if the arguments do not fit the path. Calls that make something new
 * or are confirmed have equal requests for equal arguments, whatever their order; only sorters keep theirs.
 * @param args fit the schema
 */
export function createApiRequest(tool: Tool, args: ToolArguments): ApiRequest | { problem: Problem } {
  return catchArgumentErrors(() => tool.createRequest(isOnce(tool.operation) ? sortArguments(tool, args) : args))
}

/** The order of sorters decides which rows come first, and so what a call for one page changes. */
function sortArguments({ plan }: Tool, args: ToolArguments): ToolArguments {
  const sorters = plan.bindings.find((binding) => binding.to === 'query' && binding.parameter.name === 'sorters')
  const sorted = sortMembers(args) as ToolArguments
  return sorters && Object.hasOwn(args, sorters.argument)
    ? { ...sorted, [sorters.argument]: args[sorters.argument] }
    : sorted
}

const isOnce = (operation: Tool['operation']) => makesNew(operation) || operation.needsConfirmation

/** Returns the arguments if they fit the schema, otherwise a problem that lists the issues. */
export function parseArguments(validate: Validator, args: unknown): { args: ToolArguments } | { problem: Problem } {
  return catchArgumentErrors(() => {
    if (!isRecord(args)) throw new ArgumentError('arguments', 'must be an object')
    const errors = validate(args)
    return errors.length > 0 ? { problem: createArgumentsProblem(toIssues(errors)) } : { args }
  })
}

/** Parses the arguments of an operation. A problem says how each wrong one is put right. */
export function parseToolArguments(tool: Tool, args: unknown): ReturnType<typeof parseArguments> {
  const parsed = parseArguments(tool.validateArguments, args)
  if (!('problem' in parsed)) return parsed
  return { problem: { ...parsed.problem, errors: explainIssues(tool, parsed.problem.errors ?? []) } }
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
