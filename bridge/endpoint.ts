import type { IncomingMessage, ServerResponse } from 'node:http'
import { readMessage } from './body.ts'
import type { DocumentSource } from './document.ts'
import type { Era } from './eras/era.ts'
import { exchangeOf } from './exchange.ts'
import type { Guard } from './guard.ts'
import type { Log } from './log.ts'
import { codes } from './protocol-error.ts'
import { refuse, sendJson } from './respond.ts'
import { ViewError, viewOf, type View } from './view.ts'

const taken = ['POST', 'GET', 'DELETE']

/** Everything that is answered over HTTP: `/mcp` and the two health routes. */
export class Endpoint {
  readonly #guard: Guard
  readonly #source: DocumentSource
  readonly #eras: readonly Era[]
  readonly #log: Log
  #draining = false

  /** @param eras in the order in which they are asked whether a request is theirs; the last one takes all. */
  constructor(guard: Guard, source: DocumentSource, eras: readonly Era[], log: Log) {
    this.#guard = guard
    this.#source = source
    this.#eras = eras
    this.#log = log
  }

  /** From now on nothing new is taken. */
  drain(): void {
    this.#draining = true
    for (const era of this.#eras) era.drain()
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0]
    response.setHeader('X-Content-Type-Options', 'nosniff')
    try {
      if (path === '/health/live') sendJson(response, 200, { status: 'ok' })
      else if (path === '/health/ready') this.#ready(response)
      else if (path === '/mcp') await this.#mcp(request, response)
      else refuse(response, 404, codes.server, 'There is nothing at this address; the endpoint is /mcp')
    } catch (cause) {
      if (request.destroyed && !request.complete) return
      this.#log.error({ err: cause }, 'a request failed')
      refuse(response, 500, codes.internal, 'Something went wrong here')
    }
  }

  #ready(response: ServerResponse): void {
    if (this.#source.catalogue === null || this.#draining)
      sendJson(response, 503, { status: this.#draining ? 'stopping' : 'starting' })
    else sendJson(response, 200, this.#source.troubled ? { status: 'degraded', parts: ['api'] } : { status: 'ok' })
  }

  async #mcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = this.#guard.refuse(request)
    if (refusal) return refuse(response, refusal.status, codes.server, refusal.message)
    this.#guard.allowPage(request, response)
    response.setHeader('Cache-Control', 'no-store')
    if (request.method === 'OPTIONS') return void response.writeHead(204, { Allow: taken.join(', ') }).end()
    if (!taken.includes(request.method ?? '')) {
      response.setHeader('Allow', taken.join(', '))
      return refuse(response, 405, codes.server, 'The endpoint takes POST, GET and DELETE')
    }
    if (this.#draining || this.#source.catalogue === null) {
      response.setHeader('Retry-After', '1')
      if (this.#draining) response.setHeader('Connection', 'close')
      return refuse(
        response,
        503,
        codes.server,
        this.#draining ? 'This server is stopping' : 'The API document is not loaded yet',
      )
    }
    const exchange = exchangeOf(request, response)
    const read = request.method === 'POST' ? await readMessage(request) : { message: undefined }
    if ('refusal' in read) {
      response.setHeader('Connection', 'close')
      return refuse(response, read.refusal.status, read.code, read.refusal.message)
    }
    const view = viewAsked(request)
    if (view instanceof ViewError) return refuse(response, 400, codes.invalidRequest, view.message)
    const incoming = { request, response, exchange, view, message: read.message }
    await this.#eras.find((era) => era.speaks(incoming))?.handle(incoming)
  }
}

function viewAsked(request: IncomingMessage): View | ViewError {
  try {
    return viewOf(request.url ?? '', request.headers)
  } catch (cause) {
    if (cause instanceof ViewError) return cause
    throw cause
  }
}
