import type { Knex } from 'knex'
import type { Context } from '../../../kernel/work.ts'
import type { TierReason } from './changes.store.ts'

/** What a review is about: all accounts of an application, and why they may have another tier now. */
export interface TierReview {
  application: string
  reason: TierReason
}

/**
 * Starts the job that finds the tiers of all accounts of an application again, in the transaction of what may change
 * them. A job that has not begun yet does it for this change too.
 */
export async function requestReview(
  trx: Knex,
  context: Pick<Context, 'queue'>,
  { organization, ...review }: TierReview & { organization: string },
): Promise<void> {
  const { application } = review
  const job = await context.queue.enqueue(trx, { type: 'rank', organization, application, total: 0, payload: review })
  // The row that is there is locked by this, so that its job does not begin before the transaction has ended.
  const { rows } = await trx.raw<{ rows: { job: string }[] }>(
    `insert into loyalty_tier_reviews as known (application, job) values (?, ?)
     on conflict (application) do update set job = known.job returning job`,
    [application, job],
  )
  if (rows[0]?.job === job) await context.queue.wakeJobs(trx, job)
  else await context.queue.discardJob(trx, job)
}

/**
 * Begins the review of a job: it waits for the changes that count on it, and later ones start the next. It has a
 * transaction of its own, because it must not hold the row of the job while it waits.
 */
export async function beginReview(db: Knex, application: string, job: string): Promise<void> {
  await db.raw('delete from loyalty_tier_reviews where application = ? and job = ?', [application, job])
}
