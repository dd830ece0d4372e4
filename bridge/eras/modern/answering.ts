import { InputNeeded, type Ask } from '../../../tools/asking.ts'
import { isRecord, type Schema } from '../../../tools/openapi.ts'
import type { Progress } from '../../follow-job.ts'
import { modernDialect, type Call, type CallOutcome, type Capabilities } from '../../methods/call.ts'
import { listNames, type ListName, type Methods } from '../../methods/methods.ts'
import { codes, ProtocolError } from '../../protocol-error.ts'
import type { View } from '../../view.ts'
import { envelopeKeys } from '../classify.ts'
import type { Incoming } from '../era.ts'
import type { Answered, Cached, Result } from './answer.ts'
import { checkParameters } from './headers.ts'
import { traced } from './trace.ts'

/** Questions to people, who answer in a later request. Source: MCP 2026-07-28, multi round-trip requests. */
export interface Asking {
  /** Throws ProtocolError for answers that are not right. */
  of(method: 'tools/call' | 'prompts/get', params: Schema, owner: string, capabilities: Capabilities): AskingRound
}

export interface AskingRound {
  /** Null where the client cannot ask. */
  readonly ask: Ask | null
  /** What the client gets in place of the result. */
  needed(cause: InputNeeded): Result
}

/** Calls that go on after they were answered. Source: SEP-2663. */
export interface TaskMethods {
  /** Throws ProtocolError, MissingCapability. */
  answer(method: TaskMethod, call: Call): Promise<Result>
  started(outcome: Extract<CallOutcome, { is: 'task' }>, call: Call): Result
}
export type TaskMethod = 'tasks/get' | 'tasks/update' | 'tasks/cancel'

/** One request: what is asked, and how its sender is reached until it is answered. */
export interface Asked {
  readonly method: string
  readonly params: Schema
  readonly capabilities: Capabilities
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  /** Null where the client did not ask for progress. */
  readonly tell: ((progress: Progress) => Promise<void>) | null
}

/** The document is looked at each minute. In milliseconds. */
const listedFor = 60_000
const shared: Cached = { ttlMs: listedFor, cacheScope: 'public' }
/** What a caller reads is the caller's own, and may be another the next moment. */
const own: Cached = { ttlMs: 0, cacheScope: 'private' }

/** A cache knows what was asked by the body alone: what depends on a header too is not for others. */
export const listed = ({ byHeader }: Pick<View, 'byHeader'>): Cached =>
  byHeader ? { ...shared, cacheScope: 'private' } : shared

const isList = (method: string): method is ListName => (listNames as readonly string[]).includes(method)

const nobody: AskingRound = {
  ask: null,
  needed: (cause) => {
    throw cause
  },
}

/** What each method of the revision answers, whichever way a request took to here. */
export class Answering {
  readonly #methods: Methods
  readonly #asking: Asking | null
  readonly #tasks: TaskMethods | null

  constructor(methods: Methods, asking: Asking | null, tasks: TaskMethods | null) {
    this.#methods = methods
    this.#asking = asking
    this.#tasks = tasks
  }

  /** Whether a client takes a task in place of a result. It is told no progress then. */
  takesTasks({ extensions }: Capabilities): boolean {
    return this.#tasks !== null && isRecord(extensions) && isRecord(extensions[envelopeKeys.tasks])
  }

  /** Throws ProtocolError. */
  async answer(incoming: Incoming, asked: Asked): Promise<Answered> {
    const { method, params } = asked
    if (method === 'tools/call' || method === 'prompts/get')
      return { result: await this.#ask(method, incoming, asked), cached: null }
    const call = this.#call(incoming, asked, null)
    if (isList(method)) return { result: this.#methods.list(method, call), cached: listed(incoming.view) }
    switch (method) {
      case 'resources/read': {
        const result = await this.#methods.readResource(call)
        return { result, cached: this.#methods.isSchema(params['uri']) ? shared : own }
      }
      case 'completion/complete':
        return { result: { ...(await this.#methods.complete(call)) }, cached: null }
      case 'tasks/get':
      case 'tasks/update':
      case 'tasks/cancel':
        if (this.#tasks) return { result: await this.#tasks.answer(method, call), cached: null }
    }
    throw new ProtocolError(codes.methodNotFound, 'Method not found')
  }

  /** The methods that may ask people before they answer. */
  async #ask(method: 'tools/call' | 'prompts/get', incoming: Incoming, asked: Asked): Promise<Result> {
    const { params, capabilities } = asked
    const round = this.#asking?.of(method, params, incoming.exchange.owner, capabilities) ?? nobody
    const call = this.#call(incoming, asked, round.ask)
    try {
      if (method === 'tools/call') return await this.#callTool(incoming, call)
      return { ...(await this.#methods.getPrompt(call)) }
    } catch (cause) {
      if (cause instanceof InputNeeded) return round.needed(cause)
      throw cause
    }
  }

  async #callTool({ request }: Incoming, call: Call): Promise<Result> {
    const { name, arguments: args } = call.params
    checkParameters(this.#methods.headerParameters(name, call), args, request.headers)
    const outcome = await this.#methods.callTool(call)
    if (outcome.is === 'complete') return outcome.result
    return this.#tasks ? this.#tasks.started(outcome, call) : outcome.result
  }

  #call({ exchange, view }: Incoming, { params, capabilities, signal, tell }: Asked, ask: Ask | null): Call {
    const tasks = this.takesTasks(capabilities)
    const whose = traced(exchange, params)
    return { exchange: whose, view, params, signal, tell, ask, tasks, capabilities, dialect: modernDialect }
  }
}
