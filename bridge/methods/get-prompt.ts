import { PromptArgumentError } from '../../prompts/prompt.ts'
import { askAll, unanswered, type Content } from '../../tools/asking.ts'
import type { Catalogue, PromptOperation, Tool } from '../../tools/catalogue.ts'
import type { Schema } from '../../tools/openapi.ts'
import { problemOf, type Problem } from '../../tools/problems.ts'
import { PromptAnswerError, promptResult, type PromptResult } from '../../tools/prompt-operations.ts'
import type { ApiRequest } from '../../tools/request.ts'
import { declares } from '../../tools/requires.ts'
import { argumentsOf, requestOf } from '../call-arguments.ts'
import { ownPrompt, promptArguments, promptEntry, wrongArgument } from '../prompts.ts'
import { codes, MissingCapability, ProtocolError } from '../protocol-error.ts'
import type { Call, Dialect, Outcome } from './call.ts'
import { refusal } from './refusal.ts'

type Send = (request: ApiRequest) => Promise<Outcome>

/** The answer to `prompts/get`. Throws ProtocolError that names what is wrong, and InputNeeded. */
export async function getPrompt(call: Call, catalogue: Catalogue, send: Send): Promise<PromptResult> {
  const { params, dialect } = call
  const entry = promptEntry(params['name'], catalogue)
  const given = promptArguments(entry, params['arguments'])
  const own = ownPrompt(entry.name)
  if (own) return fitting(() => own.write(given, catalogue))
  const { tool } = catalogue.prompts.get(entry.name) as PromptOperation
  const fit = orThrow(argumentsOf(tool.validate, given)).args
  const request = orThrow(requestOf(tool, { ...fit, ...(await asked(tool, call)) }))
  const { answer, problem } = await send(request)
  if (!answer) throw new ProtocolError(codes.internal, problem.detail, problem)
  // A resource is what has a code of its own where there is none.
  const known = { ...dialect, notFound: codes.invalidParams } as const
  if (answer.status < 200 || answer.status >= 300) throw refusal(problemOf(answer), known)
  try {
    return promptResult(answer)
  } catch (cause) {
    if (!(cause instanceof PromptAnswerError)) throw cause
    throw new ProtocolError(codes.internal, `The API answered something else than a prompt: ${cause.message}`)
  }
}

/** What only the person can say. Throws ProtocolError where nobody can be asked or the person does not say it. */
async function asked({ operation, questions }: Tool, { ask, capabilities, dialect }: Call): Promise<Content> {
  const { requires } = operation
  if (requires && !declares(capabilities, requires)) throw lacking(requires, dialect)
  if (questions.length === 0) return {}
  if (!ask) throw lacking({ elicitation: { form: {} } }, dialect)
  const answered = await askAll(questions, ask)
  if ('given' in answered) return answered.given
  const { content, _meta } = unanswered(answered.silence)
  const [said] = content
  throw new ProtocolError(dialect.refused(403), said?.type === 'text' ? said.text : '', _meta)
}

function lacking(required: Schema, { name, refused }: Dialect): ProtocolError {
  const missing = new MissingCapability(required)
  return name === 'modern' ? missing : new ProtocolError(refused(403), missing.message, missing.data)
}

/** What a prompt of ours writes. */
function fitting<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (!(cause instanceof PromptArgumentError)) throw cause
    throw new ProtocolError(codes.invalidParams, cause.message, { argument: cause.argument })
  }
}

function orThrow<T extends object>(found: T | { problem: Problem }): T {
  if (!('problem' in found)) return found
  const [wrong] = found.problem.errors ?? []
  throw wrong ? wrongArgument(wrong.path, wrong.message) : new ProtocolError(codes.invalidParams, found.problem.detail)
}
