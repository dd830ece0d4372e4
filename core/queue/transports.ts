import type { Message } from '../kernel/parts.ts'

/** A message that waits, as the table has it. */
export interface Letter { id: string; channel: Message['channel']; recipient: string; subject: string; body: string }

export interface Transport {
  /** Resolves when the other side took the message. @throws Refused when it never will, any other error to try again */
  send(letter: Letter): Promise<void>
  close(): void
}

/** The other side says that this message can never be delivered. */
export class Refused extends Error {
  override name = 'Refused'
}

/** Milliseconds. */
const patience = 10_000

/**
 * Mail by SMTP. The sender is the address's own parameter, `smtps://user:password@host?from=Name%20<a@b.c>`, else
 * no-reply at the public host. The Message-ID is the same at every attempt, so that receivers can tell a repetition.
 */
export function mailTransport(smtpUrl: string, publicUrl: string): Transport {
  const url = new URL(smtpUrl)
  const host = new URL(publicUrl).hostname
  const from = url.searchParams.get('from') ?? `no-reply@${host}`
  url.searchParams.delete('from')
  // Loaded with the first letter: most processes send none.
  const load = async () => (await import('nodemailer')).createTransport({
    url: url.href, pool: true, maxConnections: 4,
    connectionTimeout: patience, greetingTimeout: patience, socketTimeout: 2 * patience,
  } as object, { from })
  let loaded: ReturnType<typeof load> | undefined
  return {
    async send({ id, recipient, subject, body }) {
      const message = { to: { name: '', address: recipient }, subject, text: body, messageId: `<${id}@${host}>` }
      const mailer = await (loaded ??= load())
      await mailer.sendMail(message).catch((cause: Error & { responseCode?: number }) => {
        if ((cause.responseCode ?? 0) >= 500) throw new Refused('the mail server refused the message', { cause })
        throw cause
      })
    },
    close: () => void loaded?.then((mailer) => mailer.close()),
  }
}

/**
 * Text messages by any gateway that takes `POST {"id", "to", "text"}` as JSON and answers 2xx once it has the message.
 * `Idempotency-Key` is the id. User and password in the address are sent as Basic authentication. 4xx is final, but
 * for 408 and 429.
 */
export function textTransport(smsUrl: string): Transport {
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
        signal: AbortSignal.timeout(patience),
      })
      await answer.body?.cancel()
      if (answer.ok) return
      const final = answer.status >= 400 && answer.status < 500 && answer.status !== 408 && answer.status !== 429
      throw new (final ? Refused : Error)(`the gateway of text messages answered ${answer.status}`)
    },
    close: () => undefined,
  }
}
