import type { Knex } from 'knex'

/**
 * The figures of days. A row of `metric_days` has what happened on a day of an organization's time zone, for each of its
 * applications and, with the organization as its subject, for all of them. `gaps` and `reach` tell how many accounts
 * were active on the day and not since a time before: `reach[n]` of them had not been active for `gaps[n]` days or more.
 * So the different accounts of any range of days are a sum over its days. `metric_folds` has one row: until when
 * everything is counted. `event_tallies` counts what happens to many passports at once and has no event of its own.
 *
 * Passports are also counted by application and status, as they are by either already.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table event_tallies (
      id uuid primary key default gen_random_uuid(),
      organization uuid not null,
      application uuid not null,
      code text not null,
      number int not null check (number > 0),
      created_at timestamptz(3) not null default now()
    );
    create index event_tallies_created on event_tallies (created_at);

    create table metric_organizations (
      organization uuid primary key,
      time_zone text not null,
      -- The day from which all days are to be counted again.
      again_from date
    );
    create index metric_organizations_again on metric_organizations (again_from) where again_from is not null;

    create table metric_folds (
      only_row boolean primary key default true check (only_row),
      folded_until timestamptz(3) not null
    );
    insert into metric_folds (folded_until)
      select coalesce(date_trunc('day', min(created_at)), now()) from organizations;

    create table metric_days (
      organization uuid not null,
      -- An application, or the organization for all of them.
      subject uuid not null,
      day date not null,
      passports_created bigint not null default 0,
      passports_published bigint not null default 0,
      passports_minted bigint not null default 0,
      claims bigint not null default 0,
      scans bigint not null default 0,
      certified bigint not null default 0,
      certify_failed bigint not null default 0,
      imports_completed bigint not null default 0,
      accounts_created bigint not null default 0,
      visits bigint not null default 0,
      points_minted numeric not null default 0,
      points_burnt numeric not null default 0,
      points_expired numeric not null default 0,
      orders bigint not null default 0,
      -- Days since the activity before, ascending; 32767 for an account without any.
      gaps smallint[] not null default '{}',
      reach int[] not null default '{}',
      primary key (organization, subject, day)
    ) with (fillfactor = 70);
    alter table metric_days alter column gaps set storage main, alter column reach set storage main;
  `)
  await knex.raw(counts)
  await knex.raw(earlier)
}

const counts = `
  lock table passports in share row exclusive mode;
  create or replace function passport_count_keys(status text, source text, application uuid, sheet uuid, granularity text)
  returns table (dimension text, value text) language sql immutable as $$
    values ('all', ''), ('status', status), ('source', source), ('application.id', application::text),
      ('product', sheet::text), ('product.idGranularity', granularity),
      ('application.status', application::text || ' ' || status)
  $$;
  insert into passport_counts (organization, dimension, value, delta)
    select organization, 'application.status', application::text || ' ' || status, count(*) from passports group by 1, 2, 3;
`

/** What was minted, certified and imported before it was counted. What could not be certified is not known any more. */
const earlier = `
  insert into event_tallies (organization, application, code, number, created_at)
    select p.organization, p.application, 'passportsMinted', count(*), least(date_trunc('hour', t.at), now())
    from passport_transfers t join passports p on p.id = t.passport where t.from_address is null group by 1, 2, 5;
  insert into event_tallies (organization, application, code, number, created_at)
    select p.organization, p.application, 'certified', count(*), least(date_trunc('hour', a.anchored_at), now())
    from anchors a join passport_credentials c on c.anchor = a.id and c.settled join passports p on p.id = c.passport
    where a.status = 'final' and a.anchored_at is not null group by 1, 2, 5;
  insert into event_tallies (organization, application, code, number, created_at)
    select i.organization, i.application, 'importsCompleted', count(*), date_trunc('hour', i.finished_at)
    from imports i join jobs j on j.id = i.job
    where j.status = 'completed' and i.name = 'batch' and not i.dry_run and i.finished_at is not null group by 1, 2, 5;
`

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    lock table passports in share row exclusive mode;
    create or replace function passport_count_keys(status text, source text, application uuid, sheet uuid, granularity text)
    returns table (dimension text, value text) language sql immutable as $$
      values ('all', ''), ('status', status), ('source', source), ('application.id', application::text),
        ('product', sheet::text), ('product.idGranularity', granularity)
    $$;
    delete from passport_counts where dimension = 'application.status';
    drop table metric_days, metric_folds, metric_organizations, event_tallies;
  `)
}
