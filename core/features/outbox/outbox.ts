import type { Knex } from 'knex'
import { createNotFoundProblem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'

/** A message as the outbox shows it. `text` is empty once a real transport has delivered the message. */
export interface OutboxMessage {
  id: string
  to: string
  channel: 'email' | 'sms' | 'apple-wallet' | 'google-wallet'
  subject: string
  text: string
  at: string
  /** Whether it has HTML beside its text. */
  hasHtml: boolean
}

const maxMessages = 200

/** Lists the newest messages first. @throws NOT_FOUND in production, where nobody may read other people's codes */
export async function listNewestMessages(db: Knex, { settings }: Pick<Context, 'settings'>): Promise<OutboxMessage[]> {
  if (settings.production) throw createNotFoundProblem()
  const newest = [
    { column: 'created_at', order: 'desc' },
    { column: 'id', order: 'desc' },
  ] as const
  const rows = await db('messages')
    .orderBy([...newest])
    .limit(maxMessages)
    .select<(Omit<OutboxMessage, 'at'> & { at: Date })[]>(
      'id',
      'recipient as to',
      'channel',
      'subject',
      'body as text',
      'created_at as at',
      db.raw('html is not null as "hasHtml"'),
    )
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }))
}

/**
 * Reads the HTML of a mail.
 * @throws NOT_FOUND for a message without HTML: a text message, a mail that has left or was given up, or one that was
 * written before mails had HTML; and in production
 */
export async function readMailHtml(db: Knex, { settings }: Pick<Context, 'settings'>, id: string): Promise<string> {
  const row = settings.production
    ? undefined
    : await db('messages').where({ id }).whereNotNull('html').first<{ html: string } | undefined>('html')
  if (!row) throw createNotFoundProblem()
  return row.html
}

/**
 * Checks whether a message of this channel can reach anybody: through the transport of the channel, or through the
 * outbox, which people read in development and tests only. If a message cannot be delivered, nothing may be stored that
 * waits for it.
 */
export function canDeliver(
  settings: Pick<Context['settings'], 'production' | 'smtpUrl' | 'smsUrl'>,
  channel: 'email' | 'sms',
): boolean {
  return (channel === 'email' ? settings.smtpUrl : settings.smsUrl) !== undefined || !settings.production
}
