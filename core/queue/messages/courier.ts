import type { Context } from '../../kernel/work.ts'
import { messageChannel } from './outbox.ts'
import { startRepetition } from '../upkeep/repeat.ts'
import { computeBackoffSeconds } from '../engine/backoff.ts'
import {
  createMailTransport,
  MessageRefusedError,
  createTextTransport,
  type Letter,
  type Transport,
} from './transports.ts'

type WaitingLetter = Letter & { attempts: number }

/** Maximum number of attempts to send a message, over about a quarter of an hour. */
const maxAttempts = 9
const defaultBackoff = { minSeconds: 2, maxSeconds: 300 }
const batchSize = 8
/** Milliseconds between two searches for messages; a notice triggers an earlier one. */
const lookIntervalMs = 1_000
/** Seconds after which a message is taken again if its courier died; longer than any attempt can take. */
const holdSeconds = 60

export interface CourierOptions {
  context: Pick<Context, 'db' | 'notices' | 'log' | 'settings'>
  backoff?: { minSeconds: number; maxSeconds: number }
}

/**
 * Starts to send the messages that wait in the outbox, at least once and in practice once. What a message says is
 * cleared once it was delivered or given up, because it may contain a code. Without a transport no message is queued.
 */
export function startCourier(options: CourierOptions): { stop(): Promise<void> } {
  const { notices, log, settings } = options.context
  const courier = new Courier(options)
  const isMute = settings.production && settings.smtpUrl === undefined
  if (isMute) log.error('SMTP_URL is not set: no mail leaves this installation')
  if (courier.channels.length === 0) return { stop: async () => undefined }
  const logFailure = (cause: unknown) => log.error({ err: cause }, 'the look for messages failed')
  const repetition = startRepetition(lookIntervalMs, () => courier.deliverDue(), logFailure)
  const unsubscribe = notices.subscribe(messageChannel, () => void repetition.runSoon())
  return {
    async stop() {
      unsubscribe()
      await repetition.stop()
      courier.close()
    },
  }
}

class Courier {
  readonly #options: CourierOptions
  readonly #transports: Partial<Record<Letter['channel'], Transport>>

  constructor(options: CourierOptions) {
    const { smtpUrl, smsUrl, publicUrl } = options.context.settings
    this.#options = options
    this.#transports = {
      ...(smtpUrl !== undefined && { email: createMailTransport(smtpUrl, publicUrl) }),
      ...(smsUrl !== undefined && { sms: createTextTransport(smsUrl) }),
    }
  }

  get channels(): string[] {
    return Object.keys(this.#transports)
  }

  /** Sends the messages that are due. */
  async deliverDue(): Promise<void> {
    for (;;) {
      const { rows } = await this.#options.context.db.raw<{ rows: WaitingLetter[] }>(
        `with due as (select id from messages where status = 'queued' and due_at <= now() and channel = any(?::text[])
           order by due_at limit ? for update skip locked)
         update messages set attempts = attempts + 1, due_at = now() + interval '${holdSeconds} s'
         where id = any(array(select id from due)) returning *`,
        [this.channels, batchSize],
      )
      await Promise.all(rows.map((letter) => this.#deliverMessage(letter)))
      if (rows.length < batchSize) return
    }
  }

  close(): void {
    for (const transport of Object.values(this.#transports)) transport.close()
  }

  async #deliverMessage(letter: WaitingLetter): Promise<void> {
    try {
      await this.#transports[letter.channel]?.send(letter)
      await this.#finishMessage(letter, 'sent')
    } catch (cause) {
      const over = cause instanceof MessageRefusedError || letter.attempts >= maxAttempts
      const { log } = this.#options.context
      log.warn({ err: cause, message: letter.id, attempt: letter.attempts, over }, 'a message could not be delivered')
      await (over ? this.#finishMessage(letter, 'failed') : this.#postponeMessage(letter))
    }
  }

  async #finishMessage({ id }: WaitingLetter, status: 'sent' | 'failed'): Promise<void> {
    await this.#options.context.db.raw(
      `update messages set status = ?, body = '', html = null, updated_at = now() where id = ? and status = 'queued'`,
      [status, id],
    )
  }

  async #postponeMessage({ id, attempts }: WaitingLetter): Promise<void> {
    const seconds = computeBackoffSeconds(attempts, this.#options.backoff ?? defaultBackoff)
    await this.#options.context.db.raw(
      `update messages set due_at = now() + ? * interval '1 s', updated_at = now() where id = ? and status = 'queued'`,
      [seconds, id],
    )
  }
}
