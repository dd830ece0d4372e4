import type { Knex } from 'knex'
import type { Card } from './cards.store.ts'

/** A phone that has a card of Apple Wallet. */
export interface Registration {
  card: string
  device: string
  pushToken: string
}

/** The most phones that have one card. One more takes the place of the one that was heard of longest ago. */
const maxDevices = 20

/** Registers a phone for a card. The account is locked. @returns whether it was not registered before */
export async function insertRegistration(trx: Knex, { card, device, pushToken }: Registration): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: [{ isNew: boolean }] }>(
    `insert into card_registrations (device, card, push_token) values (?, ?, ?)
     on conflict (device, card) do update set push_token = excluded.push_token, updated_at = now()
     returning xmax = 0 as "isNew"`,
    [device, card, pushToken],
  )
  const [{ isNew }] = rows
  if (isNew)
    await trx.raw(
      `delete from card_registrations where card = ? and device <> ? and device not in (
         select device from card_registrations where card = ? and device <> ? order by updated_at desc limit ?)`,
      [card, device, card, device, maxDevices - 1],
    )
  return isNew
}

/**
 * Ends the registration of a phone. The account is locked.
 * @returns how many phones still have the card; null if this one was not registered
 */
export async function deleteRegistration(
  trx: Knex,
  { card, device }: Pick<Registration, 'card' | 'device'>,
): Promise<number | null> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    'delete from card_registrations where card = ? and device = ?',
    [card, device],
  )
  return rowCount === 0 ? null : countRegistrations(trx, card)
}

/** Counts the phones that have a card. */
export async function countRegistrations(db: Knex, card: string): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ count: number }] }>(
    'select count(*)::int as count from card_registrations where card = ?',
    [card],
  )
  return rows[0].count
}

/** Finds the phones that have cards. */
export async function findRegistrations(db: Knex, cards: readonly string[]): Promise<Registration[]> {
  if (cards.length === 0) return []
  const { rows } = await db.raw<{ rows: Registration[] }>(
    'select card, device, push_token as "pushToken" from card_registrations where card = any(?::uuid[])',
    [cards as string[]],
  )
  return rows
}

/** Checks whether a phone is registered for any card. */
export async function isKnownDevice(db: Knex, device: string): Promise<boolean> {
  const { rows } = await db.raw<{ rows: [{ found: boolean }] }>(
    'select exists (select from card_registrations where device = ?) as found',
    [device],
  )
  return rows[0].found
}

type CardOfDevice = Pick<Card, 'id' | 'application' | 'account' | 'changedAt'>

/** The most cards of one phone. */
const maxCardsOfDevice = 200

/** Lists the cards that a phone is registered for, as far as they decide about an update. */
export async function listCardsOfDevice(db: Knex, device: string): Promise<CardOfDevice[]> {
  const { rows } = await db.raw<{ rows: CardOfDevice[] }>(
    `select c.id, c.application, c.account, c.changed_at as "changedAt"
     from card_registrations r join loyalty_cards c on c.id = r.card where r.device = ? order by c.id limit ?`,
    [device, maxCardsOfDevice],
  )
  return rows
}

/**
 * Ends registrations with a token that the wallet refuses, unless the phone registered again after that.
 * @param endedAt since when the token is refused
 * @returns whether the phone is registered no more
 */
export async function deleteToken(
  trx: Knex,
  { card, device, pushToken }: Registration,
  endedAt: Date | null,
): Promise<boolean> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `delete from card_registrations where card = ? and device = ? and push_token = ?
       and updated_at <= coalesce(?::timestamptz, 'infinity')`,
    [card, device, pushToken, endedAt?.toISOString() ?? null] as Knex.RawBinding[],
  )
  return rowCount > 0
}
