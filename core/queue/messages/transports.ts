import type { Message } from '../../kernel/ports/messenger.ts'

/** A row of a message that waits. */
export interface Letter {
  id: string
  channel: Message['channel']
  recipient: string
  subject: string
  body: string
  /** The HTML of a mail, which it has beside its text; null for a text message. */
  html: string | null
}

export interface Transport {
  /**
   * Sends a message. Resolves when the receiver has accepted it. @throws MessageRefusedError if the receiver will never
   * accept it; any other error means that a retry may succeed
   */
  send(letter: Letter): Promise<void>
  close(): void
}

/** Thrown if the receiver says that a message can never be delivered. */
export class MessageRefusedError extends Error {
  override name = 'MessageRefusedError'
}

/** Timeout in milliseconds. */
const transportTimeoutMs = 10_000

/**
 * Creates a transport for e-mail by SMTP. The sender is the address's `from` parameter,
 * `smtps://user:password@host?from=Name%20<a@b.c>`, or else no-reply at the public host. All attempts have the same
 * Message-ID, so that receivers can recognize a repetition.
 */
export function createMailTransport(smtpUrl: string, publicUrl: string): Transport {
  const url = new URL(smtpUrl)
  const host = new URL(publicUrl).hostname
  const from = url.searchParams.get('from') ?? `no-reply@${host}`
  url.searchParams.delete('from')
  // Loaded with the first message, because most processes send none.
  const load = async () =>
    (await import('nodemailer')).createTransport(
      {
        url: url.href,
        pool: true,
        maxConnections: 4,
        connectionTimeout: transportTimeoutMs,
        greetingTimeout: transportTimeoutMs,
        socketTimeout: 2 * transportTimeoutMs,
      } as object,
      { from },
    )
  let loaded: ReturnType<typeof load> | undefined
  return {
    async send({ id, recipient, subject, body, html }) {
      const message = {
        to: { name: '', address: recipient },
        subject,
        text: body,
        ...(html !== null && { html }),
        messageId: `<${id}@${host}>`,
      }
      const mailer = await (loaded ??= load())
      await mailer.sendMail(message).catch((cause: Error & { responseCode?: number }) => {
        if ((cause.responseCode ?? 0) >= 500)
          throw new MessageRefusedError('the mail server refused the message', { cause })
        throw cause
      })
    },
    close: () => void loaded?.then((mailer) => mailer.close()),
  }
}

/**
 * Creates a transport for text messages by any gateway that accepts `POST {"id", "to", "text"}` as JSON and answers 2xx
 * when it has the message. `Idempotency-Key` is the id. User and password of the address are sent as Basic
 * authentication. A 4xx answer is final, except 408 and 429.
 */
export function createTextTransport(smsUrl: string): Transport {
  const url = new URL(smsUrl)
  const credentials = [url.username, url.password].map(decodeURIComponent).join(':')
  const basic = Buffer.from(credentials).toString('base64')
  const authorization = credentials === ':' ? {} : { authorization: `Basic ${basic}` }
  url.username = url.password = ''
  return {
    async send({ id, recipient, body }) {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': id, ...authorization },
        body: JSON.stringify({ id, to: recipient, text: body }),
        redirect: 'error',
        signal: AbortSignal.timeout(transportTimeoutMs),
      })
      await answer.body?.cancel()
      if (answer.ok) return
      const final = answer.status >= 400 && answer.status < 500 && answer.status !== 408 && answer.status !== 429
      throw new (final ? MessageRefusedError : Error)(`the gateway of text messages answered ${answer.status}`)
    },
    close: () => undefined,
  }
}
