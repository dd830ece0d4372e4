import type { Knex } from 'knex'
import type { MailPart } from '../text/mail-text.ts'

interface AddressedMessage {
  to: string
  subject: string
}

/**
 * An e-mail to a person. Its parts are what it says; its plain text and its HTML are both made of them.
 */
export interface Mail extends AddressedMessage {
  channel: 'email'
  parts: readonly MailPart[]
  /** The language of the parts, such as `fr`. */
  language: string
  /** The application in whose looks it is; null for the platform's own looks. */
  application: string | null
}

/** A text message to a person. */
export interface TextMessage extends AddressedMessage {
  channel: 'sms'
  text: string
}

/** A message on a card in a phone's wallet, where no wallet is connected: it only stands in the outbox. */
export interface CardPush {
  channel: 'apple-wallet' | 'google-wallet'
  /** The push token of a phone, or the identifier of a card. */
  to: string
  text: string
}

/** A message to a person, sent by e-mail or SMS, or shown in the outbox in development. */
export type Message = Mail | TextMessage | CardPush

export interface Messenger {
  /** Writes the message in the caller's transaction; it is sent after the commit. */
  sendMessage(trx: Knex, message: Message): Promise<void>
}
