import { hitFaultPoint } from '../../../kernel/process/fault-points.ts'
import { computeBackoffSeconds } from '../../../queue/engine/backoff.ts'
import { startRepetition } from '../../../queue/upkeep/repeat.ts'
import type { Context } from '../../../kernel/work.ts'
import type { CardChannel } from '../../accounts/index.ts'
import type { WorkerService } from '../../area.ts'
import { createAppleUpdater } from './apple/updater.ts'
import { createGoogleUpdater } from './google/updater.ts'
import { readCardsOfAccounts, touchCards } from './cards.store.ts'
import { finishUpdates, postponeUpdate, takeUpdates, type CardUpdate } from './updates.store.ts'
import type { ChannelUpdater } from './updates.types.ts'

/** Creates the updaters of all channels. */
const createUpdaters = (context: Context): Partial<Record<CardChannel, ChannelUpdater>> => ({
  'apple-wallet': createAppleUpdater(context),
  'google-wallet': createGoogleUpdater(context),
})

/** Milliseconds between two looks for accounts that have changed. */
const lookIntervalMs = 1_000
const batchSize = 500
/** Seconds for which a batch is taken, longer than it can take. */
const holdSeconds = 120
/** The seconds before another attempt. After the last one a phone shows the new state with the next change. */
const backoff = { minSeconds: 5, maxSeconds: 3_600 }
const maxAttempts = 15

/**
 * Starts what tells phones that cards show something else, at least once for each change. Any number of workers can do
 * it.
 */
export function startCardUpdates(context: Context): WorkerService {
  const updaters = createUpdaters(context)
  let isStopped = false
  const repetition = startRepetition(
    lookIntervalMs,
    async () => {
      for (let taken = batchSize; taken === batchSize && !isStopped;) taken = await workOff(context, updaters)
    },
    (cause) => context.log.error({ err: cause }, 'the look for changed cards failed'),
  )
  return {
    async stop() {
      isStopped = true
      await repetition.stop()
      for (const updater of Object.values(updaters)) updater.close()
    },
  }
}

/** Works off one batch. @returns how many it had */
async function workOff(context: Context, updaters: Partial<Record<CardChannel, ChannelUpdater>>): Promise<number> {
  const { db, log } = context
  const updates = await takeUpdates(db, batchSize, holdSeconds)
  if (updates.length === 0) return 0
  const cards = (
    await readCardsOfAccounts(
      db,
      updates.map(({ account }) => account),
    )
  ).filter(({ isHeld }) => isHeld)
  // Before any phone hears of it, and again with each attempt, because a phone may have fetched the card meanwhile.
  await touchCards(
    db,
    cards.map(({ id }) => id),
  )
  const open = new Set<string>()
  for (const [channel, updater] of Object.entries(updaters) as [CardChannel, ChannelUpdater][]) {
    const own = cards.filter((card) => card.channel === channel)
    const failed = own.length === 0 ? new Set<string>() : await updater.update(own)
    for (const { id, account } of own) if (failed.has(id)) open.add(account)
  }
  hitFaultPoint('cards.pushed')
  const isOpen = ({ account, attempts }: CardUpdate) => open.has(account) && attempts < maxAttempts
  await finishUpdates(
    db,
    updates.filter((update) => !isOpen(update)),
  )
  for (const update of updates.filter(isOpen))
    await postponeUpdate(db, update, computeBackoffSeconds(update.attempts, backoff))
  const given = updates.filter((update) => open.has(update.account) && !isOpen(update))
  if (given.length > 0) log.warn({ accounts: given.length }, 'phones could not be told that their cards have changed')
  return updates.length
}
