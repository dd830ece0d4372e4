import type { Knex } from 'knex'

/** Creates the table of the area, and lets events be about parcels. A database that has it already stays as it is. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table if not exists parcels (
      id uuid primary key,
      organization uuid not null,
      application uuid not null references applications,
      grams integer not null,
      weighed_at timestamptz(3)
    );
    alter table events drop constraint events_subject_check;
    alter table events add constraint events_subject_check
      check (subject in ('application', 'dppPassport', 'wallet', 'parcel'));
  `)
}
