import type { Knex } from 'knex'
import { newId } from '../database/model.ts'
import type { Message, Notices, Post } from '../kernel/parts.ts'

/** Where messages leave by. A channel without one keeps them in the outbox: development. */
export interface Transports { smtpUrl?: string | undefined; smsUrl?: string | undefined }

/** Tells workers that a message waits. */
export const messageChannel = 'message'

/** Messages of this process: rows in the caller's transaction, sent by a worker after its commit. */
export function postOf({ settings, notices }: { settings: Transports; notices: Notices }): Post {
  return {
    async send(trx: Knex, { to, channel, subject, text }: Message): Promise<void> {
      const leaves = transportOf(settings, channel) !== undefined
      await trx.raw('insert into messages (id, channel, recipient, subject, body, status) values (?, ?, ?, ?, ?, ?)',
        [newId(), channel, to, subject, text, leaves ? 'queued' : 'kept'])
      if (leaves) await notices.notify(trx, messageChannel, '')
    },
  }
}

/** The address that messages of this channel leave by. */
const transportOf = ({ smtpUrl, smsUrl }: Transports, channel: Message['channel']) =>
  (channel === 'email' ? smtpUrl : smsUrl)
