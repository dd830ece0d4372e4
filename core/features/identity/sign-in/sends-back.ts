import type { Knex } from 'knex'

/** Sends from before the clock went back count as of now: they would hold their budgets for longer than an hour. */
export async function bringSendsBack(db: Knex): Promise<void> {
  await db.raw('update code_sends set at = now() where at > now() + interval \'5 s\'')
}
