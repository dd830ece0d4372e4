import { createHash, randomBytes } from 'node:crypto'
import { askedAgain, InputNeeded, type Answer, type Ask, type Content, type Question } from '../../../tools/asking.ts'
import { isRecord, type Schema } from '../../../tools/openapi.ts'
import type { Capabilities } from '../../methods/call.ts'
import { unmeasured, type Metrics } from '../../metrics.ts'
import { codes, ProtocolError } from '../../protocol-error.ts'
import type { Sealer } from '../../seal.ts'
import type { Shared } from '../../shared.ts'
import { answerOf, formOf, patience, takesForms } from '../ask.ts'
import { modernRevision } from '../classify.ts'

/** One request of a call that may take several. */
export interface Round {
  /** Null where the client cannot ask people. */
  readonly ask: Ask | null
  /** The result in place of an answer, for what a call threw. */
  readonly needed: (cause: InputNeeded) => Schema
}

/** What a state holds: whom it was made for is its binding. */
interface State {
  /** Once, so that a confirmation counts once. */
  readonly nonce: string
  /** What was asked with it. */
  readonly key: string
  /** What was answered before, by key. */
  readonly answers: Readonly<Record<string, Content>>
}

type Params = Readonly<Record<string, unknown>>

/**
 * Questions of a call that ends with each of them and begins again with its answer. Nothing is kept here between the
 * two: the client carries a sealed state, which opens for the same caller, method, name and arguments for some minutes.
 * Source: MCP 2026-07-28, multi round-trip requests.
 */
export class Rounds {
  readonly #sealer: Sealer
  readonly #shared: Shared
  readonly #metrics: Metrics

  constructor(sealer: Sealer, shared: Shared, metrics: Metrics = unmeasured) {
    this.#sealer = sealer
    this.#shared = shared
    this.#metrics = metrics
  }

  /**
   * @param owner stands for the caller's credentials
   * @throws ProtocolError for a state that is not ours, not of this call or too old, and answers that are none
   */
  of(method: 'tools/call' | 'prompts/get', params: Params, owner: string, capabilities: Capabilities): Round {
    const responses = params['inputResponses']
    if (responses !== undefined && !isRecord(responses))
      throw new ProtocolError(codes.invalidParams, 'params.inputResponses must be an object')
    const bind = () => binding(owner, method, params)
    const state = params['requestState'] === undefined ? null : this.#open(params['requestState'], bind())
    const answers: Record<string, Content> = { ...state?.answers }
    const take = (question: Question) => this.#take(question, state, answers, responses ?? {})
    return {
      ask: takesForms(capabilities) ? take : null,
      needed: ({ question }) => this.#needed(question, answers, bind()),
    }
  }

  #open(text: unknown, bind: string): State {
    const state = typeof text === 'string' ? this.#sealer.open('state', text, bind) : undefined
    if (isRecord(state)) return state as unknown as State
    throw invalid('params.requestState is not one of this call, or too old: call again without it to ask anew')
  }

  /** @param answers what was answered so far; it grows */
  async #take(
    question: Question,
    state: State | null,
    answers: Record<string, Content>,
    responses: Params,
  ): Promise<Answer> {
    const { key, bound } = question
    const before = Object.hasOwn(answers, key) ? answers[key] : undefined
    const response = Object.hasOwn(responses, key) ? answerOf(responses[key]) : null
    const answer: Answer | null = before === undefined ? response : { action: 'accept', content: before }
    if (answer === null) throw new InputNeeded(question)
    const asked = state !== null && state.key === key
    if (bound && before === undefined && !asked) throw new InputNeeded(question)
    if (before === undefined) this.#metrics.asked(answer.action)
    if (answer.action !== 'accept') return answer
    const wrong = question.judge(answer.content)
    if (wrong.length > 0) throw new InputNeeded(askedAgain(question, wrong))
    if (bound && before === undefined && asked && !(await this.#shared.once(`state:${state.nonce}`, patience)))
      throw invalid('params.requestState was used before: call again without it to ask anew')
    answers[key] = answer.content
    return answer
  }

  #needed(question: Question, answers: Readonly<Record<string, Content>>, bind: string): Schema {
    const state: State = { nonce: randomBytes(12).toString('base64url'), key: question.key, answers }
    return {
      resultType: 'input_required',
      inputRequests: { [question.key]: { method: 'elicitation/create', params: formOf(question, modernRevision) } },
      requestState: this.#sealer.seal('state', state, patience, bind),
    }
  }
}

const invalid = (message: string) =>
  new ProtocolError(codes.invalidParams, message, { reason: 'invalid_request_state' })

/** The call a state is for: whose, of what, with which arguments, in whichever order they are written. */
function binding(owner: string, method: string, params: Params): string {
  try {
    const given = JSON.stringify(sorted(params['arguments'] ?? {}))
    return JSON.stringify([owner, method, params['name'], createHash('sha256').update(given).digest('base64url')])
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new ProtocolError(codes.invalidParams, 'params.arguments are nested too deeply')
  }
}

/** Members in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  )
}
