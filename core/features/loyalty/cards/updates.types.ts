import type { Card } from './cards.store.ts'

/** What tells the phones of one channel that cards show something else, without a notification. */
export interface ChannelUpdater {
  /** @param cards that a phone has @returns the ids of those to try again later */
  update(cards: readonly Card[]): Promise<ReadonlySet<string>>
  close(): void
}
