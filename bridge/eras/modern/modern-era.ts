import { isRecord } from '../../../tools/openapi.ts'
import { modernDialect, type Capabilities } from '../../methods/call.ts'
import { MadeOnce } from '../../methods/made-once.ts'
import { listNames, type Methods } from '../../methods/methods.ts'
import { codes, ProtocolError } from '../../protocol-error.ts'
import { envelopeKeys, eraOf } from '../classify.ts'
import type { Era, Incoming } from '../era.ts'
import { answerHead, complete, sendError, sendMade, sendResult, textOf } from './answer.ts'
import { Answering, listed, type Asked, type Asking, type TaskMethods } from './answering.ts'
import { discovered } from './discover.ts'
import { readRequest, type ModernRequest } from './envelope.ts'
import { refuseStrangeBytes } from './headers.ts'
import { SdkHandler } from './sdk.ts'

export interface ModernParts {
  readonly asking: Asking | null
  readonly tasks: TaskMethods | null
  /** False: nothing is answered beside the SDK that it can answer. For tests, which hold the two ways equal. */
  readonly quick: boolean
}

/** What the SDK does not know as methods of a server that declares what this one does. */
const besideSdk = new Set(['tasks/get', 'tasks/update', 'tasks/cancel', 'subscriptions/listen'])

/**
 * Revision 2026-07-28: each request says all that is needed to answer it, and nothing is kept between two. What is
 * plainly right is answered here; whatever is not, and what tells progress, is the SDK's.
 */
export class ModernEra implements Era {
  readonly name = 'modern'
  readonly #methods: Methods
  readonly #answering: Answering
  readonly #quick: boolean
  readonly #sdk: SdkHandler
  readonly #shared = new MadeOnce((list) => listHead(list, false))
  readonly #own = new MadeOnce((list) => listHead(list, true))

  constructor(methods: Methods, { asking, tasks, quick }: ModernParts) {
    this.#methods = methods
    this.#answering = new Answering(methods, asking, tasks)
    this.#quick = quick
    this.#sdk = new SdkHandler()
  }

  speaks({ request, message }: Incoming): boolean {
    return eraOf(request.method, request.headers['mcp-protocol-version'], message) === 'modern'
  }

  async handle(incoming: Incoming): Promise<void> {
    const { request, response, exchange } = incoming
    const asked = readRequest(incoming.message, request.headers)
    if (asked === null || !this.#isQuick(asked, incoming)) return await this.#throughSdk(incoming)
    const { id } = asked
    if (!takesJson(request.headers.accept)) return sendError(response, id, notTaken, 406)
    try {
      const head = this.#made(asked, incoming)
      if (head) return sendMade(response, id, head)
      const answered = await this.#answering.answer(incoming, { ...asked, signal: exchange.gone, tell: null })
      sendResult(response, id, textOf(answered))
    } catch (cause) {
      sendError(response, id, this.#methods.worded(cause, exchange.gone))
    }
  }

  drain(): void {
    // Nothing only listens in this era.
  }

  close(): void {
    void this.#sdk.close()
  }

  /** Progress is told in a stream, which is the SDK's: where there can be any, and the client takes a stream. */
  #isQuick({ method, params, capabilities, progressToken }: ModernRequest, { request, view }: Incoming): boolean {
    if (besideSdk.has(method)) return true
    if (!this.#quick) return false
    if (progressToken === null || method !== 'tools/call' || this.#answering.takesTasks(capabilities)) return true
    if (!takesStreams(request.headers.accept)) return true
    return !this.#methods.mayTell(params['name'], { view, dialect: modernDialect })
  }

  /** What is the same for many, as octets. */
  #made({ method, params }: ModernRequest, { view }: Incoming): string | null {
    if (method === 'server/discover') return discovered
    const list = params['cursor'] === undefined ? listNames.find((name) => name === method) : undefined
    if (list === undefined) return null
    const once = view.byHeader ? this.#own : this.#shared
    return this.#methods.made(once, list, { view, dialect: modernDialect })
  }

  async #throughSdk(incoming: Incoming): Promise<void> {
    const { request } = incoming
    const message = isRecord(incoming.message) ? incoming.message : {}
    const params = isRecord(message['params']) ? message['params'] : {}
    const meta = isRecord(params['_meta']) ? params['_meta'] : {}
    const capabilities = (meta[envelopeKeys.capabilities] ?? {}) as Capabilities
    const quiet = this.#answering.takesTasks(capabilities)
    await this.#sdk.answer(incoming, async (method, signal, tell) => {
      const asked: Asked = { method, params, capabilities, signal, tell: quiet ? null : tell }
      try {
        refuseStrangeBytes(request.headers)
        const { result, cached } = await this.#answering.answer(incoming, asked)
        return complete(result, cached)
      } catch (cause) {
        throw this.#methods.worded(cause, signal)
      }
    })
  }
}

const listHead = (list: object, byHeader: boolean) =>
  answerHead(JSON.stringify(complete({ ...list }, listed({ byHeader }))))

const notTaken = new ProtocolError(codes.invalidRequest, 'Accept has to name application/json')

const takesJson = (accept = '*/*') => accept.includes('application/json') || /(^|,)\s*(\*|application)\/\*/.test(accept)
const takesStreams = (accept = '') => accept.includes('text/event-stream')
