import type { ServerResponse } from 'node:http'
import { isRecord } from '../../../tools/openapi.ts'
import { sessionDialect } from '../../methods/call.ts'
import type { Methods } from '../../methods/methods.ts'
import type { Metrics } from '../../metrics.ts'
import { codes } from '../../protocol-error.ts'
import { refuse } from '../../respond.ts'
import type { Sealer } from '../../seal.ts'
import type { Limits } from '../../sessions.ts'
import type { Shared } from '../../shared.ts'
import type { Era, Incoming } from '../era.ts'
import { Keeping } from './keeping.ts'
import { answerList } from './lists.ts'
import { Questions } from './questions.ts'
import { plainRequest, quickRequest } from './quick.ts'
import { asking, isRevision, negotiated, revisions, takesBatches } from './revisions.ts'
import type { Session } from './session.ts'

type Message = Readonly<Record<string, unknown>>

export interface SessionSettings {
  readonly sealer: Sealer
  readonly shared: Shared
  readonly limits?: Limits | undefined
  readonly metrics?: Metrics
}

/** The part of a stop's time in which questions to people may still be answered. */
const lastAnswers = 0.6

/**
 * The revisions that begin with `initialize` and go on under an Mcp-Session-Id. The id carries the session: whichever
 * process gets the next request goes on with it, and a process that is started anew as well.
 */
export class SessionEra implements Era {
  readonly name = 'session'
  readonly #methods: Methods
  readonly #shared: Shared
  readonly #keeping: Keeping
  readonly #questions: Questions
  readonly #quick: boolean

  constructor(methods: Methods, { sealer, shared, limits, metrics }: SessionSettings) {
    this.#methods = methods
    this.#shared = shared
    this.#questions = new Questions(shared, metrics)
    this.#keeping = new Keeping({ methods, questions: this.#questions, sealer, shared, limits })
    this.#quick = limits?.quick ?? true
  }

  /** Sessions that are in memory now. */
  get size(): number {
    return this.#keeping.size
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
    if (typeof id === 'string') {
      if (request.method === 'DELETE') return await this.#end(incoming, id)
      return await this.#goOn(incoming, id)
    }
    if (isRecord(message) && message['method'] === 'initialize') return await this.#begin(incoming, message)
    refuse(response, 400, codes.server, 'The header Mcp-Session-Id is missing; a session begins with initialize')
  }

  drain(patience: number): void {
    for (const session of this.#keeping.all()) session.endListening()
    setTimeout(() => this.#questions.endAll(), patience * lastAnswers).unref()
  }

  close(): void {
    this.#questions.endAll()
    this.#keeping.closeAll()
  }

  async #begin(incoming: Incoming, message: Message): Promise<void> {
    const { response, exchange } = incoming
    const revision = negotiated(message)
    const session = await this.#keeping.begin(revision, message['params'], exchange.owner)
    if (!session) return refuseMore(response)
    await this.#keptOpen(session, response, session.handOn(incoming, asking(message, revision)))
  }

  async #goOn(incoming: Incoming, id: string): Promise<void> {
    const { response, exchange, message } = incoming
    const session = this.#keeping.known(id, exchange.owner) ?? (await this.#keeping.find(id, exchange.owner))
    if (session === 'none') return refuseUnknown(response)
    if (session === 'full') return refuseMore(response)
    const isAnswer = !isRecord(message) || typeof message['method'] !== 'string'
    if (!isAnswer) return await this.#answer(session, incoming, message)
    const left = await this.#takeAnswers(session, message)
    if (left === 'lost')
      return refuse(response, 503, codes.server, 'The process that asked this cannot be reached, or its call has ended')
    if (left === 'nothing') return void response.writeHead(202).end()
    await this.#answer(session, incoming, left.rest)
  }

  async #answer(session: Session, incoming: Incoming, message: unknown): Promise<void> {
    const { response, exchange, view } = incoming
    const { revision, name } = session.state
    const messages = Array.isArray(message) ? (message as unknown[]) : [message]
    if (Array.isArray(message) && !takesBatches(revision)) {
      return refuse(response, 400, codes.invalidRequest, `Revision ${revision} takes one message a request`)
    }
    const ids = messages.flatMap((one) => (isRecord(one) && 'method' in one && isId(one['id']) ? [one['id']] : []))
    if (new Set(ids).size < ids.length || ids.some((one) => session.exchanges.has(one))) {
      return refuse(response, 400, codes.invalidRequest, 'The id of this request is still in use in this session')
    }
    const plain = this.#quick ? plainRequest(message, incoming.request.headers.accept) : null
    if (plain && answerList(plain, incoming, this.#methods, session.id)) return
    const asked = { exchange, view }
    if (!response.destroyed) for (const one of ids) session.exchanges.set(one, asked)
    response.once('close', () => {
      for (const one of ids) if (session.exchanges.get(one) === asked) session.exchanges.delete(one)
    })
    const shown = { view, dialect: sessionDialect }
    const tells = (tool: unknown) => this.#methods.mayTell(tool, shown)
    const quick = plain && quickRequest(plain, (tool) => this.#methods.mayAsk(tool), tells)
    if (quick) return await this.#keptOpen(session, response, session.answerQuickly(quick, incoming))
    for (const cancelled of messages.flatMap(takenBack)) {
      // What is not open here may be open at another process.
      if (session.exchanges.has(cancelled)) session.cancelQuickly(cancelled)
      else await this.#shared.tell(name, { cancelled })
    }
    await this.#keptOpen(session, response, session.handOn(incoming, withoutTasks(message)))
  }

  /** Ends a session, whichever process knows it. */
  async #end({ response, exchange }: Incoming, id: string): Promise<void> {
    if (await this.#keeping.end(id, exchange.owner)) response.writeHead(200).end()
    else refuseUnknown(response)
  }

  /** Takes answers to questions of ours out of what was posted. `rest`: what is left for the SDK. */
  async #takeAnswers(session: Session, message: unknown): Promise<{ rest: unknown } | 'nothing' | 'lost'> {
    const isBatch = Array.isArray(message) && takesBatches(session.state.revision)
    const messages = isBatch ? (message as unknown[]) : [message]
    const became = await Promise.all(messages.map((one) => this.#questions.take(session.state.name, one)))
    if (became.includes('lost')) return 'lost'
    if (!became.includes('taken')) return { rest: message }
    const rest = messages.filter((_, index) => became[index] === null)
    return rest.length === 0 ? 'nothing' : { rest }
  }

  /** A session with an open request does not end for being idle. */
  async #keptOpen(session: Session, response: ServerResponse, answering: Promise<void>): Promise<void> {
    // Gone while Redis was asked: its `close` is over and would never be heard.
    if (!response.destroyed) {
      session.open++
      response.once('close', () => {
        session.open--
        this.#keeping.touch(session.id)
      })
    }
    await answering
  }
}

const refuseUnknown = (response: ServerResponse) =>
  refuse(response, 404, codes.sessionNotFound, 'There is no such session; begin a new one with initialize')

function refuseMore(response: ServerResponse): void {
  response.setHeader('Retry-After', '5')
  refuse(response, 503, codes.server, 'There are too many open sessions; try again in some seconds')
}

/**
 * Who declares no tasks passes over the wish for one; the SDK would refuse the call.
 * Source: MCP 2025-11-25, tasks, capability negotiation.
 */
function withoutTasks(message: unknown): unknown {
  if (!isRecord(message) || !isRecord(message['params']) || !Object.hasOwn(message['params'], 'task')) return message
  const { task: _, ...params } = message['params']
  return { ...message, params }
}

/** The request that a notification takes back. */
function takenBack(message: unknown): (string | number)[] {
  if (!isRecord(message) || message['method'] !== 'notifications/cancelled' || !isRecord(message['params'])) return []
  const { requestId } = message['params']
  return isId(requestId) ? [requestId] : []
}

const isId = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number'
