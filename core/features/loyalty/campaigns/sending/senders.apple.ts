import type { Context } from '../../../../kernel/work.ts'
import { readAnyApplication } from '../../../applications/index.ts'
import { listPushTargets, readWalletCredentials } from '../../cards/index.ts'
import type { CampaignModel } from '../campaigns.model.ts'
import type { Sender, SendOutcome } from './senders.ts'

/** Creates the sender of Apple Wallet. @throws WALLET_NOT_CONFIGURED */
export async function createAppleSender(context: Context, campaign: CampaignModel): Promise<Sender> {
  const { db, messenger } = context
  await readWalletCredentials(db, context, await readAnyApplication(db, campaign.application), 'apple-wallet')
  return {
    async send({ accounts }) {
      const targets = await listPushTargets(db, 'apple-wallet', accounts)
      const text = `${campaign.headline}\n${campaign.body}`
      const outcomes: SendOutcome[] = []
      for (const account of accounts) {
        const tokens = targets.get(account)?.tokens ?? []
        for (const to of tokens) await messenger.sendMessage(db, { channel: 'apple-wallet', to, text })
        outcomes.push(tokens.length > 0 ? { status: 'sent' } : { status: 'failed', code: 'NO_DEVICE' })
      }
      return outcomes
    },
    close: async () => undefined,
  }
}
