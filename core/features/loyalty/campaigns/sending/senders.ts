import type { Context } from '../../../../kernel/work.ts'
import type { CardChannel } from '../../../accounts/index.ts'
import type { CampaignModel } from '../campaigns.model.ts'
import type { Sender } from './senders.types.ts'

const factories: Readonly<Record<CardChannel, (context: Context, campaign: CampaignModel) => Promise<Sender>>> = {
  // Loaded when they are first used: most workers send no campaign.
  'apple-wallet': async (...args) => (await import('./senders.apple.ts')).createAppleSender(...args),
  'google-wallet': async (...args) => (await import('./senders.google.ts')).createGoogleSender(...args),
}

/** The senders of one run of a job, each created when it is first used. */
export class Senders {
  readonly #context: Context
  readonly #campaign: CampaignModel
  readonly #senders = new Map<CardChannel, Promise<Sender>>()

  constructor(context: Context, campaign: CampaignModel) {
    this.#context = context
    this.#campaign = campaign
  }

  /** @throws WALLET_NOT_CONFIGURED if the application has no credentials of the channel any more */
  find(channel: CardChannel): Promise<Sender> {
    const known = this.#senders.get(channel)
    if (known) return known
    const created = factories[channel](this.#context, this.#campaign)
    this.#senders.set(channel, created)
    return created
  }

  /** Closes what was opened. A sender that could not be created has nothing open. */
  async close(): Promise<void> {
    const opened = await Promise.allSettled([...this.#senders.values()])
    for (const sender of opened) if (sender.status === 'fulfilled') await sender.value.close()
  }
}
