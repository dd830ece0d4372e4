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
