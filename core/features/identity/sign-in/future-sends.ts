import type { Knex } from 'knex'

/**
 * Moves sends that lie in the future, because the clock was set back, to now: otherwise they would count for longer
 * than an hour.
 */
export async function resetFutureSends(db: Knex): Promise<void> {
  await db.raw("update code_sends set at = now() where at > now() + interval '5 s'")
}
