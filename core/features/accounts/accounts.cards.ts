import type { Knex } from 'knex'
import type { Network } from '../../chains/networks.ts'

/** The wallets of phones that cards of accounts stand in. */
export const cardChannels = ['apple-wallet', 'google-wallet'] as const
export type CardChannel = (typeof cardChannels)[number]

const cardColumns = {
  'apple-wallet': { held: 'has_apple_card', optIn: 'opt_in_apple' },
  'google-wallet': { held: 'has_google_card', optIn: 'opt_in_google' },
} as const satisfies Record<CardChannel, object>

/**
 * Notes whether a phone has the card of an account, and whether its person is opted in to messages there; an account
 * that was erased stays as it is. The account is locked if that changes anything.
 */
export async function recordCard(
  trx: Knex,
  account: string,
  channel: CardChannel,
  { isHeld, isOptedIn }: { isHeld: boolean; isOptedIn?: boolean },
): Promise<void> {
  const { held, optIn } = cardColumns[channel]
  const wanted = isOptedIn ?? null
  await trx.raw(
    `update accounts set ${held} = :isHeld, ${optIn} = coalesce(:wanted, ${optIn}), updated_at = clock_timestamp()
     where id = :account and user_id is not null
       and (${held}, ${optIn}) is distinct from (:isHeld, coalesce(:wanted, ${optIn}))`,
    { account, isHeld, wanted } as Record<string, Knex.RawBinding>,
  )
}

/** What a card shows of an account. */
export interface CardAccount {
  id: string
  organization: string
  application: string
  network: Network
  /** Decimal text. */
  points: string
  visits: number
  /** The effective tier. */
  tier: string | null
  locale: string | null
}

/** Reads accounts for their cards, regardless of the caller. One whose person was erased is left out. */
export async function readCardAccounts(db: Knex, ids: readonly string[]): Promise<CardAccount[]> {
  if (ids.length === 0) return []
  const { rows } = await db.raw<{ rows: CardAccount[] }>(
    `select id, organization, application, network, points::text as points, visits, reward_tier as tier, locale
     from accounts where id = any(?::uuid[]) and user_id is not null`,
    [ids as string[]],
  )
  return rows
}
