import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'
import type { KeptPush, Mail, Message, Messenger } from '../../kernel/ports/messenger.ts'
import type { Notices } from '../../kernel/ports/notices.ts'
import { formatMailText } from '../../kernel/text/mail-text.ts'

/** The addresses of the transports. Messages of a channel without a transport stay in the outbox, as in development. */
export interface TransportSettings {
  smtpUrl?: string | undefined
  smsUrl?: string | undefined
}

/** Channel of the notice that a message waits. */
export const messageChannel = 'message'

/** What a messenger is made of. */
interface MessengerParts {
  settings: TransportSettings
  notices: Notices
  /** Renders the HTML of a mail, in the looks of its application. */
  renderMail: (trx: Knex, mail: Mail) => Promise<string>
}

/**
 * Creates the messenger of this process. A message is a row in the caller's transaction; a worker sends it after the
 * commit. The HTML of a mail is stored with its text, so that all attempts send the same.
 */
export function createPost({ settings, notices, renderMail }: MessengerParts): Messenger {
  return {
    async sendMessage(trx: Knex, message: Message): Promise<void> {
      const { to, channel, subject } = message
      const hasTransport = getTransportUrl(settings, channel) !== undefined
      const [text, html] =
        message.channel === 'sms'
          ? [message.text, null]
          : [formatMailText(message.parts), await renderMail(trx, message)]
      await trx.raw(
        'insert into messages (id, channel, recipient, subject, body, html, status) values (?, ?, ?, ?, ?, ?, ?)',
        [newId(), channel, to, subject, text, html, hasTransport ? 'queued' : 'kept'] as Knex.RawBinding[],
      )
      if (hasTransport) await notices.notify(trx, messageChannel, '')
    },
    async keepPushes(trx: Knex, pushes: readonly KeptPush[]): Promise<void> {
      if (pushes.length === 0) return
      await trx('messages').insert(
        pushes.map(({ channel, to, text }) => ({
          id: newId(),
          channel,
          recipient: to,
          subject: '',
          body: text,
          status: 'kept',
        })),
      )
    },
  }
}

/** Returns the address of the transport of a channel. */
const getTransportUrl = ({ smtpUrl, smsUrl }: TransportSettings, channel: Message['channel']) =>
  channel === 'email' ? smtpUrl : smsUrl
