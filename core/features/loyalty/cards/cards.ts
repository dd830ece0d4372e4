import type { Knex } from 'knex'
import type { EndUserCaller } from '../../../kernel/caller.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'
import { holdAccount, readPersonAccounts, recordCard, type CardChannel } from '../../accounts/index.ts'
import { ensureCard, recordHeld, type Card } from './cards.store.ts'

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
