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
 * because it can hold a code. With no transport set nothing is queued, so there is nothing to do.
 */
export function startCourier({ context, backoff: pauses = backoff }: CourierOptions): { stop(): Promise<void> } {
  const { db, notices, log, settings } = context
  const transports: Partial<Record<Letter['channel'], Transport>> = {
    ...(settings.smtpUrl !== undefined && { email: mailTransport(settings.smtpUrl, settings.publicUrl) }),
    ...(settings.smsUrl !== undefined && { sms: textTransport(settings.smsUrl) }),
  }
  const channels = Object.keys(transports)
  if (settings.production && !transports.email) log.error('SMTP_URL is not set: no mail leaves this installation')
  if (channels.length === 0) return { stop: async () => undefined }

  const finish = (letter: Waiting, status: 'sent' | 'failed') =>
    db.raw(`update messages set status = ?, body = '', updated_at = now() where id = ? and status = 'queued'`, [status, letter.id])
  const retry = (letter: Waiting) =>
    db.raw(`update messages set due_at = now() + ? * interval '1 s', updated_at = now() where id = ? and status = 'queued'`,
      [backoffSeconds(letter.attempts, pauses), letter.id])

  const deliver = async (letter: Waiting) => {
    try {
      await transports[letter.channel]?.send(letter)
      await finish(letter, 'sent')
    } catch (cause) {
      const over = cause instanceof Refused || letter.attempts >= attemptsAtMost
      log.warn({ err: cause, message: letter.id, attempt: letter.attempts, over }, 'a message could not be delivered')
      await (over ? finish(letter, 'failed') : retry(letter))
    }
  }
  const look = async () => {
    for (;;) {
      const { rows } = await db.raw<{ rows: Waiting[] }>(
        `with due as (select id from messages where status = 'queued' and due_at <= now() and channel = any(?::text[])
           order by due_at limit ? for update skip locked)
         update messages set attempts = attempts + 1, due_at = now() + interval '${holdSeconds} s'
         where id = any(array(select id from due)) returning *`, [channels, batch])
      await Promise.all(rows.map(deliver))
      if (rows.length < batch) return
    }
  }
  const looking = repeat(lookEvery, look, (cause) => log.error({ err: cause }, 'the look for messages failed'))
  const deafen = notices.on(messageChannel, () => looking.soon())
  return {
    async stop() {
      deafen()
      await looking.stop()
      for (const transport of Object.values(transports)) transport.close()
    },
  }
}
