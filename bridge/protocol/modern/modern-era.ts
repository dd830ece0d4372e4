import { isRecord } from '../../../tools/openapi.ts'
import { modernDialect, type ClientCapabilities } from '../methods/method-call.ts'
import { PreparedLists } from '../methods/prepared-lists.ts'
import { listNames, type McpMethods } from '../methods/methods.ts'
import { codes, ProtocolError } from '../protocol-error.ts'
import { envelopeKeys, detectEra } from '../detect-era.ts'
import type { Era, IncomingRequest } from '../era.ts'
import { formatResponseHead, completeResult, sendError, sendWithHead, sendResult, formatResult } from './responses.ts'
import {
  MethodDispatcher,
  getListCacheHints,
  type MethodRequest,
  type RoundTripFactory,
  type TaskMethods,
} from './dispatcher.ts'
import { discoveryHead } from './discover.ts'
import { parseModernRequest, type ModernRequest } from './envelope.ts'
import { assertVisibleHeaders } from './headers.ts'
import { SdkHandler } from './sdk.ts'

export interface ModernEraOptions {
  readonly roundTrips: RoundTripFactory | null
  readonly tasks: TaskMethods | null
  /** False in tests that compare the two ways: then the SDK answers everything that it can answer. */
  readonly bypassSdk: boolean
}

/** Methods that the SDK does not know for a server with our capabilities. */
const methodsBesideSdk = new Set(['tasks/get', 'tasks/update', 'tasks/cancel', 'subscriptions/listen'])

/**
 * The era of revision 2026-07-28, in which each request contains all that is needed to answer it. Nothing is kept
 * between two requests. Plainly valid requests are answered here; the SDK answers invalid ones and those with progress.
 */
export class ModernEra implements Era {
  readonly name = 'modern'
  readonly #methods: McpMethods
  readonly #dispatcher: MethodDispatcher
  readonly #bypassSdk: boolean
  readonly #sdk: SdkHandler
  readonly #sharedLists = new PreparedLists((list) => formatListHead(list, false))
  readonly #ownLists = new PreparedLists((list) => formatListHead(list, true))

  constructor(methods: McpMethods, { roundTrips, tasks, bypassSdk }: ModernEraOptions) {
    this.#methods = methods
    this.#dispatcher = new MethodDispatcher(methods, roundTrips, tasks)
    this.#bypassSdk = bypassSdk
    this.#sdk = new SdkHandler()
  }

  canHandle({ request, message }: IncomingRequest): boolean {
    return detectEra(request.method, request.headers['mcp-protocol-version'], message) === 'modern'
  }

  async handle(incoming: IncomingRequest): Promise<void> {
    const { request, response, context } = incoming
    const modernRequest = parseModernRequest(incoming.message, request.headers)
    if (modernRequest === null || !this.#canBypassSdk(modernRequest, incoming))
      return await this.#answerThroughSdk(incoming)
    const { id } = modernRequest
    if (!acceptsJson(request.headers.accept)) return sendError(response, id, notAcceptableError, 406)
    try {
      const head = this.#findPreparedHead(modernRequest, incoming)
      if (head) return sendWithHead(response, id, head)
      const methodResult = await this.#dispatcher.answer(incoming, {
        ...modernRequest,
        signal: context.cancelSignal,
        notifyProgress: null,
      })
      sendResult(response, id, formatResult(methodResult))
    } catch (cause) {
      sendError(response, id, this.#methods.toProtocolError(cause, context.cancelSignal))
    }
  }

  drain(): void {
    // Nothing only listens in this era.
  }

  close(): void {
    void this.#sdk.close()
  }

  /** Returns whether a request can be answered without the SDK. Only the SDK can stream progress to a client. */
  #canBypassSdk(
    { method, params, capabilities, progressToken }: ModernRequest,
    { request, view }: IncomingRequest,
  ): boolean {
    if (methodsBesideSdk.has(method)) return true
    if (!this.#bypassSdk) return false
    if (progressToken === null || method !== 'tools/call' || this.#dispatcher.canTakeTasks(capabilities)) return true
    if (!acceptsStreams(request.headers.accept)) return true
    return !this.#methods.canNotifyProgress(params['name'], { view, dialect: modernDialect })
  }

  /** Returns the prepared octets of an answer that is the same for many callers; null if there are none. */
  #findPreparedHead({ method, params }: ModernRequest, { view }: IncomingRequest): string | null {
    if (method === 'server/discover') return discoveryHead
    const list = params['cursor'] === undefined ? listNames.find((name) => name === method) : undefined
    if (list === undefined) return null
    const preparedLists = view.byHeader ? this.#ownLists : this.#sharedLists
    return this.#methods.getPreparedList(preparedLists, list, { view, dialect: modernDialect })
  }

  async #answerThroughSdk(incoming: IncomingRequest): Promise<void> {
    const { request } = incoming
    const message = isRecord(incoming.message) ? incoming.message : {}
    const params = isRecord(message['params']) ? message['params'] : {}
    const meta = isRecord(params['_meta']) ? params['_meta'] : {}
    const capabilities = (meta[envelopeKeys.capabilities] ?? {}) as ClientCapabilities
    const isSilent = this.#dispatcher.canTakeTasks(capabilities)
    await this.#sdk.answer(incoming, async (method, signal, notifyProgress) => {
      const methodRequest: MethodRequest = {
        method,
        params,
        capabilities,
        signal,
        notifyProgress: isSilent ? null : notifyProgress,
      }
      try {
        assertVisibleHeaders(request.headers)
        const { result, cacheHints } = await this.#dispatcher.answer(incoming, methodRequest)
        return completeResult(result, cacheHints)
      } catch (cause) {
        throw this.#methods.toProtocolError(cause, signal)
      }
    })
  }
}

const formatListHead = (list: object, byHeader: boolean) =>
  formatResponseHead(JSON.stringify(completeResult({ ...list }, getListCacheHints({ byHeader }))))

const notAcceptableError = new ProtocolError(codes.invalidRequest, 'Accept has to name application/json')

const acceptsJson = (accept = '*/*') =>
  accept.includes('application/json') || /(^|,)\s*(\*|application)\/\*/.test(accept)
const acceptsStreams = (accept = '') => accept.includes('text/event-stream')
