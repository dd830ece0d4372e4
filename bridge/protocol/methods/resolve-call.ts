import type { Catalogue } from '../../../tools/catalogue/catalogue.ts'
import { getReachableView, getVisibleTools } from '../../../tools/catalogue/visible-tools.ts'
import { isRecord } from '../../../tools/openapi.ts'
import { callOperationName } from '../../../tools/search/search-tools.ts'
import type { MethodCall } from './method-call.ts'

/** The parts of a call that say what is called. */
export type CallTarget = Pick<MethodCall, 'view' | 'dialect' | 'params'>

/**
 * Resolves a call of `call_operation` to the call of the operation that its arguments name, in the view that has it.
 * All other calls stay unchanged, and so does one that names nothing: the tool itself then says what is wrong.
 */
export function resolveCall<Target extends CallTarget>(call: Target, catalogue: Catalogue): Target {
  const { name, arguments: args } = call.params
  if (!call.view.search || name !== callOperationName || !isRecord(args)) return call
  const { name: operation, arguments: operationArguments = {}, ...others } = args
  if (typeof operation !== 'string' || !isRecord(operationArguments) || Object.keys(others).length > 0) return call
  const view = getReachableView(call.view)
  if (!getVisibleTools(catalogue, view, call.dialect.name).has(operation)) return call
  return { ...call, view, params: { ...call.params, name: operation, arguments: operationArguments } }
}
