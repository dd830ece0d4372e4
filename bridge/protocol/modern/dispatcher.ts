import { InputRequiredError, type InputElicitor } from '../../../tools/own/elicitation.ts'
import { isRecord, type Schema } from '../../../tools/openapi.ts'
import type { Progress } from '../../api/follow-job.ts'
import {
  modernDialect,
  type MethodCall,
  type ToolCallOutcome,
  type ClientCapabilities,
} from '../methods/method-call.ts'
import { listNames, type ListName, type McpMethods } from '../methods/methods.ts'
import { codes, ProtocolError } from '../protocol-error.ts'
import type { CatalogueView } from '../../access/catalogue-view.ts'
import { envelopeKeys } from '../detect-era.ts'
import type { IncomingRequest } from '../era.ts'
import type { MethodResult, CacheHints, Result } from './responses.ts'
import { assertHeaderParameters } from './headers.ts'
import { withClientTrace } from './trace.ts'

/**
 * Creates the round trips in which people answer questions in a later request. Source: MCP 2026-07-28, multi round-trip
 * requests.
 */
export interface RoundTripFactory {
  /** @throws ProtocolError for invalid answers */
  createRoundTrip(
    method: 'tools/call' | 'prompts/get',
    params: Schema,
    callerHash: string,
    capabilities: ClientCapabilities,
  ): RoundTrip
}

export interface RoundTrip {
  /** Null if the client cannot ask people. */
  readonly elicitInput: InputElicitor | null
  /** Creates the result that asks for input in place of the answer. */
  toInputRequired(cause: InputRequiredError): Result
}

/** The methods for calls that go on after their answer. Source: SEP-2663. */
export interface TaskMethods {
  /** @throws ProtocolError, MissingCapabilityError */
  answer(method: TaskMethodName, call: MethodCall): Promise<Result>
  createTaskResult(outcome: Extract<ToolCallOutcome, { is: 'task' }>, call: MethodCall): Result
}
export type TaskMethodName = 'tasks/get' | 'tasks/update' | 'tasks/cancel'

/** One request: its method and parameters, and how to reach its sender until it is answered. */
export interface MethodRequest {
  readonly method: string
  readonly params: Schema
  readonly capabilities: ClientCapabilities
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  /** Null if the client did not ask for progress. */
  readonly notifyProgress: ((progress: Progress) => Promise<void>) | null
}

/** How long clients may keep lists, in milliseconds. The bridge checks the document each minute. */
const listTtlMs = 60_000
const sharedCacheHints: CacheHints = { ttlMs: listTtlMs, cacheScope: 'public' }
/** The hints for what a caller reads: it is private, and it may change at any moment. */
const privateCacheHints: CacheHints = { ttlMs: 0, cacheScope: 'private' }

/** Returns the hints for a list. Caches know only the body, so a list that depends on a header is private. */
export const getListCacheHints = ({ byHeader }: Pick<CatalogueView, 'byHeader'>): CacheHints =>
  byHeader ? { ...sharedCacheHints, cacheScope: 'private' } : sharedCacheHints

const isList = (method: string): method is ListName => (listNames as readonly string[]).includes(method)

const noRoundTrip: RoundTrip = {
  elicitInput: null,
  toInputRequired: (cause) => {
    throw cause
  },
}

/** Answers each method of the modern revision, for requests that came through the SDK and those that did not. */
export class MethodDispatcher {
  readonly #methods: McpMethods
  readonly #roundTrips: RoundTripFactory | null
  readonly #tasks: TaskMethods | null

  constructor(methods: McpMethods, roundTrips: RoundTripFactory | null, tasks: TaskMethods | null) {
    this.#methods = methods
    this.#roundTrips = roundTrips
    this.#tasks = tasks
  }

  /** Returns whether a client accepts a task in place of a result. Such a client gets no progress. */
  canTakeTasks({ extensions }: ClientCapabilities): boolean {
    return this.#tasks !== null && isRecord(extensions) && isRecord(extensions[envelopeKeys.tasks])
  }

  /** @throws ProtocolError */
  async answer(incoming: IncomingRequest, methodRequest: MethodRequest): Promise<MethodResult> {
    const { method, params } = methodRequest
    if (method === 'tools/call' || method === 'prompts/get')
      return { result: await this.#answerAsking(method, incoming, methodRequest), cacheHints: null }
    const call = this.#createCall(incoming, methodRequest, null)
    if (isList(method))
      return { result: this.#methods.getList(method, call), cacheHints: getListCacheHints(incoming.view) }
    switch (method) {
      case 'resources/read': {
        const result = await this.#methods.readResource(call)
        return { result, cacheHints: this.#methods.isOwnUri(params['uri']) ? sharedCacheHints : privateCacheHints }
      }
      case 'completion/complete':
        return { result: { ...(await this.#methods.completeArgument(call)) }, cacheHints: null }
      case 'tasks/get':
      case 'tasks/update':
      case 'tasks/cancel':
        if (this.#tasks) return { result: await this.#tasks.answer(method, call), cacheHints: null }
    }
    throw new ProtocolError(codes.methodNotFound, 'Method not found')
  }

  /** Answers the methods that may ask people before they answer. */
  async #answerAsking(
    method: 'tools/call' | 'prompts/get',
    incoming: IncomingRequest,
    methodRequest: MethodRequest,
  ): Promise<Result> {
    const { params, capabilities } = methodRequest
    const roundTrip =
      this.#roundTrips?.createRoundTrip(method, params, incoming.context.callerHash, capabilities) ?? noRoundTrip
    const call = this.#createCall(incoming, methodRequest, roundTrip.elicitInput)
    try {
      if (method === 'tools/call') return await this.#callTool(incoming, call)
      return { ...(await this.#methods.getPrompt(call)) }
    } catch (cause) {
      if (cause instanceof InputRequiredError) return roundTrip.toInputRequired(cause)
      throw cause
    }
  }

  async #callTool({ request }: IncomingRequest, call: MethodCall): Promise<Result> {
    assertHeaderParameters(this.#methods.getHeaderParameters(call), call.params['arguments'], request.headers)
    const outcome = await this.#methods.callTool(call)
    if (outcome.is === 'complete') return outcome.result
    return this.#tasks ? this.#tasks.createTaskResult(outcome, call) : outcome.result
  }

  #createCall(
    { context, view }: IncomingRequest,
    { params, capabilities, signal, notifyProgress }: MethodRequest,
    elicitInput: InputElicitor | null,
  ): MethodCall {
    const acceptsTasks = this.canTakeTasks(capabilities)
    const tracedContext = withClientTrace(context, params)
    return {
      context: tracedContext,
      view,
      params,
      signal,
      notifyProgress,
      elicitInput,
      acceptsTasks,
      capabilities,
      dialect: modernDialect,
    }
  }
}
