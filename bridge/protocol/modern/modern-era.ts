import { isRecord } from '../../../tools/openapi.ts'
import { modernDialect, type ClientCapabilities } from '../methods/method-call.ts'
import { PreparedLists } from '../methods/prepared-lists.ts'
import { listNames, type McpMethods } from '../methods/methods.ts'
import type { CatalogueView } from '../../access/catalogue-view.ts'
import { codes, ProtocolError } from '../protocol-error.ts'
import { envelopeKeys, detectEra } from '../detect-era.ts'
import type { Era, IncomingRequest } from '../era.ts'
import {
  formatResponseHead,
  getResultFormat,
  sendError,
  sendWithHead,
  sendResult,
  type ResultFormat,
} from './responses.ts'
import {
  MethodDispatcher,
  getListCacheHints,
  type MethodRequest,
  type RoundTripFactory,
  type TaskMethods,
} from './dispatcher.ts'
import { formatDiscoveryHead, type Discovery } from './discover.ts'
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
  readonly #sharedLists = new PreparedLists((list) => this.#formatListHead(list, false))
  /** The answers to `server/discover` by document, kept by the parts of the view that change them. */
  readonly #discoveryHeads = new PreparedLists((discovery) => formatDiscoveryHead(discovery as Discovery))
  readonly #ownLists = new PreparedLists((list) => this.#formatListHead(list, true))

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
      // The document may change during the call, which goes on with the one that it began with.
      const resultFormat = this.#getResultFormat()
      const methodResult = await this.#dispatcher.answer(incoming, {
        ...modernRequest,
        signal: context.cancelSignal,
        notifyProgress: null,
      })
      sendResult(response, id, resultFormat.format(methodResult))
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
    return !this.#methods.canNotifyProgress({ params, view, dialect: modernDialect })
  }

  /** Returns the prepared octets of an answer that is the same for many callers; null if there are none. */
  #findPreparedHead({ method, params }: ModernRequest, { view }: IncomingRequest): string | null {
    if (method === 'server/discover') {
      const key = `${view.search} ${view.byHeader}`
      return this.#discoveryHeads.get(this.#methods.getDocumentKey(), key, () => this.#createDiscovery(view))
    }
    const list = params['cursor'] === undefined ? listNames.find((name) => name === method) : undefined
    if (list === undefined) return null
    const preparedLists = view.byHeader ? this.#ownLists : this.#sharedLists
    return this.#methods.getPreparedList(preparedLists, list, { view, dialect: modernDialect })
  }

  #createDiscovery(view: CatalogueView): Discovery {
    return {
      serverInfo: this.#methods.getServerInfo(),
      instructions: this.#methods.getInstructions(view),
      cacheHints: getListCacheHints(view),
    }
  }

  #getResultFormat(): ResultFormat {
    return getResultFormat(this.#methods.getServerInfo())
  }

  #formatListHead(list: object, byHeader: boolean): string {
    const cacheHints = getListCacheHints({ byHeader })
    return formatResponseHead(this.#getResultFormat().format({ result: { ...list }, cacheHints }))
  }

  async #answerThroughSdk(incoming: IncomingRequest): Promise<void> {
    const { request } = incoming
    const message = isRecord(incoming.message) ? incoming.message : {}
    const params = isRecord(message['params']) ? message['params'] : {}
    const meta = isRecord(params['_meta']) ? params['_meta'] : {}
    const capabilities = (meta[envelopeKeys.capabilities] ?? {}) as ClientCapabilities
    const isSilent = this.#dispatcher.canTakeTasks(capabilities)
    const discovery = this.#createDiscovery(incoming.view)
    const resultFormat = getResultFormat(discovery.serverInfo)
    await this.#sdk.answer(incoming, discovery, async (method, signal, notifyProgress) => {
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
        return resultFormat.complete(result, cacheHints)
      } catch (cause) {
        throw this.#methods.toProtocolError(cause, signal)
      }
    })
  }
}

const notAcceptableError = new ProtocolError(codes.invalidRequest, 'Accept has to name application/json')

const acceptsJson = (accept = '*/*') =>
  accept.includes('application/json') || /(^|,)\s*(\*|application)\/\*/.test(accept)
const acceptsStreams = (accept = '') => accept.includes('text/event-stream')
