import type { Knex } from 'knex'

/** Moves the leases of an organization's blocks to the past, as if their time had gone by. */
export async function endLeases(db: Knex, organization: string): Promise<void> {
  await db.raw(`update meter_blocks set leased_until = now() - interval '1 second' where organization = ?`, [
    organization,
  ])
}

/** Moves what an organization has used to the month before, as if a month had begun. */
export async function beginMonth(db: Knex, organization: string): Promise<void> {
  await db.raw(
    `with blocks as (update meter_blocks set period = (period - interval '1 month')::date where organization = ?),
     counted as (
       update accounts set active_month = (active_month - interval '1 month')::date,
         wallet_month = (wallet_month - interval '1 month')::date where organization = ?)
     update meter_periods set period = (period - interval '1 month')::date where organization = ?`,
    [organization, organization, organization],
  )
}

/** Adds units that nobody has used. */
export async function spoilUsed(db: Knex, organization: string, units: number): Promise<void> {
  await db.raw('update meter_periods set used = used + ? where organization = ?', [units, organization])
}
