import type { Knex } from 'knex'
import { buildIndexConcurrently } from '../migrations.ts'

/**
 * The newest requests of each organization, for its own developers: what was called, by which credential, and what came
 * of it. Nothing of a request's path, body or address is kept. Ids grow with the time, so the primary key is the order
 * of the list; rows are added at the end of each organization and removed at its beginning. The instants are in the
 * order of the rows, more or less, which is enough for an index of blocks.
 *
 * The second index is for the jobs of an organization that failed, which its developers look at in the same place.
 */
export const transaction = false

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table if not exists request_log (
      organization uuid not null,
      id uuid not null,
      at timestamptz(3) not null,
      operation text not null,
      status int not null,
      code text,
      ms int not null check (ms >= 0),
      request_id text not null,
      -- A key, or a member by their user. Their names are looked up when the list is read.
      kind text not null check (kind in ('key', 'member')),
      credential uuid not null,
      primary key (organization, id)
    ) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 1);
    create index if not exists request_log_at on request_log using brin (at)`)
  const { rowCount } = await knex.raw<{ rowCount: number }>(
    `select from pg_index where indexrelid = to_regclass('jobs_failed') and indisvalid`,
  )
  if (rowCount === 0)
    await buildIndexConcurrently(knex, 'jobs_failed', `on jobs (organization, updated_at, id) where status = 'failed'`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index jobs_failed')
  await knex.raw('drop table request_log')
}
