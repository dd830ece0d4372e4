import type { Knex } from 'knex'

/** Lets a job run at once that was put off. */
export async function hastenJob(db: Knex, id: string): Promise<void> {
  await db('jobs').where({ id }).update({ due_at: db.fn.now() })
}

/**
 * Lets the jobs of an organization that failed before run at once and for the last time: nobody waits for 20 attempts.
 * @returns how many there are
 */
export async function hastenLastAttempts(db: Knex, organization: string): Promise<number> {
  return db('jobs')
    .where({ organization, status: 'pending' })
    .where('attempts', '>', 0)
    .update({ attempts: 20, due_at: db.fn.now() })
}
