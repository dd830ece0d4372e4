import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'
import type { Message, Messenger } from '../../kernel/ports/messenger.ts'
import type { Notices } from '../../kernel/ports/notices.ts'

/** The addresses of the transports. Messages of a channel without a transport stay in the outbox, as in development. */
export interface TransportSettings {
  smtpUrl?: string | undefined
  smsUrl?: string | undefined
}

/** Channel of the notice that a message waits. */
export const messageChannel = 'message'

/**
 * Creates the messenger of this process. A message is a row in the caller's transaction; a worker sends it after the
 * commit.
 */
export function createPost({ settings, notices }: { settings: TransportSettings; notices: Notices }): Messenger {
  return {
    async sendMessage(trx: Knex, { to, channel, subject, text }: Message): Promise<void> {
      const hasTransport = getTransportUrl(settings, channel) !== undefined
      await trx.raw('insert into messages (id, channel, recipient, subject, body, status) values (?, ?, ?, ?, ?, ?)', [
        newId(),
        channel,
        to,
        subject,
        text,
        hasTransport ? 'queued' : 'kept',
      ])
      if (hasTransport) await notices.notify(trx, messageChannel, '')
    },
  }
}

/** Returns the address of the transport of a channel. */
const getTransportUrl = ({ smtpUrl, smsUrl }: TransportSettings, channel: Message['channel']) =>
  channel === 'email' ? smtpUrl : smsUrl
