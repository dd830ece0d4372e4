import type { Knex } from 'knex'

/** A message to a person, sent by e-mail or SMS, or shown in the outbox in development. */
export interface Message {
  to: string
  channel: 'email' | 'sms'
  subject: string
  text: string
}

export interface Messenger {
  /** Writes the message in the caller's transaction; it is sent after the commit. */
  sendMessage(trx: Knex, message: Message): Promise<void>
}
