import type { Knex } from 'knex'
import { buildIndexConcurrently } from '../migrations.ts'

/** Accounts are counted by their tiers, from the index alone. */
export const transaction = false

export async function up(knex: Knex): Promise<void> {
  await buildIndexConcurrently(
    knex,
    'accounts_reward_tier',
    'on accounts (application, reward_tier) where user_id is not null',
  )
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index accounts_reward_tier')
}
