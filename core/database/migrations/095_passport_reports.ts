import type { Knex } from 'knex'

/**
 * What people report about a passport to its organization: that the product is fake, stolen, has a defect, or anything
 * else. A report waits until a member has handled it. Organization and application are those of the passport, which never
 * change, because it goes together with its passport.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table passport_reports (
      id uuid primary key,
      organization uuid not null,
      application uuid not null,
      passport uuid not null references passports on delete cascade,
      kind text not null check (kind in ('fake', 'stolen', 'defect', 'other')),
      text text not null,
      -- Where whoever reported it can be reached; null where they did not say, or where it was erased.
      email text,
      -- A keyed hash of the report and of where it came from, by which it is known when it is sent again. Null once handled.
      mark bytea unique,
      handled_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    );
    create index passport_reports_newest on passport_reports (organization, created_at desc, id desc);
    create index passport_reports_of_passport on passport_reports (passport, created_at desc, id desc);
    create index passport_reports_open on passport_reports (organization, passport) where handled_at is null;
    create index passport_reports_reachable on passport_reports (handled_at) where email is not null`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table passport_reports')
}
