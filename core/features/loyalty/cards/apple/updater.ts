import { randomUUID } from 'node:crypto'
import { ProblemError } from '../../../../kernel/problem.ts'
import type { Context } from '../../../../kernel/work.ts'
import { findApplication } from '../../../applications/index.ts'
import { forgetToken } from '../cards.ts'
import type { Card } from '../cards.store.ts'
import { readWalletCredentials, type AppleCredentials } from '../credentials.ts'
import { findRegistrations, type Registration } from '../registrations.store.ts'
import type { ChannelUpdater } from '../updates.types.ts'
import type { PushOutcome } from './apns.ts'
import { createPushers } from './pushers.ts'

/** Creates what tells iPhones to fetch cards, without a notification. */
export function createAppleUpdater(context: Context): ChannelUpdater {
  const pushers = createPushers(context)
  return {
    async update(cards) {
      const failed = new Set<string>()
      const byId = new Map(cards.map((card) => [card.id, card]))
      const registrations = await findRegistrations(context.db, [...byId.keys()])
      const credentials = await readAllCredentials(context, cards)
      await Promise.all(
        registrations.map(async (registration) => {
          const card = byId.get(registration.card)
          const own = card && credentials.get(card.application)
          if (!card || !own) return
          const { pushToken: token } = registration
          const push = { token, topic: own.passTypeIdentifier, id: randomUUID(), isQuiet: true }
          const outcome = await pushers.get(own).push(push)
          if (!(await settlePush(context, card, registration, outcome))) failed.add(card.id)
        }),
      )
      return failed
    },
    close: () => pushers.close(),
  }
}

/** Reads the credentials of the applications of cards. One that has none can tell no phone anything. */
async function readAllCredentials(
  context: Context,
  cards: readonly Card[],
): Promise<ReadonlyMap<string, AppleCredentials>> {
  const found = new Map<string, AppleCredentials>()
  for (const id of new Set(cards.map(({ application }) => application))) {
    const application = await findApplication(context.db, id)
    if (!application) continue
    try {
      found.set(id, await readWalletCredentials(context.db, context, application, 'apple-wallet'))
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== 'WALLET_NOT_CONFIGURED') throw error
      context.log.warn({ application: id, reason: error.detail }, 'phones are not told that cards have changed')
    }
  }
  return found
}

/** Notes what became of a push. @returns whether nothing is left to do */
async function settlePush(
  context: Context,
  card: Card,
  registration: Registration,
  outcome: PushOutcome,
): Promise<boolean> {
  if (outcome.status === 'sent') return true
  if (outcome.status !== 'failed') return false
  if (outcome.isGone) {
    await context.db.transaction((trx) => forgetToken(trx, card, registration, outcome.endedAt ?? null))
    return true
  }
  context.log.warn({ card: card.id, code: outcome.code }, 'a phone could not be told that a card has changed')
  // A wrong token never becomes right; the rest may be the certificate, which its owner can change.
  return outcome.code === 'BadDeviceToken' || outcome.code === 'DeviceTokenNotForTopic'
}
