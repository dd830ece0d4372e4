import type { Knex } from 'knex'
import type { Slice } from './deliveries.store.ts'

/** A slice in the hands of a job, which loses it when another run takes it. */
export interface HeldSlice {
  campaign: string
  slice: Slice
  job: string
}

/** Checks whether a job still has its slice, as it took it. */
export async function holdsSlice(db: Knex, { campaign, slice, job }: HeldSlice): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    'select from campaign_slices where campaign = ? and channel = ? and first_account = ? and job = ? and attempts = ?',
    [campaign, slice.channel, slice.first_account, job, slice.attempts],
  )
  return rows.length > 0
}

/**
 * Reserves the next moment at which a wallet takes a request, for all processes together, while the job still has its slice.
 * @param name of the wallet's account
 * @returns milliseconds to wait; null if the job has the slice no more, so that nothing may be sent
 */
export async function reserveMoment(
  db: Knex,
  name: string,
  { campaign, slice, job }: HeldSlice,
  intervalMs: number,
): Promise<number | null> {
  const { rows } = await db.raw<{ rows: { wait: number }[] }>(
    `insert into wallet_paces (name, free_at)
     select ?, clock_timestamp() + ? * interval '1 ms' from campaign_slices
     where campaign = ? and channel = ? and first_account = ? and job = ? and attempts = ?
     on conflict (name) do update set
       free_at = greatest(least(wallet_paces.free_at, clock_timestamp() + interval '1 minute'), clock_timestamp())
         + ? * interval '1 ms'
     returning extract(epoch from free_at - clock_timestamp())::float8 * 1000 - ? as wait`,
    [name, intervalMs, campaign, slice.channel, slice.first_account, job, slice.attempts, intervalMs, intervalMs],
  )
  return rows[0] ? Math.max(0, rows[0].wait) : null
}
