import { randomUUID } from 'node:crypto'
import { isRecord } from '../../../tools/openapi.ts'
import { noMetrics, type Metrics } from '../../shared/metrics.ts'
import type { SharedState } from '../../shared/shared-state.ts'

/** A message that the bridge itself sends to a client. */
export interface ServerMessage {
  readonly jsonrpc: '2.0'
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  readonly id?: string
}

/** A client's answer to a question, unchanged. */
export type ClientAnswer = { readonly result: unknown } | { readonly error: unknown }

export interface ElicitationRequest {
  /** Sends a message on the stream of the call that asks. */
  readonly send: (message: ServerMessage) => Promise<void>
  /** The parameters of `elicitation/create`. */
  readonly params: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  /** The milliseconds after which nobody waits for the answer any more. */
  readonly timeoutMs: number
}

interface PendingElicitation {
  readonly session: string
  readonly resolveAnswer: (answered: ClientAnswer | null) => void
}

/** The highest number of open questions in one session. */
const maxOpenElicitations = 20

/** The pattern `<process>.<uuid>` of a question's id, which says which process waits for the answer. */
const elicitationIdPattern = /^([0-9a-f-]{36})\.[0-9a-f-]{36}$/

/**
 * The questions that this process waits for an answer to. The balancer may send an answer to any process, which then
 * delivers it to the process that asked. The ids are our own and never repeat: the SDK numbers the questions of each
 * server from 0, so two processes would use the same ids in one session. An answer counts only in the session that was
 * asked.
 */
export class PendingElicitations {
  readonly #metrics: Metrics
  readonly #shared: SharedState
  readonly #pending = new Map<string, PendingElicitation>()
  #isStopped = false

  constructor(shared: SharedState, metrics: Metrics = noMetrics) {
    this.#metrics = metrics
    this.#shared = shared
    shared.onAnswer((message) => this.#receiveAnswer(message))
  }

  /**
   * Asks a question and waits for the answer. Returns null if the time is over or the bridge stops.
   * @param session the name of the session
   * @throws the signal's reason
   */
  async elicit(session: string, { send, params, signal, timeoutMs }: ElicitationRequest): Promise<ClientAnswer | null> {
    signal.throwIfAborted()
    if (this.#isStopped) return null
    const open = [...this.#pending.values()].filter((one) => one.session === session)
    if (open.length >= maxOpenElicitations)
      return { error: { message: `There are ${maxOpenElicitations} open questions in this session` } }
    const id = `${this.#shared.processId}.${randomUUID()}`
    const { promise, resolve, reject } = Promise.withResolvers<ClientAnswer | null>()
    // The promise may be rejected while this function is still sending and not yet awaiting it.
    promise.catch(() => undefined)
    const timer = setTimeout(() => resolve(null), timeoutMs)
    const rejectAborted = () => reject(signal.reason as Error)
    signal.addEventListener('abort', rejectAborted, { once: true })
    this.#pending.set(id, { session, resolveAnswer: resolve })
    try {
      await send({ jsonrpc: '2.0', id, method: 'elicitation/create', params })
      const clientAnswer = await promise
      this.#metrics.recordElicitation(getAnswerLabel(clientAnswer))
      // The stream may be gone by now.
      if (clientAnswer === null) await send(createCancelNotification(id)).catch(() => undefined)
      return clientAnswer
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', rejectAborted)
      this.#pending.delete(id)
    }
  }

  /**
   * Delivers a posted message if it answers a question of this bridge. Returns `lost` if the process that asked cannot
   * be reached, and null if the message answers none of our questions.
   */
  async takeAnswer(session: string, message: unknown): Promise<'taken' | 'lost' | null> {
    if (!isRecord(message) || 'method' in message || typeof message['id'] !== 'string') return null
    const process = elicitationIdPattern.exec(message['id'])?.[1]
    if (process === undefined) return null
    const { id, result, error } = message
    return (await this.#shared.deliverAnswer(process, { session, id, result, error })) ? 'taken' : 'lost'
  }

  /** Ends all open questions without an answer; no new ones can be asked. */
  cancelAll(): void {
    this.#isStopped = true
    for (const { resolveAnswer } of this.#pending.values()) resolveAnswer(null)
  }

  #receiveAnswer(message: unknown): void {
    if (!isRecord(message) || typeof message['id'] !== 'string') return
    const pendingElicitation = this.#pending.get(message['id'])
    if (!pendingElicitation || pendingElicitation.session !== message['session']) return
    pendingElicitation.resolveAnswer(
      message['error'] === undefined ? { result: message['result'] } : { error: message['error'] },
    )
  }
}

function getAnswerLabel(answered: ClientAnswer | null): 'accept' | 'decline' | 'cancel' | 'unable' {
  if (answered === null) return 'cancel'
  const action = 'result' in answered && isRecord(answered.result) ? answered.result['action'] : undefined
  return action === 'accept' || action === 'decline' || action === 'cancel' ? action : 'unable'
}

const createCancelNotification = (id: string): ServerMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId: id, reason: 'Nobody waits for the answer any more' },
})
