import type { Context } from '../../../../../kernel/work.ts'
import { lockProfiles } from '../../../../accounts/index.ts'
import { findApplication } from '../../../../applications/index.ts'
import { addToWallet, removeFromWallet } from '../../cards.ts'
import { findCard } from '../../cards.store.ts'
import { noteUpdate } from '../../updates.store.ts'
import { keepCallback } from './callbacks.store.ts'
import type { CardCallback } from './signature.ts'

export const callbackSkips = ['unknown_card', 'known', 'late'] as const
export type CallbackSkip = (typeof callbackSkips)[number]

/**
 * Notes that a person saved or deleted a card: it is held and opted in, or neither. A report has no time of its own, but
 * it expires, and a later event's report does so later; so one that expires before another of the same card is late and
 * changes nothing, and of two that expire together the deletion counts.
 * @returns why it changes nothing; null if it counts
 */
export async function takeCallback(
  { db }: Pick<Context, 'db'>,
  { issuerId, application, card: id, event, nonce, expiresAt }: CardCallback,
): Promise<CallbackSkip | null> {
  const card = await findCard(db, id)
  if (card?.channel !== 'google-wallet' || card.application !== application) return 'unknown_card'
  const found = await findApplication(db, application)
  // Any issuer gets reports that Google signs, about whatever they call their cards.
  if (found?.loyaltySettings.googleWallet?.issuerId !== issuerId) return 'unknown_card'
  return db.transaction(async (trx) => {
    // Reports about one card are taken one after the other.
    if ((await lockProfiles(trx, [card.account])).length === 0) return 'unknown_card'
    const kept = await keepCallback(trx, { card: id, nonce, event, expiresAt })
    if (kept !== 'newest') return kept
    if (event === 'del') {
      await removeFromWallet(trx, card, true)
      return null
    }
    await addToWallet(trx, card)
    // What has changed since the link was made reached nobody.
    await noteUpdate(trx, card.account)
    return null
  })
}
