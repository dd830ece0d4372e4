import { askQuestions, createRefusalResult } from '../../../tools/own/elicitation.ts'
import type { Tool } from '../../../tools/catalogue/catalogue.ts'
import { confirmArgument } from '../../../tools/arguments/arguments.ts'
import type { ToolArguments } from '../../../tools/arguments/request-factory.ts'
import type { Schema } from '../../../tools/openapi.ts'
import type { Problem } from '../../../tools/results/problems.ts'
import type { ApiRequest } from '../../../tools/results/api-request.ts'
import { hasCapabilities } from '../../../tools/own/required-capabilities.ts'
import { createFailureResult, type ToolResult } from '../../../tools/results/results.ts'
import { againArgument } from '../../../tools/arguments/once.ts'
import { withIdempotencyKey } from '../../api/idempotency.ts'
import { parseToolArguments, createApiRequest } from '../../api/call-arguments.ts'
import { MissingCapabilityError } from '../protocol-error.ts'
import { confirmCall, type ConfirmationServices } from './confirm-call.ts'
import type { MethodCall } from './method-call.ts'

const formCapability: Schema = { elicitation: { form: {} } }

/** A request that may be sent. */
export interface PreparedRequest {
  readonly request: ApiRequest
  /** True if the request changes nothing, but answers what it would change. */
  readonly isDryRun: boolean
  /** True if a seal confirmed the request, which counts once whatever the API answers. */
  readonly isSealed?: true
}

/** Returns whether the call of a tool depends on the client's capabilities. */
export const dependsOnClient = ({ operation, questions }: Tool) =>
  operation.needsConfirmation || operation.requiredCapabilities !== null || questions.length > 0

/**
 * Prepares the API request of a call. It checks the client's capabilities, validates the arguments, asks the person for
 * the values that only a person can give, and has the call confirmed if the operation needs that. If any of these
 * fails, it returns the result of the call instead.
 * @throws MissingCapabilityError, InputRequiredError
 */
export async function prepareRequest(
  tool: Tool,
  call: MethodCall,
  services: ConfirmationServices,
): Promise<PreparedRequest | { result: ToolResult }> {
  const { operation, questions, plan } = tool
  const { elicitInput } = call
  if (operation.requiredCapabilities && !hasCapabilities(call.capabilities, operation.requiredCapabilities))
    return createMissingCapabilityResult(operation.requiredCapabilities, call)
  if (questions.length > 0 && !elicitInput) return createMissingCapabilityResult(formCapability, call)
  const parsed = parseToolArguments(tool, call.params['arguments'] ?? {})
  if ('problem' in parsed) return createUnsentResult(parsed.problem)
  const elicited = elicitInput && questions.length > 0 ? await askQuestions(questions, elicitInput) : { given: {} }
  if ('silence' in elicited) return { result: createRefusalResult(elicited.silence) }
  const { args: callerArgs, confirm, isRepeated } = splitOwnArguments(tool, parsed.args)
  const args = questions.length > 0 ? { ...callerArgs, ...elicited.given } : callerArgs
  const request = createApiRequest(tool, args)
  if ('problem' in request) return createUnsentResult(request.problem)
  const isDryRun = plan.dryRunArgument !== null && args[plan.dryRunArgument] === true
  if (isDryRun) return { request, isDryRun }
  const keyed = { isRepeated, context: call.context }
  if (!operation.needsConfirmation) return { request: withIdempotencyKey(operation, request, keyed), isDryRun }
  const confirmed = await confirmCall(tool, call, { args, request, isRepeated, confirm }, services)
  if ('result' in confirmed) return confirmed
  return { ...confirmed, request: withIdempotencyKey(operation, confirmed.request, keyed), isDryRun }
}

/** Separates the arguments of the bridge from those of the operation, which are sent to the API. */
function splitOwnArguments({ plan }: Tool, args: ToolArguments) {
  const others = { ...args }
  const take = (name: string, isTaken: boolean) => {
    if (!isTaken) return undefined
    const value = others[name]
    delete others[name]
    return value
  }
  const confirm = take(confirmArgument, plan.takesConfirm)
  const isRepeated = take(againArgument, plan.takesAgain) === true
  return { args: others, confirm: typeof confirm === 'string' ? confirm : null, isRepeated }
}

const createUnsentResult = (problem: Problem) => ({
  result: createFailureResult(problem, { writes: false, unsent: true }),
})

/** Reports a missing capability: as a protocol error in the modern era, as a result in the session era. */
function createMissingCapabilityResult(required: Schema, { dialect }: MethodCall): { result: ToolResult } {
  const missing = new MissingCapabilityError(required)
  if (dialect.name === 'modern') throw missing
  return { result: { content: [{ type: 'text', text: `${missing.message}. Nothing was sent.` }], isError: true } }
}
