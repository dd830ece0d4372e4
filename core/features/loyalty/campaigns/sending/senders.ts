import type { Context } from '../../../../kernel/work.ts'
import type { CardChannel } from '../../../accounts/index.ts'
import type { CampaignModel } from '../campaigns.model.ts'
import type { Slice } from './deliveries.store.ts'

/** What a wallet made of a message for one account. */
export type SendOutcome =
  | { status: 'sent' }
  /** It will never take it; `code` is its own word for the reason. */
  | { status: 'failed'; code: string }
  /** It did not take it now. */
  | { status: 'later'; afterSeconds: number; code: string }

/** Thrown if a wallet takes nothing from the application, whatever the card: its credentials are wrong. */
export class WalletRefusedError extends Error {
  override name = 'WalletRefusedError'

  constructor(wallet: string, code: string) {
    super(`${wallet} refuses the credentials of the application (${code}).`)
  }
}

/** A slice that is to be pushed. */
export interface SliceTask {
  campaign: CampaignModel
  slice: Slice
  job: string
  accounts: readonly string[]
  signal: AbortSignal
}

/** Pushes messages by one channel. */
export interface Sender {
  /** Pushes the message of a campaign to cards that have it. @returns an outcome for each account, in their order */
  send(task: SliceTask): Promise<SendOutcome[]>
  close(): Promise<void>
}

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
