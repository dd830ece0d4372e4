import type { Context } from '../kernel/work.ts'
import { messageChannel } from './post.ts'
import { repeat } from './repeat.ts'
import { backoffSeconds } from './retry.ts'
import { mailTransport, Refused, textTransport, type Letter, type Transport } from './transports.ts'

type Waiting = Letter & { attempts: number }

/** Attempts before a message is given up, over about a quarter of an hour. */
const attemptsAtMost = 9
const backoff = { least: 2, most: 300 }
const batch = 8
/** Milliseconds between two looks; a notice comes first. */
const lookEvery = 1_000
/** Seconds after which a message whose courier died is taken again; longer than any attempt can take. */
const holdSeconds = 60

export interface CourierOptions {
  context: Pick<Context, 'db' | 'notices' | 'log' | 'settings'>
  backoff?: { least: number; most: number }
}

/**
 * Sends what waits in the outbox: at least once, in practice once. A text that was delivered or given up is cleared,
 * because it can hold a code. Where no transport is set nothing is queued, so there is nothing to do.
 */
export function startCourier(options: CourierOptions): { stop(): Promise<void> } {
  const { notices, log, settings } = options.context
  const courier = new Courier(options)
  const mute = settings.production && settings.smtpUrl === undefined
  if (mute) log.error('SMTP_URL is not set: no mail leaves this installation')
  if (courier.channels.length === 0) return { stop: async () => undefined }
  const failed = (cause: unknown) => log.error({ err: cause }, 'the look for messages failed')
  const looking = repeat(lookEvery, () => courier.look(), failed)
  const deafen = notices.on(messageChannel, () => void looking.soon())
  return {
    async stop() {
      deafen()
      await looking.stop()
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
      ...(smtpUrl !== undefined && { email: mailTransport(smtpUrl, publicUrl) }),
      ...(smsUrl !== undefined && { sms: textTransport(smsUrl) }),
    }
  }

  get channels(): string[] {
    return Object.keys(this.#transports)
  }

  /** Delivers what is due. */
  async look(): Promise<void> {
    for (;;) {
      const { rows } = await this.#options.context.db.raw<{ rows: Waiting[] }>(
        `with due as (select id from messages where status = 'queued' and due_at <= now() and channel = any(?::text[])
           order by due_at limit ? for update skip locked)
         update messages set attempts = attempts + 1, due_at = now() + interval '${holdSeconds} s'
         where id = any(array(select id from due)) returning *`, [this.channels, batch])
      await Promise.all(rows.map((letter) => this.#deliver(letter)))
      if (rows.length < batch) return
    }
  }

  close(): void {
    for (const transport of Object.values(this.#transports)) transport.close()
  }

  async #deliver(letter: Waiting): Promise<void> {
    try {
      await this.#transports[letter.channel]?.send(letter)
      await this.#finish(letter, 'sent')
    } catch (cause) {
      const over = cause instanceof Refused || letter.attempts >= attemptsAtMost
      const { log } = this.#options.context
      log.warn({ err: cause, message: letter.id, attempt: letter.attempts, over }, 'a message could not be delivered')
      await (over ? this.#finish(letter, 'failed') : this.#postpone(letter))
    }
  }

  async #finish({ id }: Waiting, status: 'sent' | 'failed'): Promise<void> {
    await this.#options.context.db.raw(
      `update messages set status = ?, body = '', updated_at = now() where id = ? and status = 'queued'`, [status, id])
  }

  async #postpone({ id, attempts }: Waiting): Promise<void> {
    const seconds = backoffSeconds(attempts, this.#options.backoff ?? backoff)
    await this.#options.context.db.raw(
      `update messages set due_at = now() + ? * interval '1 s', updated_at = now() where id = ? and status = 'queued'`,
      [seconds, id])
  }
}
