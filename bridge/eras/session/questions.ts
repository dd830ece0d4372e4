import { randomUUID } from 'node:crypto'
import { isRecord } from '../../../tools/openapi.ts'
import { unmeasured, type Metrics } from '../../metrics.ts'
import type { Shared } from '../../shared.ts'

/** A message of the bridge's own to a client. */
export interface OwnMessage {
  readonly jsonrpc: '2.0'
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  readonly id?: string
}

/** What a client answered to a question, as it came. */
export type Answered = { readonly result: unknown } | { readonly error: unknown }

export interface Asking {
  /** Sends on the stream of the call that asks. */
  readonly send: (message: OwnMessage) => Promise<void>
  /** Of `elicitation/create`. */
  readonly params: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  /** Milliseconds after which nobody waits any more. */
  readonly patience: number
}

interface Waiting {
  readonly session: string
  readonly take: (answered: Answered | null) => void
}

/** The most questions that are open in one session. */
const most = 20

/** `<process>.<uuid>`: says which process waits for the answer. */
const ours = /^([0-9a-f-]{36})\.[0-9a-f-]{36}$/

/**
 * The questions this process waits for an answer of. An answer is posted, to whichever process the balancer chooses: it
 * is handed to the one that asked. The SDK numbers the questions of each server from 0, so two processes would use the
 * same ids in one session; ours are never used twice. An answer counts only in the session that was asked.
 */
export class Questions {
  readonly #metrics: Metrics
  readonly #shared: Shared
  readonly #waiting = new Map<string, Waiting>()
  #over = false

  constructor(shared: Shared, metrics: Metrics = unmeasured) {
    this.#metrics = metrics
    this.#shared = shared
    shared.onAnswer((message) => this.#hear(message))
  }

  /**
   * Asks, and waits for the answer. Null: the patience is over, or the bridge stops. Throws the signal's reason.
   * @param session name of the session
   */
  async ask(session: string, { send, params, signal, patience }: Asking): Promise<Answered | null> {
    signal.throwIfAborted()
    if (this.#over) return null
    const open = [...this.#waiting.values()].filter((one) => one.session === session)
    if (open.length >= most) return { error: { message: `There are ${most} open questions in this session` } }
    const id = `${this.#shared.process}.${randomUUID()}`
    const { promise, resolve, reject } = Promise.withResolvers<Answered | null>()
    // Whoever waits may still be sending when it is rejected.
    promise.catch(() => undefined)
    const late = setTimeout(() => resolve(null), patience)
    const left = () => reject(signal.reason as Error)
    signal.addEventListener('abort', left, { once: true })
    this.#waiting.set(id, { session, take: resolve })
    try {
      await send({ jsonrpc: '2.0', id, method: 'elicitation/create', params })
      const answered = await promise
      this.#metrics.asked(how(answered))
      // The stream may be gone by now.
      if (answered === null) await send(withdrawal(id)).catch(() => undefined)
      return answered
    } finally {
      clearTimeout(late)
      signal.removeEventListener('abort', left)
      this.#waiting.delete(id)
    }
  }

  /**
   * Takes a posted message where it answers a question of this bridge. `lost`: the process that asked cannot be
   * reached; null: it answers nothing of ours.
   */
  async take(session: string, message: unknown): Promise<'taken' | 'lost' | null> {
    if (!isRecord(message) || 'method' in message || typeof message['id'] !== 'string') return null
    const process = ours.exec(message['id'])?.[1]
    if (process === undefined) return null
    const { id, result, error } = message
    return (await this.#shared.answer(process, { session, id, result, error })) ? 'taken' : 'lost'
  }

  /** Nobody waits any more: what is open ends unanswered. */
  endAll(): void {
    this.#over = true
    for (const { take } of this.#waiting.values()) take(null)
  }

  #hear(message: unknown): void {
    if (!isRecord(message) || typeof message['id'] !== 'string') return
    const waiting = this.#waiting.get(message['id'])
    if (!waiting || waiting.session !== message['session']) return
    waiting.take(message['error'] === undefined ? { result: message['result'] } : { error: message['error'] })
  }
}

function how(answered: Answered | null): 'accept' | 'decline' | 'cancel' | 'unable' {
  if (answered === null) return 'cancel'
  const action = 'result' in answered && isRecord(answered.result) ? answered.result['action'] : undefined
  return action === 'accept' || action === 'decline' || action === 'cancel' ? action : 'unable'
}

const withdrawal = (id: string): OwnMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId: id, reason: 'Nobody waits for the answer any more' },
})
