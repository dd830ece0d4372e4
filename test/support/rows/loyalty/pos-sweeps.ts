import type { Knex } from 'knex'

/** How far the orders of a restaurant were pulled. */
export interface SweepState {
  failures: number
  /** Seconds until it is due again; negative if it is due. */
  dueInSeconds: number
}

/** Reads when the orders of a bound restaurant are pulled next. */
export async function readSweep(db: Knex, restaurant: string): Promise<SweepState> {
  const { rows } = await db.raw<{ rows: SweepState[] }>(
    `select sweep_failures as failures, extract(epoch from next_sweep_at - now())::float8 as "dueInSeconds"
     from pos_restaurants where restaurant = ?`,
    [restaurant],
  )
  if (!rows[0]) throw new Error(`The restaurant ${restaurant} is not bound`)
  return rows[0]
}

/** Makes the orders of a restaurant due, as if the time until then were over. */
export async function makeSweepDue(db: Knex, restaurant: string): Promise<void> {
  await db.raw('update pos_restaurants set next_sweep_at = now() where restaurant = ?', [restaurant])
}
