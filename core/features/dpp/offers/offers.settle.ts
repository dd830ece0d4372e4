import type { Knex } from 'knex'
import type { TokenOutcome } from '../../../chains/port.ts'
import type { Context } from '../../../kernel/work.ts'
import { notePassports } from '../../accounts/index.ts'
import { handOverPassports, recordEventsByIds } from '../passports/index.ts'
import { OfferRow } from './offers.model.ts'
import { completeOffers, failOffer, updateOfferTransactions } from './offers.store.ts'

interface OfferOutcomes {
  final: readonly TokenOutcome[]
  fresh: readonly TokenOutcome[]
  failed: readonly TokenOutcome[]
}

/** Ends the offers whose token has moved or will not, and wakes their jobs, which inform those who follow them. */
export async function settleOffers(
  trx: Knex,
  context: Context,
  { final, fresh, failed }: OfferOutcomes,
): Promise<void> {
  await updateOfferTransactions(
    trx,
    final.map(({ id, transactionHash }) => ({ operation: id, hash: transactionHash })),
  )
  const completed = await completeOffers(
    trx,
    fresh.map(({ id }) => id),
  )
  await moveOffered(trx, completed, fresh)
  await context.queue.countCompletedUnits(trx, new Map(completed.flatMap(({ job }) => (job ? [[job, 1]] : []))))
  for (const { id, reason } of failed) {
    const offer = await OfferRow.query(trx).findOne({ operation: id })
    if (offer) await failOffer(trx, offer.id, reason ?? 'The chain refused the transaction.')
  }
  await context.queue.wakeJobs(trx, ...[...fresh, ...failed].map((outcome) => outcome.job))
  const isFresh = new Set(fresh)
  await context.queue.amendResults(
    trx,
    final.filter((one) => !isFresh.has(one)).map(({ job, transactionHash }) => ({ job, result: { transactionHash } })),
  )
}

/** Gives passports to those who accepted them, counts them, and records the events. */
async function moveOffered(trx: Knex, offers: readonly OfferRow[], fresh: readonly TokenOutcome[]): Promise<void> {
  if (offers.length === 0) return
  await handOverPassports(
    trx,
    offers.map(({ passport, toAccount }) => ({ passport, account: toAccount })),
  )
  await recordEventsByIds(
    trx,
    'transfer',
    offers.map(({ passport }) => passport),
  )
  const times = new Map(fresh.map(({ id, at }) => [id, at]))
  await notePassports(
    trx,
    offers.flatMap(({ fromAccount, toAccount, operation }) => {
      const at = times.get(operation ?? '') ?? new Date()
      return [
        ...(fromAccount === null ? [] : [{ account: fromAccount, change: -1, at }]),
        ...(toAccount === null ? [] : [{ account: toAccount, change: 1, at }]),
      ]
    }),
  )
}
