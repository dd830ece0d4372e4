import type { Context } from '../../../../kernel/work.ts'
import { batchCalls } from '../../../../queue/batch-calls.ts'
import { keepNotices, type KeptSkipReason, type Notice } from './keep.ts'

type Outcome = { skipped: KeptSkipReason | null } | { error: unknown }

/** The most notices that share a transaction. */
const maxBatchSize = 100
/** Transactions that run at the same time in a process, so that a busy system leaves connections to others. */
const maxConcurrentBatches = 2

/** The calls of each process, by its parts. */
const callsByContext = new WeakMap<Context, (notice: Notice) => Promise<Outcome>>()

/**
 * Keeps an order. Notices that come at the same time share a transaction, so that one commit serves all of them.
 * @returns why it does not count, or null, once it is stored
 */
export async function keepTogether(context: Context, notice: Notice): Promise<KeptSkipReason | null> {
  let call = callsByContext.get(context)
  if (!call) {
    call = batchCalls((notices: Notice[]) => keepAll(context, notices), { maxBatchSize, maxConcurrentBatches })
    callsByContext.set(context, call)
  }
  const outcome = await call(notice)
  if ('error' in outcome) throw outcome.error
  return outcome.skipped
}

/** Keeps orders in one transaction. If that fails, each is kept alone, so that one does not fail the others. */
async function keepAll(context: Context, notices: readonly Notice[]): Promise<Outcome[]> {
  try {
    return (await keepNotices(context, notices)).map((skipped) => ({ skipped }))
  } catch (error) {
    if (notices.length === 1) return [{ error }]
    const outcomes: Outcome[] = []
    for (const notice of notices) outcomes.push(...(await keepAll(context, [notice])))
    return outcomes
  }
}
