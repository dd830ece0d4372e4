import type { ServerResponse } from 'node:http'
import { isRecord } from '../../../tools/openapi.ts'
import { sessionDialect } from '../methods/method-call.ts'
import type { McpMethods } from '../methods/methods.ts'
import type { Metrics } from '../../shared/metrics.ts'
import { codes } from '../protocol-error.ts'
import { getMessageId, sendErrorResponse } from '../respond.ts'
import type { Sealer } from '../../shared/seal.ts'
import type { SessionLimits } from '../../shared/session-cache.ts'
import type { SharedState } from '../../shared/shared-state.ts'
import type { Era, IncomingRequest } from '../era.ts'
import { SessionRegistry } from './session-registry.ts'
import { answerList } from './lists.ts'
import { PendingElicitations } from './pending-elicitations.ts'
import { parsePlainRequest, parseDirectRequest } from './direct-requests.ts'
import { withRevision, isRevision, negotiateRevision, revisions, supportsBatches } from './revisions.ts'
import type { OpenRequest, Session } from './session.ts'

type JsonRpcMessage = Readonly<Record<string, unknown>>

export interface SessionEraOptions {
  readonly sealer: Sealer
  readonly shared: SharedState
  readonly limits?: SessionLimits | undefined
  readonly metrics?: Metrics
}

/** The share of the stop's timeout in which people may still answer questions. */
const answerTimeShare = 0.6

/**
 * The era of the revisions that begin with `initialize` and continue with an Mcp-Session-Id. The id contains the
 * session, so any process can take the next request, even after a restart.
 */
export class SessionEra implements Era {
  readonly name = 'session'
  readonly #methods: McpMethods
  readonly #shared: SharedState
  readonly #sessions: SessionRegistry
  readonly #pendingElicitations: PendingElicitations
  readonly #bypassSdk: boolean

  constructor(methods: McpMethods, { sealer, shared, limits, metrics }: SessionEraOptions) {
    this.#methods = methods
    this.#shared = shared
    this.#pendingElicitations = new PendingElicitations(shared, metrics)
    this.#sessions = new SessionRegistry({
      methods,
      pendingElicitations: this.#pendingElicitations,
      sealer,
      shared,
      limits,
    })
    this.#bypassSdk = limits?.bypassSdk ?? true
  }

  /** The number of sessions in memory. */
  get size(): number {
    return this.#sessions.size
  }

  canHandle(): boolean {
    return true
  }

  async handle(incoming: IncomingRequest): Promise<void> {
    const { request, response, message } = incoming
    const id = request.headers['mcp-session-id']
    const protocolVersion = request.headers['mcp-protocol-version']
    if (protocolVersion !== undefined && !isRevision(protocolVersion)) {
      return sendErrorResponse(
        response,
        400,
        codes.server,
        `This MCP-Protocol-Version is not spoken here; it is one of ${revisions.join(', ')}`,
        getMessageId(message),
      )
    }
    if (typeof id === 'string') {
      if (request.method === 'DELETE') return await this.#endSession(incoming, id)
      return await this.#continueSession(incoming, id)
    }
    if (isRecord(message) && message['method'] === 'initialize') return await this.#beginSession(incoming, message)
    sendErrorResponse(
      response,
      400,
      codes.server,
      'The header Mcp-Session-Id is missing; a session begins with initialize',
      getMessageId(message),
    )
  }

  drain(timeoutMs: number): void {
    for (const session of this.#sessions.listSessions()) session.endListening()
    setTimeout(() => this.#pendingElicitations.cancelAll(), timeoutMs * answerTimeShare).unref()
  }

  close(): void {
    this.#pendingElicitations.cancelAll()
    this.#sessions.closeAll()
  }

  async #beginSession(incoming: IncomingRequest, message: JsonRpcMessage): Promise<void> {
    const { response, context, view } = incoming
    const revision = negotiateRevision(message)
    const instructions = this.#methods.getInstructions(view)
    const session = await this.#sessions.createSession(revision, message['params'], context.callerHash, instructions)
    if (!session) return sendTooManySessions(response, message)
    await this.#keepOpen(session, response, session.handleMessage(incoming, withRevision(message, revision)))
  }

  async #continueSession(incoming: IncomingRequest, id: string): Promise<void> {
    const { response, context, message } = incoming
    const session =
      this.#sessions.getSession(id, context.callerHash) ?? (await this.#sessions.findSession(id, context.callerHash))
    if (session === 'none') return sendUnknownSession(response, message)
    if (session === 'full') return sendTooManySessions(response, message)
    const isAnswer = !isRecord(message) || typeof message['method'] !== 'string'
    if (!isAnswer) return await this.#answerMessage(session, incoming, message)
    const remaining = await this.#takeAnswers(session, message)
    if (remaining === 'lost')
      return sendErrorResponse(
        response,
        503,
        codes.server,
        'The process that asked this cannot be reached, or its call has ended',
      )
    if (remaining === 'nothing') return void response.writeHead(202).end()
    await this.#answerMessage(session, incoming, remaining.rest)
  }

  async #answerMessage(session: Session, incoming: IncomingRequest, message: unknown): Promise<void> {
    const { response, context, view } = incoming
    const { revision, name } = session.state
    const messages = Array.isArray(message) ? (message as unknown[]) : [message]
    if (Array.isArray(message) && !supportsBatches(revision)) {
      return sendErrorResponse(response, 400, codes.invalidRequest, `Revision ${revision} takes one message a request`)
    }
    const ids = messages.flatMap((one) => (isRecord(one) && 'method' in one && isId(one['id']) ? [one['id']] : []))
    if (new Set(ids).size < ids.length || ids.some((one) => session.openRequests.has(one))) {
      return sendErrorResponse(
        response,
        400,
        codes.invalidRequest,
        'The id of this request is still in use in this session',
      )
    }
    const plain = this.#bypassSdk ? parsePlainRequest(message, incoming.request.headers.accept) : null
    if (plain && answerList(plain, incoming, this.#methods, session.id)) return
    const openRequest: OpenRequest = { context, view }
    if (!response.destroyed) for (const one of ids) session.openRequests.set(one, openRequest)
    // It comes once; `once` would wrap the listener, for every request.
    response.on('close', () => {
      for (const one of ids) if (session.openRequests.get(one) === openRequest) session.openRequests.delete(one)
    })
    const listContext = { view, dialect: sessionDialect }
    const directRequest =
      plain
      && parseDirectRequest(
        plain,
        (params) => this.#methods.canElicit({ ...listContext, params }),
        (params) => this.#methods.canNotifyProgress({ ...listContext, params }),
      )
    if (directRequest) return await this.#keepOpen(session, response, session.answerDirectly(directRequest, incoming))
    for (const cancelled of messages.flatMap(getCancelledIds)) {
      // A request that is not open here may be open in another process.
      if (session.openRequests.has(cancelled)) session.cancelDirect(cancelled)
      else await this.#shared.notifySession(name, { cancelled })
    }
    await this.#keepOpen(session, response, session.handleMessage(incoming, removeTaskParam(message)))
  }

  /** Ends a session in all processes. */
  async #endSession({ response, context }: IncomingRequest, id: string): Promise<void> {
    if (await this.#sessions.endSession(id, context.callerHash)) response.writeHead(200).end()
    else sendUnknownSession(response, undefined)
  }

  /** Takes the answers to our questions out of a posted message. `rest` is what is left for the SDK. */
  async #takeAnswers(session: Session, message: unknown): Promise<{ rest: unknown } | 'nothing' | 'lost'> {
    const isBatch = Array.isArray(message) && supportsBatches(session.state.revision)
    const messages = isBatch ? (message as unknown[]) : [message]
    const outcomes = await Promise.all(
      messages.map((one) => this.#pendingElicitations.takeAnswer(session.state.name, one)),
    )
    if (outcomes.includes('lost')) return 'lost'
    if (!outcomes.includes('taken')) return { rest: message }
    const rest = messages.filter((_, index) => outcomes[index] === null)
    return rest.length === 0 ? 'nothing' : { rest }
  }

  /** Counts an open request, so that its session does not end for being idle. */
  async #keepOpen(session: Session, response: ServerResponse, answering: Promise<void>): Promise<void> {
    // The response may have closed while Redis was asked; its `close` event would then never come.
    if (!response.destroyed) {
      session.openRequestCount++
      response.on('close', () => {
        session.openRequestCount--
        this.#sessions.touch(session.id)
      })
    }
    await answering
  }
}

function sendUnknownSession(response: ServerResponse, message: unknown): void {
  const text = 'There is no such session; begin a new one with initialize'
  sendErrorResponse(response, 404, codes.sessionNotFound, text, getMessageId(message))
}

function sendTooManySessions(response: ServerResponse, message: unknown): void {
  response.setHeader('Retry-After', '5')
  const text = 'There are too many open sessions; try again in some seconds'
  sendErrorResponse(response, 503, codes.server, text, getMessageId(message))
}

/**
 * Removes the request for a task. A server that declares no tasks must ignore it, but the SDK would refuse the call.
 * Source: MCP 2025-11-25, tasks, capability negotiation.
 */
function removeTaskParam(message: unknown): unknown {
  if (!isRecord(message) || !isRecord(message['params']) || !Object.hasOwn(message['params'], 'task')) return message
  const { task: _, ...params } = message['params']
  return { ...message, params }
}

/** Returns the id of the request that a notification cancels. */
function getCancelledIds(message: unknown): (string | number)[] {
  if (!isRecord(message) || message['method'] !== 'notifications/cancelled' || !isRecord(message['params'])) return []
  const { requestId } = message['params']
  return isId(requestId) ? [requestId] : []
}

const isId = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number'
