import type { Knex } from 'knex'
import type { EndUserCaller } from '../../../kernel/caller.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'
import { holdAccount, lockProfiles, readPersonAccounts, recordCard, type CardChannel } from '../../accounts/index.ts'
import { ensureCard, recordHeld, type Card } from './cards.store.ts'
import {
  countRegistrations,
  deleteRegistration,
  deleteToken,
  insertRegistration,
  type Registration,
} from './registrations.store.ts'

/**
 * Returns the card of a buyer in a wallet, and makes it at first use: that of the oldest account in the application of
 * the session. @throws NOT_FOUND if there is no account any more
 */
export async function ensureOwnCard(
  trx: Knex,
  context: Pick<Context, 'settings'>,
  caller: EndUserCaller,
  channel: CardChannel,
): Promise<Card> {
  const [account] = await readPersonAccounts(trx, caller)
  if (!account || !(await holdAccount(trx, account.id))) throw createNotFoundProblem()
  const { organization, application } = account
  return ensureCard(trx, context, { account: account.id, organization, application }, channel)
}

/**
 * Notes that a phone has a card now. Its person is opted in to messages. @returns false if the account is gone
 */
export async function addToWallet(trx: Knex, { id, account, channel }: Card): Promise<boolean> {
  if (!(await holdAccount(trx, account))) return false
  await recordCard(trx, account, channel, { isHeld: true, isOptedIn: true })
  await recordHeld(trx, [id], true)
  return true
}

/**
 * Notes that no phone has a card any more. @param isByPerson whether the person took it off the phone, who is then opted
 * out of messages
 */
export async function removeFromWallet(
  trx: Knex,
  { id, account, channel }: Pick<Card, 'id' | 'account' | 'channel'>,
  isByPerson: boolean,
): Promise<void> {
  await recordCard(trx, account, channel, { isHeld: false, ...(isByPerson && { isOptedIn: false }) })
  await recordHeld(trx, [id], false)
}

/** What becomes of the registration of a phone. */
export type RegistrationOutcome = 'new' | 'known' | 'gone'

/** Registers a phone that has a card. Its person is opted in to messages if the phone is new. */
export async function registerDevice(
  trx: Knex,
  card: Card,
  phone: Pick<Registration, 'device' | 'pushToken'>,
): Promise<RegistrationOutcome> {
  const [account] = await lockProfiles(trx, [card.account])
  if (!account) return 'gone'
  const isNew = await insertRegistration(trx, { card: card.id, ...phone })
  await recordCard(trx, card.account, card.channel, { isHeld: true, ...(isNew && { isOptedIn: true }) })
  await recordHeld(trx, [card.id], true)
  return isNew ? 'new' : 'known'
}

/** Ends the registration of a phone whose person has taken the card off. The last one opts the person out. */
export async function unregisterDevice(trx: Knex, card: Card, device: string): Promise<void> {
  const [account] = await lockProfiles(trx, [card.account])
  if (!account) return
  if ((await deleteRegistration(trx, { card: card.id, device })) === 0) await removeFromWallet(trx, card, true)
}

/**
 * Ends the registration of a phone whose token the wallet refuses. The person stays opted in.
 * @param endedAt since when it is refused, if the wallet says so
 */
export async function forgetToken(
  trx: Knex,
  card: Pick<Card, 'id' | 'account' | 'channel'>,
  registration: Registration,
  endedAt: Date | null,
): Promise<void> {
  const [account] = await lockProfiles(trx, [card.account])
  if (!account || !(await deleteToken(trx, registration, endedAt))) return
  if ((await countRegistrations(trx, card.id)) === 0) await removeFromWallet(trx, card, false)
}
