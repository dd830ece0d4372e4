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

/** A message to a person, sent by e-mail or SMS, or shown in the outbox in development. */
export type Message = Mail | TextMessage

/** What a phone was told about a card, as the outbox of development shows it. */
export interface KeptPush {
  channel: 'apple-wallet' | 'google-wallet'
  /** The push token of the phone, or the identifier of the object. */
  to: string
  /** What the phone would show; empty if it shows nothing. */
  text: string
}

export interface Messenger {
  /** Writes the message in the caller's transaction; it is sent after the commit. */
  sendMessage(trx: Knex, message: Message): Promise<void>
  /** Writes into the outbox what phones would have been told, where nothing tells them. */
  keepPushes(trx: Knex, pushes: readonly KeptPush[]): Promise<void>
}
