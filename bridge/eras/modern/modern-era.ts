import { isRecord } from '../../../tools/openapi.ts'
import { modernDialect, type Call, type Capabilities } from '../../methods/call.ts'
import { listNames, type Methods } from '../../methods/methods.ts'
import { codes, ProtocolError } from '../../protocol-error.ts'
import { classify, envelopeKeys } from '../classify.ts'
import type { Era, Incoming } from '../era.ts'
import { complete, sendError, sendResult, type Cached } from './answer.ts'
import { discovered } from './discover.ts'
import { readEnvelope } from './envelope.ts'
import { checkHeaders } from './headers.ts'

type Message = Readonly<Record<string, unknown>>

/** Lists change with the document, which is looked at each minute. What a caller reads is the caller's own. */
const listed: Cached = { ttlMs: 60_000, cacheScope: 'public' }
const own: Cached = { ttlMs: 0, cacheScope: 'private' }

/** Revision 2026-07-28: each request says all that is needed to answer it, and nothing is kept between two. */
export class ModernEra implements Era {
  readonly #methods: Methods

  constructor(methods: Methods) {
    this.#methods = methods
  }

  speaks({ request, message }: Incoming): boolean {
    return classify(request.method, request.headers, message).is !== 'session'
  }

  async handle(incoming: Incoming): Promise<void> {
    const { request, response } = incoming
    const found = classify(request.method, request.headers, incoming.message)
    if (found.is === 'session') throw new Error('This is a message of the session era')
    if (found.is === 'refused') return sendError(response, found.id, new ProtocolError(found.code, found.message), 400)
    const { id } = found.message
    if (id === undefined) return void response.writeHead(202).end()
    if (found.message['jsonrpc'] !== '2.0' || !(typeof id === 'string' || Number.isInteger(id)))
      return sendError(response, null, new ProtocolError(codes.invalidRequest, 'This is no JSON-RPC 2.0 request'), 400)
    try {
      const capabilities = this.#open(incoming, found.message)
      await this.#answer(incoming, found.message, id, capabilities)
    } catch (cause) {
      sendError(response, id, cause, 400)
    }
  }

  drain(): void {
    // Nothing only listens in this era.
  }

  close(): void {
    // Nothing is kept.
  }

  /** What has to be right before the method counts. Throws ProtocolError. */
  #open({ request }: Incoming, message: Message): Capabilities {
    const params = isRecord(message['params']) ? message['params'] : {}
    const meta = isRecord(params['_meta']) ? params['_meta'] : {}
    checkHeaders(request.headers, meta[envelopeKeys.version], String(message['method']), params)
    return readEnvelope(meta)
  }

  async #answer(incoming: Incoming, message: Message, id: unknown, capabilities: Capabilities): Promise<void> {
    const { response, exchange, view } = incoming
    const params = isRecord(message['params']) ? message['params'] : {}
    const dialect = modernDialect
    const call: Call = { exchange, view, params, signal: exchange.gone, tell: null, ask: null, tasks: false, capabilities, dialect }
    try {
      const result = await this.#result(String(message['method']), call)
      sendResult(response, id, result)
    } catch (cause) {
      sendError(response, id, cause)
    }
  }

  async #result(method: string, call: Call): Promise<unknown> {
    const list = listNames.find((name) => name === method)
    if (list) return complete(this.#methods.list(list, call), listed)
    switch (method) {
      case 'server/discover':
        return discovered
      case 'tools/call':
        return complete((await this.#methods.callTool(call)).result)
      case 'resources/read':
        return complete(await this.#methods.readResource(call), own)
      case 'prompts/get':
        return complete({ ...this.#methods.getPrompt(call) })
      case 'completion/complete':
        return complete(await this.#methods.complete(call))
      default:
        throw new ProtocolError(codes.methodNotFound, `The method ${method} is not known here`)
    }
  }
}
