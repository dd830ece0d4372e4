import type { Knex } from 'knex'

/** Scans of numbers that their maker has not registered: events say so. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table events add column unknown boolean;
    ${makeMonth('id, organization, application, application_name, subject, type, passport, unknown, created_at')}
  `)
}

/** As it was made with the table; it moves rows by the names of their columns. */
const makeMonth = (columns: string) => `
  create or replace function make_events_month(month date) returns void language plpgsql as $$
  declare
    name text := 'events_' || to_char(month, 'YYYY_MM');
    first_instant timestamptz := date_trunc('month', month::timestamp) at time zone 'UTC';
    end_instant timestamptz := (date_trunc('month', month::timestamp) + interval '1 month') at time zone 'UTC';
    columns text := '${columns}';
  begin
    perform pg_advisory_xact_lock(20017, 0);
    if to_regclass(name) is not null then return; end if;
    execute format('create table %I (like events including all)', name);
    execute format('with moved as (delete from events_rest where created_at >= %L and created_at < %L returning %s)
      insert into %I (%s) select * from moved', first_instant, end_instant, columns, name, columns);
    execute format('alter table events attach partition %I for values from (%L) to (%L)',
      name, first_instant, end_instant);
  end $$;
`

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ${makeMonth('id, organization, application, application_name, subject, type, passport, created_at')}
    alter table events drop column unknown;
  `)
}
