import type { IncomingMessage, ServerResponse } from 'node:http'
import { listPresentToolsets } from '../../tools/catalogue/visible-tools.ts'
import { isRecord } from '../../tools/openapi.ts'
import { readMessage } from './body/message-body.ts'
import type { ParsedBody } from './body/parse-body.ts'
import { ParseThreads } from './body/parse-threads.ts'
import type { DocumentSource } from '../api/document.ts'
import type { Era, IncomingRequest } from './era.ts'
import { createRequestContext, type RequestContext } from '../api/request-context.ts'
import { BodyBudget, type BodyLimits } from '../access/body-budget.ts'
import type { Guard } from '../access/guard.ts'
import { getNetwork } from '../access/network.ts'
import { getCallerKey, unlimitedCalls, type CallLimiter } from '../access/call-limiter.ts'
import type { Log } from '../shared/log.ts'
import { noMetrics, type Metrics } from '../shared/metrics.ts'
import { codes } from './protocol-error.ts'
import { getMessageId, sendErrorResponse, sendJson } from './respond.ts'
import { refuseUnreadBody } from '../access/malformed-requests.ts'
import { ViewError, getView, type CatalogueView } from '../access/catalogue-view.ts'

const allowedMethods = ['POST', 'GET', 'DELETE']

/** The highest number of messages in one request. Only revision 2025-03-26 allows more than one. */
const maxMessages = 100

/** The memory for bodies in bytes: 16 of the largest; 4 of these without credentials, and 8 from one network. */
const bodyLimits: BodyLimits = {
  maxBytes: 256 * 1024 * 1024,
  maxAnonymousBytes: 64 * 1024 * 1024,
  maxBytesOfNetwork: 128 * 1024 * 1024,
}

export interface EndpointOptions {
  /** The last X-Forwarded-For entry is the client's address. */
  readonly trustProxy?: boolean
  readonly metrics?: Metrics
  readonly callLimiter?: CallLimiter
  /** Returns whether the other processes can be reached; absent if there are none. */
  readonly isSharedReady?: () => boolean
}

/** Answers all HTTP requests: those to `/mcp` and to the two health routes. */
export class Endpoint {
  readonly #guard: Guard
  readonly #source: DocumentSource
  readonly #eras: readonly Era[]
  readonly #log: Log
  readonly #trustProxy: boolean
  readonly #metrics: Metrics
  readonly #callLimiter: CallLimiter
  readonly #isSharedReady: () => boolean
  readonly #bodies = new BodyBudget(bodyLimits)
  readonly #parseThreads = new ParseThreads()
  #draining = false

  /**
   * @param eras the eras in order; the first one whose `canHandle` is true gets a request, and the last one takes all
   */
  constructor(guard: Guard, source: DocumentSource, eras: readonly Era[], log: Log, options: EndpointOptions = {}) {
    this.#guard = guard
    this.#source = source
    this.#eras = eras
    this.#log = log
    this.#trustProxy = options.trustProxy ?? false
    this.#metrics = options.metrics ?? noMetrics
    this.#callLimiter = options.callLimiter ?? unlimitedCalls
    this.#isSharedReady = options.isSharedReady ?? (() => true)
  }

  /** Begins the stop: from now on the endpoint answers only open connections, and closes each after its answer. */
  drain(timeoutMs: number): void {
    this.#draining = true
    for (const era of this.#eras) era.drain(timeoutMs)
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    await this.#parseThreads.close()
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0]
    response.setHeader('X-Content-Type-Options', 'nosniff')
    try {
      if (path === '/health/live') sendJson(response, 200, { status: 'ok' })
      else if (path === '/health/ready') this.#answerReadiness(response)
      else if (path === '/mcp') await this.#handleMcp(request, response)
      else
        sendErrorResponse(response, 404, codes.invalidRequest, 'There is nothing at this address; the endpoint is /mcp')
    } catch (cause) {
      if (request.destroyed && !request.complete) return
      this.#log.error({ err: cause }, 'a request failed')
      sendErrorResponse(response, 500, codes.internal, 'Something went wrong here')
    }
  }

  #answerReadiness(response: ServerResponse): void {
    if (this.#source.catalogue === null || this.#draining)
      return sendJson(response, 503, { status: this.#draining ? 'stopping' : 'starting' })
    const parts = [...(this.#source.hasLoadFailed ? ['api'] : []), ...(this.#isSharedReady() ? [] : ['redis'])]
    const leftOut = this.#source.catalogue.leftOut.map(({ operation }) => operation)
    sendJson(response, 200, {
      ...(parts.length > 0 ? { status: 'degraded', parts } : { status: 'ok' }),
      ...(leftOut.length > 0 && { leftOut }),
    })
  }

  async #handleMcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAtMs = this.#metrics.isEnabled ? performance.now() : 0
    const refusal = this.#guard.findRefusal(request)
    if (refusal) {
      this.#metrics.recordRefusal('guard')
      return sendErrorResponse(response, refusal.status, codes.invalidRequest, refusal.message)
    }
    this.#guard.setCorsHeaders(request, response)
    response.setHeader('Cache-Control', 'no-store')
    if (request.method === 'OPTIONS') return void response.writeHead(204, { Allow: allowedMethods.join(', ') }).end()
    if (!allowedMethods.includes(request.method ?? '')) {
      response.setHeader('Allow', allowedMethods.join(', '))
      return sendErrorResponse(response, 405, codes.invalidRequest, 'The endpoint takes POST, GET and DELETE')
    }
    if (this.#draining) response.shouldKeepAlive = false
    // A new stream that only listens would be ended at once.
    if (this.#draining && request.method === 'GET') return this.#refuseNotReady(response, 'This server is stopping')
    const context = createRequestContext(request, response, this.#trustProxy)
    const read = request.method === 'POST' ? await this.#readBody(request, response, context) : { message: undefined }
    if ('refusal' in read) {
      this.#metrics.recordRefusal('body')
      if (read.retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(read.retryAfterSeconds))
      return refuseUnreadBody(response, read.refusal.status, read.code, read.refusal.message, read.id)
    }
    if (this.#source.catalogue === null)
      return this.#refuseNotReady(response, 'The API document is not loaded yet', getMessageId(read.message))
    const view = getViewOrError(request, listPresentToolsets(this.#source.catalogue))
    if (view instanceof ViewError) {
      this.#metrics.recordRefusal('view')
      return sendErrorResponse(response, 400, codes.invalidRequest, view.message, getMessageId(read.message))
    }
    const incoming: IncomingRequest = { request, response, context, view, message: read.message }
    if (await this.#refuseOverLimit(incoming)) return
    const era = this.#eras.find((one) => one.canHandle(incoming))
    if (this.#metrics.isEnabled) {
      const method = isRecord(read.message) ? read.message['method'] : undefined
      response.once('close', () =>
        this.#metrics.recordRequest(
          era?.name ?? 'none',
          method,
          response.statusCode,
          (performance.now() - startedAtMs) / 1000,
        ),
      )
    }
    await era?.handle(incoming)
  }

  #readBody(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<ParsedBody> {
    const network = getNetwork(context.clientAddress)
    const share = this.#bodies.open(network, context.isAnonymous)
    response.on('close', share.release)
    return readMessage(request, { share, threads: this.#parseThreads, network })
  }

  /** Refuses a request that is over a limit. @returns whether it refused the request */
  async #refuseOverLimit({ response, context, message }: IncomingRequest): Promise<boolean> {
    if (message === undefined) return false
    const count = Array.isArray(message) ? message.length : 1
    if (count > maxMessages) {
      sendErrorResponse(response, 400, codes.invalidRequest, `A request takes at most ${maxMessages} messages`)
      return true
    }
    // The address is counted first, so that nobody fills the memory with made-up callers.
    const crowd = context.isAnonymous ? null : await this.#callLimiter.countAddressCalls(context.clientAddress, count)
    const over = crowd ?? (await this.#callLimiter.countCalls(getCallerKey(context), null, count))
    if (!over) return false
    this.#metrics.recordRefusal('caller_limit')
    response.setHeader('Retry-After', String(over.retryAfter))
    const text = `More than ${this.#callLimiter.maxPerMinute} calls in a minute. Try again in ${over.retryAfter} s`
    sendErrorResponse(response, 429, codes.tooMany, text, getMessageId(message))
    return true
  }

  #refuseNotReady(response: ServerResponse, message: string, id: string | number | null = null): void {
    this.#metrics.recordRefusal('not_ready')
    response.setHeader('Retry-After', '1')
    sendErrorResponse(response, 503, codes.internal, message, id)
  }
}

function getViewOrError(request: IncomingMessage, presentToolsets: readonly string[]): CatalogueView | ViewError {
  try {
    return getView(request.url ?? '', request.headers, presentToolsets)
  } catch (cause) {
    if (cause instanceof ViewError) return cause
    throw cause
  }
}
