import type { IncomingMessage, ServerResponse } from 'node:http'
import { isRecord } from '../tools/openapi.ts'
import { readMessage } from './body.ts'
import type { DocumentSource } from './document.ts'
import type { Era, Incoming } from './eras/era.ts'
import { exchangeOf } from './exchange.ts'
import type { Guard } from './guard.ts'
import { callerOf, noLimits, type CallLimits } from './limits.ts'
import type { Log } from './log.ts'
import { unmeasured, type Metrics } from './metrics.ts'
import { codes } from './protocol-error.ts'
import { refuse, sendJson } from './respond.ts'
import { refuseUnread } from './unread.ts'
import { ViewError, viewOf, type View } from './view.ts'

const taken = ['POST', 'GET', 'DELETE']

/** Messages that one request may hold. Only revision 2025-03-26 has more than one. */
const mostMessages = 100

export interface EndpointParts {
  /** The last X-Forwarded-For names the client. */
  readonly trustProxy?: boolean
  readonly metrics?: Metrics
  readonly limits?: CallLimits
  /** Whether the other processes can be reached; absent where there are none. */
  readonly sharedReady?: () => boolean
}

/** Everything that is answered over HTTP: `/mcp` and the two health routes. */
export class Endpoint {
  readonly #guard: Guard
  readonly #source: DocumentSource
  readonly #eras: readonly Era[]
  readonly #log: Log
  readonly #trustProxy: boolean
  readonly #metrics: Metrics
  readonly #limits: CallLimits
  readonly #sharedReady: () => boolean
  #draining = false

  /** @param eras in the order in which they are asked whether a request is theirs; the last one takes all. */
  constructor(guard: Guard, source: DocumentSource, eras: readonly Era[], log: Log, parts: EndpointParts = {}) {
    this.#guard = guard
    this.#source = source
    this.#eras = eras
    this.#log = log
    this.#trustProxy = parts.trustProxy ?? false
    this.#metrics = parts.metrics ?? unmeasured
    this.#limits = parts.limits ?? noLimits
    this.#sharedReady = parts.sharedReady ?? (() => true)
  }

  /** From now on only what comes on open connections is answered, each with its last answer. */
  drain(patience: number): void {
    this.#draining = true
    for (const era of this.#eras) era.drain(patience)
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0]
    response.setHeader('X-Content-Type-Options', 'nosniff')
    try {
      if (path === '/health/live') sendJson(response, 200, { status: 'ok' })
      else if (path === '/health/ready') this.#ready(response)
      else if (path === '/mcp') await this.#mcp(request, response)
      else refuse(response, 404, codes.invalidRequest, 'There is nothing at this address; the endpoint is /mcp')
    } catch (cause) {
      if (request.destroyed && !request.complete) return
      this.#log.error({ err: cause }, 'a request failed')
      refuse(response, 500, codes.internal, 'Something went wrong here')
    }
  }

  #ready(response: ServerResponse): void {
    if (this.#source.catalogue === null || this.#draining)
      return sendJson(response, 503, { status: this.#draining ? 'stopping' : 'starting' })
    const parts = [...(this.#source.troubled ? ['api'] : []), ...(this.#sharedReady() ? [] : ['redis'])]
    sendJson(response, 200, parts.length > 0 ? { status: 'degraded', parts } : { status: 'ok' })
  }

  async #mcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const begun = this.#metrics.on ? performance.now() : 0
    const refusal = this.#guard.refuse(request)
    if (refusal) {
      this.#metrics.refused('guard')
      return refuse(response, refusal.status, codes.invalidRequest, refusal.message)
    }
    this.#guard.allowPage(request, response)
    response.setHeader('Cache-Control', 'no-store')
    if (request.method === 'OPTIONS') return void response.writeHead(204, { Allow: taken.join(', ') }).end()
    if (!taken.includes(request.method ?? '')) {
      response.setHeader('Allow', taken.join(', '))
      return refuse(response, 405, codes.invalidRequest, 'The endpoint takes POST, GET and DELETE')
    }
    if (this.#draining) response.shouldKeepAlive = false
    if (this.#source.catalogue === null) return this.#refuseNow(response, 'The API document is not loaded yet')
    // A stream that only listens would be ended at once.
    if (this.#draining && request.method === 'GET') return this.#refuseNow(response, 'This server is stopping')
    const exchange = exchangeOf(request, response, this.#trustProxy)
    const read = request.method === 'POST' ? await readMessage(request) : { message: undefined }
    if ('refusal' in read) {
      this.#metrics.refused('body')
      return refuseUnread(response, read.refusal.status, read.code, read.refusal.message)
    }
    const view = viewAsked(request)
    if (view instanceof ViewError) {
      this.#metrics.refused('view')
      return refuse(response, 400, codes.invalidRequest, view.message, idOf(read.message))
    }
    const incoming = { request, response, exchange, view, message: read.message }
    if (await this.#isTooMuch(incoming)) return
    const era = this.#eras.find((one) => one.speaks(incoming))
    if (this.#metrics.on) {
      const method = isRecord(read.message) ? read.message['method'] : undefined
      response.once('close', () =>
        this.#metrics.request(era?.name ?? 'none', method, response.statusCode, (performance.now() - begun) / 1000),
      )
    }
    await era?.handle(incoming)
  }

  /** Answers what is more than a caller may send. */
  async #isTooMuch({ response, exchange, message }: Incoming): Promise<boolean> {
    if (message === undefined) return false
    const count = Array.isArray(message) ? message.length : 1
    if (count > mostMessages) {
      refuse(response, 400, codes.invalidRequest, `A request takes at most ${mostMessages} messages`)
      return true
    }
    // First, so that nobody fills the memory with callers that there are not.
    const crowd = exchange.anonymous ? null : await this.#limits.takeOf(exchange.address, count)
    const over = crowd ?? (await this.#limits.take(callerOf(exchange), null, count))
    if (!over) return false
    this.#metrics.refused('caller_limit')
    response.setHeader('Retry-After', String(over.retryAfter))
    const text = `More than ${this.#limits.perMinute} calls in a minute. Try again in ${over.retryAfter} s`
    refuse(response, 429, codes.tooMany, text, idOf(message))
    return true
  }

  #refuseNow(response: ServerResponse, message: string): void {
    this.#metrics.refused('not_ready')
    response.setHeader('Retry-After', '1')
    refuse(response, 503, codes.internal, message)
  }
}

/** The id of a request that is one message. */
function idOf(message: unknown): string | number | null {
  const id = isRecord(message) && 'method' in message ? message['id'] : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

function viewAsked(request: IncomingMessage): View | ViewError {
  try {
    return viewOf(request.url ?? '', request.headers)
  } catch (cause) {
    if (cause instanceof ViewError) return cause
    throw cause
  }
}
