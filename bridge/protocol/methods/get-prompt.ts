import { PromptArgumentError } from '../../../prompts/demo/argument-error.ts'
import { askQuestions, createRefusalResult, type ElicitationContent } from '../../../tools/own/elicitation.ts'
import type { Catalogue, PromptOperation, Tool } from '../../../tools/catalogue/catalogue.ts'
import type { Schema } from '../../../tools/openapi.ts'
import { toProblem, type Problem } from '../../../tools/results/problems.ts'
import { PromptAnswerError, parsePromptResult, type PromptResult } from '../../../tools/catalogue/prompt-operations.ts'
import type { ApiRequest } from '../../../tools/results/api-request.ts'
import { hasCapabilities } from '../../../tools/own/required-capabilities.ts'
import { parseArguments, createApiRequest } from '../../api/call-arguments.ts'
import { findOwnPrompt, parsePromptArguments, readPromptEntry, createPromptArgumentError } from '../../api/prompts.ts'
import { codes, MissingCapabilityError, ProtocolError } from '../protocol-error.ts'
import type { MethodCall, EraDialect, ApiOutcome } from './method-call.ts'
import { createRefusalError } from './refusal-error.ts'

type RequestSender = (request: ApiRequest) => Promise<ApiOutcome>

/** Answers `prompts/get`. @throws ProtocolError that names what is wrong; InputRequiredError */
export async function getPrompt(call: MethodCall, catalogue: Catalogue, send: RequestSender): Promise<PromptResult> {
  const { params, dialect } = call
  const entry = readPromptEntry(params['name'], catalogue)
  const textArguments = parsePromptArguments(entry, params['arguments'])
  const ownPromptOfCall = findOwnPrompt(entry.name, catalogue)
  if (ownPromptOfCall) return catchPromptArgumentErrors(() => ownPromptOfCall.createResult(textArguments, catalogue))
  const { tool } = catalogue.prompts.get(entry.name) as PromptOperation
  const toolArguments = throwProblem(parseArguments(tool.validateArguments, textArguments)).args
  const request = throwProblem(createApiRequest(tool, { ...toolArguments, ...(await elicitArguments(tool, call)) }))
  const { answer, problem } = await send(request)
  if (!answer) throw new ProtocolError(codes.internal, problem.detail, problem)
  // The code for a missing resource does not fit here: the client asked for a prompt.
  const known = { ...dialect, notFound: codes.invalidParams } as const
  if (answer.status < 200 || answer.status >= 300) throw createRefusalError(toProblem(answer), known)
  try {
    return parsePromptResult(answer)
  } catch (cause) {
    if (!(cause instanceof PromptAnswerError)) throw cause
    throw new ProtocolError(codes.internal, `The API answered something else than a prompt: ${cause.message}`)
  }
}

/** Asks the person for the arguments that only a person can give. @throws ProtocolError if no answer can be had */
async function elicitArguments(
  { operation, questions }: Tool,
  { elicitInput, capabilities, dialect }: MethodCall,
): Promise<ElicitationContent> {
  const { requiredCapabilities } = operation
  if (requiredCapabilities && !hasCapabilities(capabilities, requiredCapabilities))
    throw createMissingCapabilityError(requiredCapabilities, dialect)
  if (questions.length === 0) return {}
  if (!elicitInput) throw createMissingCapabilityError({ elicitation: { form: {} } }, dialect)
  const elicited = await askQuestions(questions, elicitInput)
  if ('given' in elicited) return elicited.given
  const { content, _meta } = createRefusalResult(elicited.silence)
  const [said] = content
  throw new ProtocolError(dialect.getRefusalCode(403), said?.type === 'text' ? said.text : '', _meta)
}

function createMissingCapabilityError(required: Schema, { name, getRefusalCode }: EraDialect): ProtocolError {
  const missing = new MissingCapabilityError(required)
  return name === 'modern' ? missing : new ProtocolError(getRefusalCode(403), missing.message, missing.data)
}

/** Runs one of the bridge's own prompts and converts its argument errors. @throws ProtocolError */
function catchPromptArgumentErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (!(cause instanceof PromptArgumentError)) throw cause
    throw new ProtocolError(codes.invalidParams, cause.message, { argument: cause.argument })
  }
}

function throwProblem<T extends object>(result: T | { problem: Problem }): T {
  if (!('problem' in result)) return result
  const [wrong] = result.problem.errors ?? []
  throw wrong
    ? createPromptArgumentError(wrong.path, wrong.message)
    : new ProtocolError(codes.invalidParams, result.problem.detail)
}
