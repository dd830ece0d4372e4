import type { Knex } from 'knex'
import type { TokenOutcome } from '../../../chains/port.ts'
import type { Context } from '../../../kernel/work.ts'
import { notePassports } from '../../accounts/index.ts'
import { releaseClaim } from './claims.ts'
import { ClaimRow } from './claims.model.ts'
import { completeClaims, updateTransactions } from './store/claims.store.ts'
import { handOverPassports, recordEventsByIds, recordPassportEvents } from '../passports/index.ts'

interface ClaimOutcomes {
  final: readonly TokenOutcome[]
  fresh: readonly TokenOutcome[]
  failed: readonly TokenOutcome[]
}

/** Ends the claims whose mint or transfer was settled, and wakes their jobs, which inform those who follow them. */
export async function settleClaims(
  trx: Knex,
  context: Context,
  { final, fresh, failed }: ClaimOutcomes,
): Promise<void> {
  await updateTransactions(
    trx,
    final.map(({ id, transactionHash }) => ({ operation: id, hash: transactionHash })),
  )
  const completed = await completeClaims(
    trx,
    fresh.map(({ id }) => id),
  )
  await handOverClaimed(trx, completed)
  await countClaimed(trx, completed, fresh)
  await context.queue.countCompletedUnits(trx, new Map(completed.map(({ job }) => [job, 1])))
  for (const { id, reason } of failed) {
    const claim = await ClaimRow.query(trx).findOne({ operation: id })
    if (claim) await releaseClaim(trx, claim.id, reason ?? 'The chain refused the transaction.')
  }
  await context.queue.wakeJobs(trx, ...[...fresh, ...failed].map((outcome) => outcome.job))
  const isFresh = new Set(fresh)
  const again = final.filter((one) => !isFresh.has(one))
  await context.queue.amendResults(
    trx,
    again.map(({ job, transactionHash }) => ({ job, result: { transactionHash } })),
  )
}

/** Gives passports to their claimers, and records the events. */
async function handOverClaimed(trx: Knex, claims: readonly ClaimRow[]): Promise<void> {
  if (claims.length === 0) return
  await handOverPassports(trx, claims)
  const rows = await recordEventsByIds(
    trx,
    'claim',
    claims.map((claim) => claim.passport),
  )
  const moved = new Set(claims.filter((claim) => claim.kind === 'transferTo').map((claim) => claim.passport))
  await recordPassportEvents(
    trx,
    'transfer',
    rows.filter((row) => moved.has(row.id)),
  )
}

/** Counts passports for the accounts that claimed them, at the time of the block in which they got them. */
async function countClaimed(trx: Knex, claims: readonly ClaimRow[], fresh: readonly TokenOutcome[]): Promise<void> {
  const times = new Map(fresh.map(({ id, at }) => [id, at]))
  await notePassports(
    trx,
    claims.flatMap(({ account, operation }) =>
      account === null ? [] : [{ account, change: 1, at: times.get(operation ?? '') ?? new Date() }],
    ),
  )
}
