import type { Knex } from 'knex'
import { notFound } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'

/** A message as the outbox shows it. `text` is empty once it was delivered by a real transport. */
export interface OutboxMessage {
  id: string
  to: string
  channel: 'email' | 'sms'
  subject: string
  text: string
  at: string
}

const shownAtMost = 200

/** Reads the newest messages first. @throws NOT_FOUND in production, where nobody may read other people's codes */
export async function newestMessages(db: Knex, { settings }: Pick<Context, 'settings'>): Promise<OutboxMessage[]> {
  if (settings.production) throw notFound()
  const newest = [{ column: 'created_at', order: 'desc' }, { column: 'id', order: 'desc' }] as const
  const rows = await db('messages').orderBy([...newest]).limit(shownAtMost)
    .select<(Omit<OutboxMessage, 'at'> & { at: Date })[]>(
      'id', 'recipient as to', 'channel', 'subject', 'body as text', 'created_at as at')
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }))
}

/**
 * Tells whether a message of this channel can reach anybody: over its own transport, else by the outbox, which people
 * read in development and tests only. Where it cannot, nothing may be kept that waits for it.
 */
export function canDeliver(settings: Pick<Context['settings'], 'production' | 'smtpUrl' | 'smsUrl'>, channel: OutboxMessage['channel']): boolean {
  return (channel === 'email' ? settings.smtpUrl : settings.smsUrl) !== undefined || !settings.production
}
