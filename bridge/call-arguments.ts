import type { Tool } from '../tools/catalogue.ts'
import { isRecord } from '../tools/openapi.ts'
import { ArgumentError, type Arguments } from '../tools/prepare.ts'
import { wrongArguments, type Problem } from '../tools/problems.ts'
import type { ApiRequest } from '../tools/request.ts'
import type { Validator } from '../tools/validators.ts'
import { violations } from '../tools/violations.ts'

/** The request of a call, or what does not fit its address. @param args fit the schema */
export function requestOf(tool: Tool, args: Arguments): ApiRequest | { problem: Problem } {
  return fittingOr(() => tool.prepare(args))
}

/** The arguments as the schema takes them, or what is wrong with them. */
export function argumentsOf(validate: Validator, given: unknown): { args: Arguments } | { problem: Problem } {
  const value = given ?? {}
  return fittingOr(() => {
    if (!isRecord(value)) throw new ArgumentError('arguments', 'must be an object')
    const errors = validate(value)
    return errors.length > 0 ? { problem: wrongArguments(violations(errors)) } : { args: value }
  })
}

/** What the work gives, or what is wrong with the arguments it was given. */
function fittingOr<T>(work: () => T): T | { problem: Problem } {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof ArgumentError) return { problem: wrongArguments(cause.violations) }
    if (cause instanceof RangeError)
      return { problem: wrongArguments([{ path: 'arguments', code: 'depth', message: 'are nested too deeply' }]) }
    throw cause
  }
}
