import { askQuestions, createRefusalResult } from '../../../tools/own/elicitation.ts'
import type { Tool } from '../../../tools/catalogue/catalogue.ts'
import { createConfirmationQuestion, getConfirmationRefusal } from '../../../tools/own/confirmation.ts'
import type { Schema } from '../../../tools/openapi.ts'
import type { Problem } from '../../../tools/results/problems.ts'
import type { ApiRequest } from '../../../tools/results/api-request.ts'
import { hasCapabilities } from '../../../tools/own/required-capabilities.ts'
import { createFailureResult, type ToolResult } from '../../../tools/results/results.ts'
import { parseArguments, createApiRequest } from '../../api/call-arguments.ts'
import { MissingCapabilityError } from '../protocol-error.ts'
import type { MethodCall } from './method-call.ts'

const formCapability: Schema = { elicitation: { form: {} } }

/** Returns whether the call of a tool depends on the client's capabilities. */
export const dependsOnClient = ({ operation, questions }: Tool) =>
  operation.needsConfirmation || operation.requiredCapabilities !== null || questions.length > 0

/**
 * Prepares the API request of a call. It checks the client's capabilities, validates the arguments, asks the person for
 * the values that only a person can give, and asks for a confirmation if the operation needs one. If any of these
 * fails, it returns the result of the call instead.
 * @throws MissingCapabilityError, InputRequiredError
 */
export async function prepareRequest(
  tool: Tool,
  call: MethodCall,
): Promise<{ request: ApiRequest } | { result: ToolResult }> {
  const { operation, questions, plan } = tool
  const { elicitInput } = call
  if (operation.requiredCapabilities && !hasCapabilities(call.capabilities, operation.requiredCapabilities))
    return createMissingCapabilityResult(operation.requiredCapabilities, call)
  if (questions.length > 0 && !elicitInput) return createMissingCapabilityResult(formCapability, call)
  const parsed = parseArguments(tool.validateArguments, call.params['arguments'] ?? {})
  if ('problem' in parsed) return createUnsentResult(parsed.problem)
  const elicited = elicitInput && questions.length > 0 ? await askQuestions(questions, elicitInput) : { given: {} }
  if ('silence' in elicited) return { result: createRefusalResult(elicited.silence) }
  const args = questions.length > 0 ? { ...parsed.args, ...elicited.given } : parsed.args
  const request = createApiRequest(tool, args)
  if ('problem' in request) return createUnsentResult(request.problem)
  if (operation.needsConfirmation && elicitInput) {
    const silence = getConfirmationRefusal(
      await elicitInput(createConfirmationQuestion(operation, plan.bindings, args)),
    )
    if (silence) return { result: createRefusalResult(silence) }
  }
  return { request }
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
