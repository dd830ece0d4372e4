import type { Knex } from 'knex'
import { buildIndexConcurrently } from '../migrations.ts'

/**
 * What has ended is found by its age, so that it goes after its days in small steps. A token is found by the claim that
 * spent it, as each claim that goes would look through all tokens.
 */
export const transaction = false

export async function up(knex: Knex): Promise<void> {
  await buildIndexConcurrently(knex, 'jobs_ended', `on jobs (updated_at) where status <> 'pending'`)
  await buildIndexConcurrently(knex, 'claims_failed', `on claims (updated_at) where status = 'failed'`)
  await buildIndexConcurrently(knex, 'chain_attempts_created_at', 'on chain_attempts (created_at)')
  await buildIndexConcurrently(knex, 'sessions_expires_at', 'on sessions (expires_at)')
  await buildIndexConcurrently(knex, 'magic_tokens_expires_at', 'on magic_tokens (expires_at)')
  await buildIndexConcurrently(knex, 'magic_tokens_spent_by', 'on magic_tokens (spent_by) where spent_by is not null')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop index magic_tokens_spent_by, magic_tokens_expires_at, sessions_expires_at,
    chain_attempts_created_at, claims_failed, jobs_ended`)
}
