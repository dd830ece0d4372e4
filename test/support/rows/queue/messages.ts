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
