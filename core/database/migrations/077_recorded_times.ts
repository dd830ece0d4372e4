import type { Knex } from 'knex'
import { buildIndexConcurrently } from '../migrations.ts'

/**
 * What was written since a time, of all organizations: events and postings lie in the order of their times, so a few
 * bytes for each run of pages find it, and a write costs nothing more.
 */
export const transaction = false

const definition = (column: string) => `using brin (${column}) with (pages_per_range = 16, autosummarize = on)`

export async function up(knex: Knex): Promise<void> {
  await build(knex, 'ledger_postings_recorded', `on ledger_postings ${definition('recorded_at')}`)
  await knex.raw(`create index if not exists events_by_time on only events ${definition('created_at')}`)
  for (;;) {
    const { rows: [part] } = await knex.raw<{ rows: { name: string }[] }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'events'::regclass and not exists (
         select from pg_inherits o join pg_index x on x.indexrelid = o.inhrelid
         where o.inhparent = to_regclass('events_by_time') and x.indrelid = c.oid)
       order by 1 limit 1`)
    if (!part) return
    await build(knex, `${part.name}_by_time`, `on ${part.name} ${definition('created_at')}`)
    await knex.raw(`alter index events_by_time attach partition ${part.name}_by_time`)
  }
}

/** What an earlier attempt has built stays. */
async function build(knex: Knex, name: string, rest: string): Promise<void> {
  const { rowCount } = await knex.raw<{ rowCount: number }>('select from pg_index where indexrelid = to_regclass(?) and indisvalid', [name])
  if (rowCount === 0) await buildIndexConcurrently(knex, name, rest)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index events_by_time; drop index ledger_postings_recorded')
}
