import { ProblemError } from '../../../../kernel/problem.ts'
import type { Context } from '../../../../kernel/work.ts'
import { findApplication } from '../../../applications/index.ts'
import type { Card } from '../cards.store.ts'
import { readContentsOf } from '../content.ts'
import type { ChannelUpdater } from '../updates.types.ts'
import { updateGoogleCard } from './updates.ts'

/** Creates what shows on phones with Google Wallet what cards show now, without a notification. */
export const createGoogleUpdater = (context: Context): ChannelUpdater => ({
  async update(cards) {
    const failed = new Set<string>()
    // One after the other: Google takes few requests a second, and messages of campaigns come first.
    for (const card of cards) if (!(await updateCard(context, card))) failed.add(card.id)
    return failed
  },
  close: () => undefined,
})

/** @returns whether nothing is left to do */
async function updateCard(context: Context, card: Card): Promise<boolean> {
  const [[content], application] = await Promise.all([
    readContentsOf(context.db, [card]),
    findApplication(context.db, card.application),
  ])
  if (!content || !application) return true
  try {
    const outcome = await updateGoogleCard(context, application, content)
    if (outcome.status !== 'failed') return outcome.status === 'sent'
    context.log.warn({ card: card.id, code: outcome.code }, 'a card could not be changed at its wallet')
    return outcome.isGone === true
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'WALLET_NOT_CONFIGURED') throw error
    context.log.warn({ card: card.id, reason: error.detail }, 'a card is not changed at its wallet')
    return true
  }
}
