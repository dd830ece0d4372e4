import type { Knex } from 'knex'
import type { PointsOutcome, PointsOutcomeHandler } from '../../../chains/port.ts'
import { hitFaultPoint } from '../../../kernel/process/fault-points.ts'
import type { Context } from '../../../kernel/work.ts'
import { settleEntries, type EntryOutcome } from '../../../ledger/index.ts'
import { recordFigures } from '../../accounts/index.ts'
import { listDoneJobs, moveOrders, readOrders, type OrderMove } from '../posting/index.ts'

const moves = { final: 'settle', failed: 'fail', undone: 'undo' } as const satisfies Record<
  PointsOutcome['status'],
  OrderMove['move']
>

/**
 * Creates the handler that stores what the chain made of points, in the transaction that records it: in the ledger first,
 * which counts each entry once, then on the accounts and the orders. A job is woken when all its orders are done.
 */
export function settlePoints(context: Context): PointsOutcomeHandler {
  return async (trx, outcomes) => {
    const byOperation = new Map(outcomes.map((outcome) => [outcome.id, outcome]))
    const settled = (await readOrders(trx, [...byOperation.keys()])).flatMap((order) => {
      const outcome = byOperation.get(order.operation)
      return outcome ? [{ order, outcome }] : []
    })
    await settleBalances(
      trx,
      settled.map(({ order: { entry }, outcome }) => ({ ...outcome, entry })),
    )
    await moveOrders(
      trx,
      settled.map(({ order: { id }, outcome: { status, contract, transactionHash } }) => ({
        id,
        move: moves[status],
        contract: status === 'undone' ? null : contract,
        transactionHash: status === 'undone' ? null : transactionHash,
      })),
    )
    await tellJobs(trx, context, settled)
    hitFaultPoint('points.settled', { job: settled[0]?.order.job, step: 'settle' })
  }
}

async function settleBalances(trx: Knex, outcomes: readonly EntryOutcome[]): Promise<void> {
  const changes = await settleEntries(trx, outcomes)
  const settledByAccount = new Map(changes.map(({ owner, settled }) => [owner, settled]))
  await recordFigures(
    trx,
    [...settledByAccount].map(([account, settled]) => ({ account, settled })),
  )
}

/** Tells the jobs what failed, and wakes those that have nothing left to wait for. */
async function tellJobs(
  trx: Knex,
  context: Context,
  settled: readonly { order: { job: string; operation: string }; outcome: PointsOutcome }[],
): Promise<void> {
  const done = await listDoneJobs(trx, [...new Set(settled.map(({ order }) => order.job))])
  const failed = Map.groupBy(
    settled.filter(({ outcome }) => outcome.status === 'failed'),
    ({ order }) => order.job,
  )
  for (const job of [...failed.keys()].sort()) {
    const errors = (failed.get(job) ?? []).map(({ order: { operation }, outcome: { reason } }) => ({
      line: 0,
      code: 'POINTS_FAILED',
      message: `${operation}: ${reason ?? 'The chain refused the entry.'}`,
    }))
    await context.queue.advanceJob(trx, job, { errors })
  }
  if (done.length > 0) await context.queue.wakeJobs(trx, ...done)
}
