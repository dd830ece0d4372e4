import { randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import type { Context } from '../../../kernel/work.ts'
import type { CardChannel } from '../../accounts/index.ts'
import type { AccountListener, OrganizationErasure } from '../../area.ts'
import { sealCardToken } from './secrets.ts'

/** A card of an account in one wallet. */
export interface Card {
  /** The serial number of the Apple pass, and the end of the identifier of the Google object. */
  id: string
  organization: string
  application: string
  account: string
  channel: CardChannel
  /** What a phone shows to fetch the card, encrypted. */
  token: Buffer
  /** Whether a phone has it; null until one had it. */
  isHeld: boolean | null
  /** When what it shows last changed. */
  changedAt: Date
  memberNumber: string
  message: CardMessage | null
  /** Whether its account has changed, and the phones were not told yet. */
  isStale: boolean
  /** The version of what many cards share that a phone last got; null: none. */
  sharedVersion: string | null
}

/** The newest message on a card. */
export interface CardMessage {
  /** The campaign. */
  id: string
  headline: string
  body: string
}

interface CardRow extends Omit<Card, 'message'> {
  message: string | null
  headline: string | null
  body: string | null
}

const cardSql = `c.id, c.organization, c.application, c.account, c.channel, c.token, c.is_held as "isHeld",
  c.changed_at as "changedAt", c.message, t.headline, t.body,
  c.shared_version as "sharedVersion", m.member_number as "memberNumber",
  exists (select from card_updates u where u.account = c.account) as "isStale"
  from loyalty_cards c join loyalty_members m on m.account = c.account left join card_messages t on t.id = c.message`

const toCard = ({ message: id, headline, body, ...card }: CardRow): Card => ({
  ...card,
  message: id === null || headline === null || body === null ? null : { id, headline, body },
})

/** Reads cards by their ids. One that is gone is left out. */
export async function readCards(db: Knex, ids: readonly string[]): Promise<Card[]> {
  if (ids.length === 0) return []
  const { rows } = await db.raw<{ rows: CardRow[] }>(`select ${cardSql} where c.id = any(?::uuid[])`, [ids as string[]])
  return rows.map(toCard)
}

/** Finds a card by its id. */
export const findCard = async (db: Knex, id: string): Promise<Card | undefined> => (await readCards(db, [id]))[0]

/** Reads the cards that accounts have, of all channels. */
export async function readCardsOfAccounts(db: Knex, accounts: readonly string[]): Promise<Card[]> {
  if (accounts.length === 0) return []
  const { rows } = await db.raw<{ rows: CardRow[] }>(`select ${cardSql} where c.account = any(?::uuid[])`, [
    accounts as string[],
  ])
  return rows.map(toCard)
}

/** The letters of member numbers: none that is mistaken for another one. Source: Crockford, Base 32. */
const memberLetters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const memberBytes = 16

/** Draws a member number: 128 random bits in 26 letters, the first of which holds three bits. */
export function drawMemberNumber(): string {
  let bits = BigInt(`0x${randomBytes(memberBytes).toString('hex')}`)
  let text = ''
  for (let at = 0; at < 26; at++) {
    text = `${memberLetters[Number(bits & 31n)] ?? ''}${text}`
    bits >>= 5n
  }
  return text
}

/** The bytes of a token. A phone sends it as text. */
const tokenBytes = 32

/**
 * Returns the card of an account in a wallet, and makes it at first use. The account is held by the caller.
 * @param subject the account
 */
export async function ensureCard(
  trx: Knex,
  context: Pick<Context, 'settings'>,
  { account, organization, application }: Pick<Card, 'account' | 'organization' | 'application'>,
  channel: CardChannel,
): Promise<Card> {
  await trx.raw(
    `insert into loyalty_members (account, organization, application, member_number) values (?, ?, ?, ?)
     on conflict (account) do nothing`,
    [account, organization, application, drawMemberNumber()],
  )
  const id = newId()
  const token = sealCardToken(context, { id, organization }, randomBytes(tokenBytes).toString('hex'))
  await trx.raw(
    `insert into loyalty_cards (id, organization, application, account, channel, token) values (?, ?, ?, ?, ?, ?)
     on conflict (account, channel) do nothing`,
    [id, organization, application, account, channel, token],
  )
  const { rows } = await trx.raw<{ rows: [CardRow] }>(`select ${cardSql} where c.account = ? and c.channel = ?`, [
    account,
    channel,
  ])
  return toCard(rows[0])
}

/** Notes whether phones have cards. */
export async function recordHeld(trx: Knex, cards: readonly string[], isHeld: boolean): Promise<void> {
  await trx.raw('update loyalty_cards set is_held = ? where id = any(?::uuid[]) and is_held is distinct from ?', [
    isHeld,
    cards,
    isHeld,
  ] as Knex.RawBinding[])
}

/**
 * When a card that changes now has changed: a whole second, later than that of every change before, so that no change is
 * hidden behind the date of another one.
 */
export const nextChangeSql = `greatest(date_trunc('second', clock_timestamp()), changed_at + interval '1 second')`

/** Notes that cards show something else from now on. */
export async function touchCards(trx: Knex, cards: readonly string[]): Promise<void> {
  await trx.raw(
    `with locked as materialized (
       select id from loyalty_cards where id = any(?::uuid[]) order by id for no key update)
     update loyalty_cards c set changed_at = ${nextChangeSql} from locked where c.id = locked.id`,
    [cards as string[]],
  )
}

/** Notes which version of what many cards share a card has now. Another one than before is a change of the card. */
export async function recordSharedVersion(db: Knex, card: string, version: string): Promise<void> {
  await db.raw(
    `update loyalty_cards set shared_version = :version,
       changed_at = case when shared_version is null then changed_at else ${nextChangeSql} end
     where id = :card and shared_version is distinct from :version`,
    { card, version },
  )
}

/** Statements that delete the cards of accounts that lose their persons, with `$1` for the accounts. */
export const cardErasureSql = ['card_updates', 'loyalty_cards', 'loyalty_members'].map(
  (table) => `delete from ${table} where account = any($1::uuid[])`,
)

/** Deletes the cards of an account that loses its person. Registrations go with them. */
export const forgetCards: AccountListener = async (trx, _context, { id }) => {
  for (const statement of cardErasureSql) await trx.raw(statement.replace('$1', '?'), [[id]])
}

/** Deletes the credentials of a deleted organization, and cards that no account has any more. */
export const eraseCards: OrganizationErasure = ({ organization, limit, runStep }) =>
  runStep(async (trx) => {
    const { rowCount } = await trx.raw<{ rowCount: number }>(
      `delete from loyalty_cards where id = any(array(select id from loyalty_cards where organization = ? limit ?))`,
      [organization, limit],
    )
    if (rowCount > 0) return rowCount
    const members = await trx.raw<{ rowCount: number }>(
      `delete from loyalty_members where account = any(array(
         select account from loyalty_members where organization = ? limit ?))`,
      [organization, limit],
    )
    if (members.rowCount > 0) return members.rowCount
    await trx.raw('delete from card_messages where organization = ?', [organization])
    const credentials = await trx.raw<{ rowCount: number }>('delete from wallet_credentials where organization = ?', [
      organization,
    ])
    return credentials.rowCount
  })
