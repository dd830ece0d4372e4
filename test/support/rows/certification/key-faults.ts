import type { Knex } from 'knex'

/** Moves the time at which a revoked key was compromised, which the API takes once. */
export async function moveCompromise(db: Knex, id: string, at: Date | null): Promise<void> {
  await db('certification_keys').where({ id }).update({ compromised_at: at })
}
