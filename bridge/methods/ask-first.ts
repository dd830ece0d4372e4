import { askAll, unanswered } from '../../tools/asking.ts'
import type { Tool } from '../../tools/catalogue.ts'
import { confirmQuestion, notConfirmed } from '../../tools/confirming.ts'
import type { Schema } from '../../tools/openapi.ts'
import type { Problem } from '../../tools/problems.ts'
import type { ApiRequest } from '../../tools/request.ts'
import { declares } from '../../tools/requires.ts'
import { failure, type ToolResult } from '../../tools/results.ts'
import { argumentsOf, requestOf } from '../call-arguments.ts'
import { MissingCapability } from '../protocol-error.ts'
import type { Call } from './call.ts'

const form: Schema = { elicitation: { form: {} } }

/** Whether a call of it is another one for a client that can do more. */
export const dependsOnClient = ({ operation, questions }: Tool) =>
  operation.confirm || operation.requires !== null || questions.length > 0

/**
 * The request of a call, when everything that has to be there before it is sent is there: what the client must be able
 * to do, arguments that fit, what only the person can say, and that the person wants it. Else the result.
 * Throws MissingCapability, InputNeeded.
 */
export async function askFirst(tool: Tool, call: Call): Promise<{ request: ApiRequest } | { result: ToolResult }> {
  const { operation, questions, plan } = tool
  const { ask } = call
  if (operation.requires && !declares(call.capabilities, operation.requires)) return lacking(operation.requires, call)
  if (questions.length > 0 && !ask) return lacking(form, call)
  const found = argumentsOf(tool.validate, call.params['arguments'])
  if ('problem' in found) return unsent(found.problem)
  const asked = ask && questions.length > 0 ? await askAll(questions, ask) : { given: {} }
  if ('silence' in asked) return { result: unanswered(asked.silence) }
  const args = questions.length > 0 ? { ...found.args, ...asked.given } : found.args
  const request = requestOf(tool, args)
  if ('problem' in request) return unsent(request.problem)
  if (operation.confirm && ask) {
    const silence = notConfirmed(await ask(confirmQuestion(operation, plan.bindings, args)))
    if (silence) return { result: unanswered(silence) }
  }
  return { request }
}

const unsent = (problem: Problem) => ({ result: failure(problem, { writes: false, unsent: true }) })

/** Said by an error of the protocol where the revision has one, else by a result. */
function lacking(required: Schema, { dialect }: Call): { result: ToolResult } {
  const missing = new MissingCapability(required)
  if (dialect.name === 'modern') throw missing
  return { result: { content: [{ type: 'text', text: `${missing.message}. Nothing was sent.` }], isError: true } }
}
