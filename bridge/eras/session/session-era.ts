import type { ServerResponse } from 'node:http'
import { isRecord } from '../../../tools/openapi.ts'
import type { Methods } from '../../methods/methods.ts'
import { codes } from '../../protocol-error.ts'
import { refuse } from '../../respond.ts'
import { Sessions, type Limits } from '../../sessions.ts'
import type { Era, Incoming } from '../era.ts'
import { answerList } from './lists.ts'
import { plainRequest, quickRequest } from './quick.ts'
import { asking, isRevision, negotiated, revisions, takesBatches } from './revisions.ts'
import { Session } from './session.ts'

type Message = Readonly<Record<string, unknown>>

/** The revisions that begin with `initialize` and go on under an Mcp-Session-Id. */
export class SessionEra implements Era {
  readonly #methods: Methods
  readonly #sessions: Sessions<Session>

  constructor(methods: Methods, limits?: Limits) {
    this.#methods = methods
    this.#sessions = new Sessions(limits)
  }

  get size(): number {
    return this.#sessions.size
  }

  speaks(): boolean {
    return true
  }

  async handle(incoming: Incoming): Promise<void> {
    const { request, response, message } = incoming
    const id = request.headers['mcp-session-id']
    const spoken = request.headers['mcp-protocol-version']
    if (spoken !== undefined && !isRevision(spoken)) {
      return refuse(
        response,
        400,
        codes.server,
        `This MCP-Protocol-Version is not spoken here; it is one of ${revisions.join(', ')}`,
      )
    }
    if (typeof id === 'string') return await this.#goOn(incoming, id)
    if (isRecord(message) && message['method'] === 'initialize') return await this.#begin(incoming, message)
    refuse(response, 400, codes.server, 'The header Mcp-Session-Id is missing; a session begins with initialize')
  }

  drain(): void {
    for (const { transport } of this.#sessions.all()) transport.closeStandaloneSSEStream()
  }

  close(): void {
    this.#sessions.closeAll()
  }

  async #begin(incoming: Incoming, message: Message): Promise<void> {
    const { owner } = incoming.exchange
    if (!this.#sessions.makeRoom(owner)) {
      incoming.response.setHeader('Retry-After', '5')
      return refuse(incoming.response, 503, codes.server, 'There are too many open sessions; try again in some seconds')
    }
    const revision = negotiated(message)
    const session = new Session(owner, revision, this.#methods, {
      begun: (begun) => this.#sessions.add(begun),
      ended: (ended) => this.#sessions.remove(ended.id),
    })
    await session.connect()
    await this.#handOn(session, incoming, asking(message, revision))
  }

  async #goOn(incoming: Incoming, id: string): Promise<void> {
    const { response, message, exchange, view } = incoming
    const session = this.#sessions.find(id, exchange.owner)
    if (!session)
      return refuse(response, 404, codes.sessionNotFound, 'There is no such session; begin a new one with initialize')
    const messages = Array.isArray(message) ? (message as unknown[]) : [message]
    if (Array.isArray(message) && !takesBatches(session.revision)) {
      return refuse(response, 400, codes.invalidRequest, `Revision ${session.revision} takes one message a request`)
    }
    const ids = messages.flatMap((one) => (isRecord(one) && 'method' in one && isId(one['id']) ? [one['id']] : []))
    if (new Set(ids).size < ids.length || ids.some((one) => session.exchanges.has(one))) {
      return refuse(response, 400, codes.invalidRequest, 'The id of this request is still in use in this session')
    }
    const plain = plainRequest(message, incoming.request.headers.accept)
    if (plain && answerList(plain, incoming, this.#methods, session.id)) return
    const asked = { exchange, view }
    for (const one of ids) session.exchanges.set(one, asked)
    response.once('close', () => {
      for (const one of ids) if (session.exchanges.get(one) === asked) session.exchanges.delete(one)
    })
    const quick = plain && quickRequest(plain, (tool) => this.#methods.mayAsk(tool))
    if (quick) return await this.#keptOpen(session, response, session.answerQuickly(quick, incoming))
    session.cancelQuickly(message)
    await this.#handOn(session, incoming, message)
  }

  async #handOn(session: Session, { request, response }: Incoming, message: unknown): Promise<void> {
    await this.#keptOpen(session, response, session.transport.handleRequest(request, response, message))
  }

  /** A session with an open request does not end for being idle. */
  async #keptOpen(session: Session, response: ServerResponse, answering: Promise<void>): Promise<void> {
    session.open++
    response.once('close', () => {
      session.open--
      this.#sessions.touch(session.id)
    })
    await answering
  }
}

const isId = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number'
