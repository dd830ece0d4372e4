import type { Knex } from 'knex'

/**
 * Events, a partition a month in UTC. Events never change, so `updatedAt` is their creation. `passport` is the
 * passport as it was then, `application_name` the application's name as it was then. `events_rest` takes what has no
 * month yet, so that a write never fails because a partition is missing; making the month moves such rows over.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table events (
      id uuid not null,
      organization uuid not null,
      application uuid not null,
      application_name text not null,
      subject text not null check (subject in ('application', 'dppPassport', 'wallet')),
      type text not null check (type in ('create', 'update', 'delete', 'publish', 'claim', 'scan', 'transfer')),
      passport jsonb,
      passport_id uuid generated always as ((passport->>'id')::uuid) stored,
      created_at timestamptz(3) not null default now(),
      primary key (organization, id, created_at)
    ) partition by range (created_at);
    create index events_created on events (organization, created_at desc, id desc);
    create index events_kind on events (organization, subject, type, created_at desc, id desc);
    create index events_application on events (application, created_at desc, id desc);
    create index events_passport on events (passport_id, created_at desc, id desc) where passport_id is not null;
    create table events_rest partition of events default;

    create function make_events_month(month date) returns void language plpgsql as $$
    declare
      name text := 'events_' || to_char(month, 'YYYY_MM');
      first_instant timestamptz := date_trunc('month', month::timestamp) at time zone 'UTC';
      end_instant timestamptz := (date_trunc('month', month::timestamp) + interval '1 month') at time zone 'UTC';
      columns text := 'id, organization, application, application_name, subject, type, passport, created_at';
    begin
      perform pg_advisory_xact_lock(20017, 0);
      if to_regclass(name) is not null then return; end if;
      execute format('create table %I (like events including all)', name);
      execute format('with moved as (delete from events_rest where created_at >= %L and created_at < %L returning %s)
        insert into %I (%s) select * from moved', first_instant, end_instant, columns, name, columns);
      execute format('alter table events attach partition %I for values from (%L) to (%L)',
        name, first_instant, end_instant);
    end $$;

    do $$ begin
      for ahead in 0..3 loop
        perform make_events_month(((now() at time zone 'UTC') + make_interval(months => ahead))::date);
      end loop;
    end $$;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table events; drop function make_events_month(date)')
}
