import type { Knex } from 'knex'
import { v7 } from 'uuid'
import type { MessageStatus } from '../messages.ts'

/** Messages about one subject that wait for a courier; no notice tells it. */
export interface NewLetters {
  subject: string
  channel?: 'email' | 'sms'
  recipient?: string
  count?: number
  /** How often each was tried before. */
  attempts?: number
}

/** Queues messages without a notice to a courier. @returns their ids */
export async function queueLetters(
  db: Knex,
  { subject, channel = 'sms', recipient = '+4915155555555', count = 1, attempts = 0 }: NewLetters,
): Promise<string[]> {
  const rows = Array.from({ length: count }, () => ({
    id: v7(),
    channel,
    recipient,
    subject,
    body: 'The code is 1.',
    status: 'queued',
    attempts,
  }))
  await db('messages').insert(rows)
  return rows.map(({ id }) => id)
}

export interface LetterState {
  id: string
  channel: 'email' | 'sms'
  recipient: string
  body: string
  /** The HTML of a mail, as long as its text is there. */
  html: string | null
  status: MessageStatus
  attempts: number
  /** The seconds until it is tried; negative once it may be. */
  dueInSeconds: number
}

/** Lists the messages about a subject, oldest first. */
export async function listLetters(db: Knex, subject: string): Promise<LetterState[]> {
  return db('messages')
    .where({ subject })
    .orderBy('id')
    .select<LetterState[]>(
      'id',
      'channel',
      'recipient',
      'body',
      'html',
      'status',
      'attempts',
      db.raw('extract(epoch from due_at - clock_timestamp())::float8 as "dueInSeconds"'),
    )
}

/** Lists the messages to a recipient, newest first. */
export async function listLettersTo(db: Knex, recipient: string): Promise<Pick<LetterState, 'status' | 'body'>[]> {
  return db('messages').where({ recipient }).orderBy('id', 'desc').select<LetterState[]>('status', 'body')
}
