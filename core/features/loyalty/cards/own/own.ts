import type { Knex } from 'knex'
import type { EndUserCaller } from '../../../../kernel/caller.ts'
import { createNotFoundProblem } from '../../../../kernel/problem.ts'
import type { Context } from '../../../../kernel/work.ts'
import {
  cardChannels,
  changeProfile,
  lockProfiles,
  readPersonAccounts,
  type CardChannel,
} from '../../../accounts/index.ts'
import { findApplication } from '../../../applications/index.ts'
import { recordEvent } from '../../../events/index.ts'
import { readCardsOfAccounts } from '../cards.store.ts'
import { listOpenWallets } from '../credentials.ts'

/** A wallet for which a buyer can get a card, and how it is there. */
export interface OwnWallet {
  channel: CardChannel
  /** Whether a phone has the card. */
  isHeld: boolean
  /** Whether messages of campaigns come to it. */
  isOptedIn: boolean
}

type OpenContext = Pick<Context, 'settings' | 'clock'>

/** Lists the wallets for which the application of a buyer gives out cards. */
export async function listOwnOpenWallets(
  db: Knex,
  context: OpenContext,
  { application: id }: Pick<EndUserCaller, 'application'>,
): Promise<CardChannel[]> {
  const application = await findApplication(db, id)
  return application ? listOpenWallets(db, context, application) : []
}

/** Lists the wallets of a buyer: those for which there are cards, and those where one is already. */
export async function listOwnWallets(db: Knex, context: OpenContext, caller: EndUserCaller): Promise<OwnWallet[]> {
  const [account] = await readPersonAccounts(db, caller)
  if (!account) return []
  const open = await listOwnOpenWallets(db, context, caller)
  const held = (await readCardsOfAccounts(db, [account.id])).flatMap(({ channel, isHeld }) => (isHeld ? channel : []))
  const optIns = { 'apple-wallet': account.opt_in_apple, 'google-wallet': account.opt_in_google }
  return cardChannels
    .filter((channel) => open.includes(channel) || held.includes(channel))
    .map((channel) => ({ channel, isHeld: held.includes(channel), isOptedIn: optIns[channel] }))
}

/** Notes whether messages of campaigns may come to the card of a buyer. @throws NOT_FOUND if the account is gone */
export async function setOwnOptIn(
  trx: Knex,
  caller: EndUserCaller,
  channel: CardChannel,
  isOptedIn: boolean,
): Promise<void> {
  const [account] = await readPersonAccounts(trx, caller)
  if (!account || (await lockProfiles(trx, [account.id])).length === 0) throw createNotFoundProblem()
  const { organization, application } = account
  const change = channel === 'apple-wallet' ? { optInApple: isOptedIn } : { optInGoogle: isOptedIn }
  await changeProfile(trx, account.id, change)
  await recordEvent(trx, { organization, application, subject: 'wallet', type: 'update' })
}
