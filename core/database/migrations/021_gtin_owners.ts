import type { Knex } from 'knex'

/**
 * Whose a GTIN is: the organization's that published it first. Triggers write it in the transaction of the publishing,
 * so that no way to publish can leave it out: an item, batch or model that becomes public, and a public one whose GTIN
 * becomes another. Deleting or archiving passports frees nothing. GTINs that nobody holds are taken in their order, so
 * that two that publish many never wait for each other.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(owners)
  await knex.raw(triggers)
  await knex.raw(firstPublications)
  await knex.raw(records)
}

const owners = `
  -- Whether 14 digits are a GTIN: the last one follows from the others. Source: GS1 General Specifications, 7.9.1.
  create function is_gtin(digits text) returns boolean language sql immutable parallel safe as $$
    select digits ~ '^[0-9]{14}$' and (
      select sum(substr(digits, place, 1)::int * case place % 2 when 1 then 3 else 1 end) % 10 = 0
      from generate_series(1, 14) place
    )
  $$;

  create table gtin_owners (
    gtin text primary key check (is_gtin(gtin)),
    organization uuid not null,
    since timestamptz(3) not null default now(),
    -- When the operator decided that it is this organization's.
    confirmed_at timestamptz(3)
  );

  -- By organization too: however many of one GTIN another one publishes, its owner's are found at once.
  drop index passports_gtin;
  create index passports_gtin on passports (
    passport_gtin(product), organization, (product ->> 'idGranularity'), (product ->> 'itemNumber'),
    (product ->> 'batchNumber')
  ) where product is not null and passport_gtin(product) is not null;
`

const triggers = `
  create function take_gtin() returns trigger language plpgsql as $$
  declare
    own_gtin text := passport_gtin(new.product);
  begin
    if is_gtin(own_gtin) then
      insert into gtin_owners (gtin, organization) values (own_gtin, new.organization) on conflict (gtin) do nothing;
    end if;
    return null;
  end $$;

  create function take_gtins() returns trigger language plpgsql as $$
  begin
    insert into gtin_owners (gtin, organization)
      select distinct on (own_gtin) own_gtin, organization from (
        select passport_gtin(made.product) as own_gtin, made.organization, made.id from made join gone using (id)
        where made.product is not null and made.status in ('published', 'claimed')
          and (gone.status not in ('published', 'claimed') or gone.product is distinct from made.product)
      ) as opened where is_gtin(own_gtin) order by own_gtin, id
      on conflict (gtin) do nothing;
    return null;
  end $$;

  create trigger passports_take_gtin after insert on passports for each row
    when (new.product is not null and new.status in ('published', 'claimed')) execute function take_gtin();
  create trigger passports_take_gtins after update on passports referencing new table as made old table as gone
    for each statement execute function take_gtins();
`

/** What is published already: by its event, and by its creation where the event is older than events are kept. */
const firstPublications = `
  insert into gtin_owners (gtin, organization, since)
    select distinct on (gtin) gtin, organization, at from (
      select passport_gtin(p.product) as gtin, p.organization, p.id, coalesce(first.at, p.created_at) as at
      from passports p left join (
        select passport_id, min(created_at) as at from events
        where subject = 'dppPassport' and type = 'publish' and passport_id is not null group by passport_id
      ) as first on first.passport_id = p.id
      where p.product is not null and (p.status in ('published', 'claimed') or (p.status = 'archived' and first.at is not null))
    ) as opened where is_gtin(gtin) order by gtin, at, id;
`

const records = `
  -- What organizations leave for the operator about GTINs that others hold; at most one open note of each.
  create table gtin_contests (
    id uuid primary key,
    gtin text not null references gtin_owners,
    organization uuid not null,
    reason text,
    created_at timestamptz(3) not null default now(),
    decided_at timestamptz(3)
  );
  create unique index gtin_contests_open on gtin_contests (gtin, organization) where decided_at is null;
  create index gtin_contests_waiting on gtin_contests (created_at, id) where decided_at is null;
  create index gtin_contests_organization on gtin_contests (organization, created_at);

  -- What operators decide: written in the transaction of the decision, never changed.
  create table audit_entries (
    id uuid primary key,
    at timestamptz(3) not null default now(),
    actor text not null,
    action text not null,
    subject text not null,
    details jsonb not null default '{}'
  );
  create index audit_entries_at on audit_entries (at desc, id desc);
  create index audit_entries_subject on audit_entries (subject, at desc, id desc);

  create function audit_entries_stay() returns trigger language plpgsql as $$
  begin
    raise exception 'audit entries are neither changed nor deleted';
  end $$;
  create trigger audit_entries_stay before update or delete on audit_entries
    for each row execute function audit_entries_stay();
  create trigger audit_entries_stay_all before truncate on audit_entries
    for each statement execute function audit_entries_stay();
`

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table audit_entries, gtin_contests;
    drop function audit_entries_stay();
    drop trigger passports_take_gtins on passports;
    drop trigger passports_take_gtin on passports;
    drop function take_gtins(), take_gtin();
    drop table gtin_owners;
    drop index passports_gtin;
    create index passports_gtin on passports (
      passport_gtin(product), (product ->> 'idGranularity'), (product ->> 'itemNumber'), (product ->> 'batchNumber')
    ) where product is not null and passport_gtin(product) is not null;
    drop function is_gtin(text);
  `)
}
