import type { Knex } from 'knex'
import { v7 } from 'uuid'

/** What has become of a message: `kept` is one of a channel without a transport. */
export type MessageStatus = 'queued' | 'sent' | 'failed' | 'kept'

/** A message to write: an e-mail that was sent, unless it says otherwise. */
export interface NewMessageRow {
  createdAt: Date
  status?: MessageStatus
  subject?: string
}

export interface StoredMessage {
  id: string
  subject: string
}

/** Inserts messages of any age, which no courier sends unless they are queued. @returns their ids */
export async function insertMessages(db: Knex, messages: readonly NewMessageRow[]): Promise<string[]> {
  const rows = messages.map(({ createdAt, status = 'sent', subject = '' }) => ({
    id: v7(),
    channel: 'email',
    recipient: 'a@b.example',
    subject,
    body: '',
    status,
    created_at: createdAt,
  }))
  await db.batchInsert('messages', rows, 3_000)
  return rows.map(({ id }) => id)
}

/** Lists the messages, or those in one state, oldest first. */
export async function listMessages(db: Knex, { status }: { status?: MessageStatus } = {}): Promise<StoredMessage[]> {
  return db('messages')
    .where(status === undefined ? {} : { status })
    .orderBy('created_at')
    .select<StoredMessage[]>('id', 'subject')
}

export interface Delivery {
  status: MessageStatus
  /** Empty once the message has left or has been given up. */
  body: string
  /** Null then. */
  html: string | null
  attempts: number
}

/** Lists what has become of each message, oldest first. No page and no answer shows it of messages with a transport. */
export async function listDeliveries(db: Knex): Promise<Delivery[]> {
  return db('messages').orderBy('created_at').select<Delivery[]>('status', 'body', 'html', 'attempts')
}

/** Holds the row of a message, as a courier does while it sends. @returns a function that lets go of it */
export async function holdMessage(db: Knex, id: string): Promise<() => Promise<void>> {
  const trx = await db.transaction()
  await trx('messages').where({ id }).forUpdate().first('id')
  return async () => {
    await trx.rollback()
  }
}

/** Deletes all messages, or those in one state, of a database that no other test uses meanwhile. */
export async function deleteMessages(db: Knex, { status }: { status?: MessageStatus } = {}): Promise<void> {
  await db('messages')
    .where(status === undefined ? {} : { status })
    .delete()
}
