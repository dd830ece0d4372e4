import { randomBytes } from 'node:crypto'
import {
  createChangedQuestion,
  createRepeatedQuestion,
  InputRequiredError,
  type ElicitationAnswer,
  type InputElicitor,
  type ElicitationContent,
  type ElicitationQuestion,
} from '../../../tools/own/elicitation.ts'
import { isRecord, type Schema } from '../../../tools/openapi.ts'
import type { ClientCapabilities } from '../methods/method-call.ts'
import { noMetrics, type Metrics } from '../../shared/metrics.ts'
import { codes, ProtocolError } from '../protocol-error.ts'
import { digestArguments } from '../../shared/digest.ts'
import type { Sealer } from '../../shared/seal.ts'
import type { SharedState } from '../../shared/shared-state.ts'
import {
  parseElicitationAnswer,
  createElicitationParams,
  elicitationTimeoutSeconds,
  canShowForms,
} from '../elicitation.ts'
import { modernRevision } from '../detect-era.ts'

/** One request of a call that may need several requests. */
export interface RoundTrip {
  /** Null if the client cannot ask people. */
  readonly elicitInput: InputElicitor | null
  /** Creates the result that asks for input in place of the answer. */
  readonly toInputRequired: (cause: InputRequiredError) => Schema
}

/** The content of a sealed state. The binding of the seal says for which call it was made. */
interface RequestState {
  /** A random text that is used once, so that a confirmation counts only once. */
  readonly nonce: string
  /** The key of the question that came with this state. */
  readonly key: string
  /** The digest of what the question was about; absent if it was about nothing that changes. */
  readonly digest?: string
  /** The answers to earlier questions, by key. */
  readonly answers: Readonly<Record<string, ElicitationContent>>
}

type MethodParams = Readonly<Record<string, unknown>>

/**
 * Questions to people. A call ends with each question and begins again with its answer. Nothing is kept here in
 * between: the client carries a sealed state, which opens only for the same caller, method, name and arguments, and
 * only for some minutes. Source: MCP 2026-07-28, multi round-trip requests.
 */
export class RoundTrips {
  readonly #sealer: Sealer
  readonly #shared: SharedState
  readonly #metrics: Metrics

  constructor(sealer: Sealer, shared: SharedState, metrics: Metrics = noMetrics) {
    this.#sealer = sealer
    this.#shared = shared
    this.#metrics = metrics
  }

  /**
   * Creates the round trip of one request.
   * @param callerHash a hash of the caller's credentials
   * @throws ProtocolError for a state that is not ours, belongs to another call or is too old, and for invalid answers
   */
  createRoundTrip(
    method: 'tools/call' | 'prompts/get',
    params: MethodParams,
    callerHash: string,
    capabilities: ClientCapabilities,
  ): RoundTrip {
    const responses = params['inputResponses']
    if (responses !== undefined && !isRecord(responses))
      throw new ProtocolError(codes.invalidParams, 'params.inputResponses must be an object')
    const getBinding = () => createBinding(callerHash, method, params)
    const state =
      params['requestState'] === undefined ? null : this.#openRequestState(params['requestState'], getBinding())
    const answers: Record<string, ElicitationContent> = { ...state?.answers }
    const takeAnswer = (question: ElicitationQuestion) => this.#takeAnswer(question, state, answers, responses ?? {})
    return {
      elicitInput: canShowForms(capabilities) ? takeAnswer : null,
      toInputRequired: ({ question }) => this.#createInputRequired(question, answers, getBinding()),
    }
  }

  #openRequestState(text: unknown, bind: string): RequestState {
    const state = typeof text === 'string' ? this.#sealer.open('state', text, bind) : undefined
    if (isRecord(state)) return state as unknown as RequestState
    throw createStateError('params.requestState is not one of this call, or too old: call again without it to ask anew')
  }

  /** @param answers the answers so far; this function adds the new one */
  async #takeAnswer(
    question: ElicitationQuestion,
    state: RequestState | null,
    answers: Record<string, ElicitationContent>,
    responses: MethodParams,
  ): Promise<ElicitationAnswer> {
    const { key, requiresState, digest } = question
    const earlierAnswer = Object.hasOwn(answers, key) ? answers[key] : undefined
    const response = Object.hasOwn(responses, key) ? parseElicitationAnswer(responses[key]) : null
    const answer: ElicitationAnswer | null =
      earlierAnswer === undefined ? response : { action: 'accept', content: earlierAnswer }
    if (answer === null) throw new InputRequiredError(question)
    const wasElicited = state !== null && state.key === key
    if (wasElicited && state.digest !== digest && answer.action === 'accept')
      throw new InputRequiredError(createChangedQuestion(question))
    if (requiresState && earlierAnswer === undefined && !wasElicited) throw new InputRequiredError(question)
    if (earlierAnswer === undefined) this.#metrics.recordElicitation(answer.action)
    if (answer.action !== 'accept') return answer
    const issues = question.validateContent(answer.content)
    if (issues.length > 0) throw new InputRequiredError(createRepeatedQuestion(question, issues))
    if (
      requiresState
      && earlierAnswer === undefined
      && wasElicited
      && !(await this.#shared.claimOnce(`state:${state.nonce}`, elicitationTimeoutSeconds))
    )
      throw createStateError('params.requestState was used before: call again without it to ask anew')
    answers[key] = answer.content
    return state === null ? answer : { ...answer, id: state.nonce }
  }

  #createInputRequired(
    question: ElicitationQuestion,
    answers: Readonly<Record<string, ElicitationContent>>,
    bind: string,
  ): Schema {
    const { key, digest } = question
    const nonce = randomBytes(12).toString('base64url')
    const state: RequestState = { nonce, key, ...(digest !== undefined && { digest }), answers }
    return {
      resultType: 'input_required',
      inputRequests: {
        [question.key]: { method: 'elicitation/create', params: createElicitationParams(question, modernRevision) },
      },
      requestState: this.#sealer.seal('state', state, elicitationTimeoutSeconds, bind),
    }
  }
}

const createStateError = (message: string) =>
  new ProtocolError(codes.invalidParams, message, { reason: 'invalid_request_state' })

/** Returns the binding of a state: the caller, the method, the name and the arguments in any order. */
function createBinding(callerHash: string, method: string, params: MethodParams): string {
  try {
    return JSON.stringify([callerHash, method, params['name'], digestArguments(params['arguments'] ?? {})])
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new ProtocolError(codes.invalidParams, 'params.arguments are nested too deeply')
  }
}
