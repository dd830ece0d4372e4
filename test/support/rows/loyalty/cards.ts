import { randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { v7 } from 'uuid'
import type { CardChannel } from '../../../../core/features/accounts/index.ts'
import { drawMemberNumber } from '../../../../core/features/loyalty/cards/cards.store.ts'
import { sealCardToken } from '../../../../core/features/loyalty/cards/secrets.ts'
import type { Context } from '../../../../core/kernel/work.ts'
import { readPlatformSecret } from '../../../core/certification/keys/keys.ts'

interface CardHolders {
  organization: string
  application: string
  count: number
  channel: CardChannel
  /** The language of each; by default none is known. */
  locale?: string
  /** What the platform of the database encrypts with; by default the platform of the tests. */
  keyEncryptionKey?: string
}

/** The number of people that one statement inserts. */
const batchSize = 5_000

/**
 * Inserts people with an account in an application, who want messages and have its card in a wallet: with Apple Wallet, on
 * a phone that is registered for it. @returns their accounts, in the order of their ids
 */
export async function insertCardHolders(db: Knex, { count, ...holders }: CardHolders): Promise<string[]> {
  const accounts: string[] = []
  while (accounts.length < count)
    accounts.push(...(await insertBatch(db, { ...holders, count: Math.min(batchSize, count - accounts.length) })))
  return accounts
}

async function insertBatch(
  db: Knex,
  { organization, application, count, channel, locale, keyEncryptionKey = readPlatformSecret() }: CardHolders,
): Promise<string[]> {
  const context = { settings: { keyEncryptionKey, keyEncryptionKeysOld: [] as string[] } } as Pick<Context, 'settings'>
  const accounts = Array.from({ length: count }, () => v7())
  const cards = accounts.map(() => v7())
  const tokens = cards.map((id) => sealCardToken(context, { id, organization }, randomBytes(32).toString('hex')))
  const isApple = channel === 'apple-wallet'
  await db.raw(
    `with given as (
       select * from unnest(:accounts::uuid[], :cards::uuid[], :numbers::text[], :tokens::bytea[])
         as one (account, card, number, token)),
     people as (
       insert into users (id, email, email_verified)
       select account, 'holder-' || account || '@people.example', true from given),
     made as (
       insert into accounts (id, organization, application, network, address, user_id, locale,
         opt_in_apple, has_apple_card, opt_in_google, has_google_card)
       select account, :organization, :application, 'EthereumAnvil',
         '0x' || substr(encode(sha256(account::text::bytea), 'hex'), 1, 40), account, :locale,
         :isApple, :isApple, not :isApple, not :isApple
       from given),
     members as (
       insert into loyalty_members (account, organization, application, member_number)
       select account, :organization, :application, number from given),
     cards as (
       insert into loyalty_cards (id, organization, application, account, channel, token, is_held)
       select card, :organization, :application, account, :channel, token, true from given)
     insert into card_registrations (device, card, push_token)
     select replace(account::text, '-', ''), card, encode(sha256(card::text::bytea), 'hex') from given where :isApple`,
    {
      accounts,
      cards,
      numbers: accounts.map(drawMemberNumber),
      tokens,
      organization,
      application,
      channel,
      locale: locale ?? null,
      isApple,
    } as unknown as Record<string, Knex.RawBinding>,
  )
  return accounts
}

/** Counts the accounts whose phones were not told yet that their cards have changed. */
export async function countCardUpdates(db: Knex): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ count: number }] }>('select count(*)::int as count from card_updates')
  return rows[0].count
}

/** Makes every update due that a worker has taken or put off. */
export async function makeCardUpdatesDue(db: Knex): Promise<void> {
  await db.raw('update card_updates set due_at = now()')
}

/** Makes the certificate of Apple Wallet of an application end in so many days, as it is kept. */
export async function endCertificate(db: Knex, application: string, days: number): Promise<void> {
  const expiresAt = new Date(Date.now() + days * 86_400_000).toISOString()
  await db.raw(
    `update wallet_credentials set facts = facts || jsonb_build_object('expiresAt', ?::text)
     where application = ? and channel = 'apple-wallet'`,
    [expiresAt, application],
  )
}

/** Gives accounts a second phone with their card of Apple Wallet. */
export async function addSecondPhones(db: Knex, accounts: readonly string[]): Promise<void> {
  await db.raw(
    `insert into card_registrations (device, card, push_token)
     select 'second' || replace(account::text, '-', ''), id, encode(sha256(('second' || id)::bytea), 'hex')
     from loyalty_cards where channel = 'apple-wallet' and account = any(?::uuid[])`,
    [accounts as string[]],
  )
}

/** A card as its phones and its notices show it. */
export interface NoticedCard {
  id: string
  account: string
  /** When it was notified, in milliseconds, the newest first. */
  notices: number[]
  tokens: string[]
}

/** Reads the cards of an application, with the phones that have them. */
export async function listNoticedCards(db: Knex, application: string): Promise<NoticedCard[]> {
  const { rows } = await db.raw<{ rows: NoticedCard[] }>(
    `select c.id, c.account, array(select extract(epoch from at)::float8 * 1000 from unnest(c.notices) with ordinality
         as n (at, place) order by place) as notices,
       array(select push_token from card_registrations r where r.card = c.id) as tokens
     from loyalty_cards c where c.application = ?`,
    [application],
  )
  return rows
}
