import type { Knex } from 'knex'

export interface KeptCallback {
  card: string
  nonce: string
  event: 'save' | 'del'
  expiresAt: Date
}

/**
 * Keeps a report about a card, whose account the caller holds. @returns whether it is the newest of the card, was kept
 * before, or is about an earlier event than another
 */
export async function keepCallback(
  trx: Knex,
  { card, nonce, event, expiresAt }: KeptCallback,
): Promise<'newest' | 'known' | 'late'> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `insert into card_callbacks (card, nonce, event, expires_at) values (?, ?, ?, ?)
     on conflict (card, nonce) do nothing`,
    [card, nonce, event, expiresAt],
  )
  if (rowCount === 0) return 'known'
  const { rows } = await trx.raw<{ rows: [{ isLate: boolean }] }>(
    `select exists (select from card_callbacks where card = :card and nonce <> :nonce
       and (expires_at > :expiresAt or expires_at = :expiresAt and event = 'del' and :event = 'save')) as "isLate"`,
    { card, nonce, event, expiresAt } as Record<string, Knex.RawBinding>,
  )
  return rows[0].isLate ? 'late' : 'newest'
}
