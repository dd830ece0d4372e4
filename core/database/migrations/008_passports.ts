import type { Knex } from 'knex'

/**
 * Passports, their counts and what became of their tokens. Indexes end in (created_at, id) so that page 1 of every
 * list reads ten rows however many there are.
 *
 * `token_id` is `0x` and the SHA-256 of the id's text; ids have no backslash, so the cast to bytes is the plain text.
 * `mint_queued_at` is set while a mint is on its way and stays once it is done; a mint that failed for good clears it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(passports)
  await knex.raw(counts)
  await knex.raw(`
    create table passport_transfers (
      operation text primary key,
      seq bigint not null generated always as identity,
      passport uuid not null references passports on delete cascade,
      type text not null check (type in ('mint', 'claim', 'transfer')),
      from_address text,
      to_address text not null,
      contract text not null,
      transaction_hash text not null,
      at timestamptz not null
    );
    create index passport_transfers_passport on passport_transfers (passport, seq);

    -- The passports a publish job has still to look at, in the order of the list they were matched by.
    create table publish_units (
      job uuid not null references jobs on delete cascade,
      line int not null,
      passport uuid not null,
      primary key (job, line)
    );

    -- Who scanned what a moment ago: a keyed hash of passport and address, nothing that tells either.
    create table passport_scans (
      mark bytea primary key,
      at timestamptz not null default now()
    );
    create index passport_scans_at on passport_scans (at);
  `)
}

const passports = `
  create table passports (
    id uuid primary key,
    token_id text not null generated always as ('0x' || encode(sha256(id::text::bytea), 'hex')) stored,
    organization uuid not null,
    application uuid not null references applications,
    sheet uuid references sheets,
    network text not null,
    status text not null default 'draft' check (status in ('draft', 'published', 'claimed', 'archived')),
    source text not null default 'manual' check (source in ('manual', 'import', 'ecommerce')),
    reference text,
    fields jsonb not null default '{}',
    data jsonb,
    product jsonb,
    certified_paths text[] not null default '{}',
    certificate_uri text,
    allowed_claim_email text,
    allowed_claim_phone_number text,
    certification_status text not null default 'none'
      check (certification_status in ('none', 'pending', 'certified', 'error')),
    certified_at timestamptz,
    content_hash text,
    ipfs_cid text,
    minted_to uuid references accounts on delete set null,
    token_contract text,
    token_transaction text,
    token_owner text,
    mint_queued_at timestamptz,
    minted_at timestamptz,
    mint_job uuid,
    mint_line int,
    structure_job uuid,
    structure_job_status text,
    structure_job_error text,
    certify_job uuid,
    certify_job_status text,
    certify_job_error text,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  ) with (fillfactor = 85);

  create unique index passports_reference_unique on passports (application, reference) where reference is not null;
  create unique index passports_identity_unique on passports (
    application, (product ->> 'idGranularity'), (product ->> 'modelNumber'), (product ->> 'batchNumber'),
    (product ->> 'itemNumber')
  ) nulls not distinct where product is not null;

  create unique index passports_token_id on passports (token_id);
  create index passports_created on passports (organization, created_at desc, id desc);
  create index passports_updated on passports (organization, updated_at desc, id desc);
  create index passports_status on passports (organization, status, created_at desc, id desc);
  create index passports_source on passports (organization, source, created_at desc, id desc);
  create index passports_application on passports (application, created_at desc, id desc);
  create index passports_sheet on passports (sheet, created_at desc, id desc) where sheet is not null;
  create index passports_sheet_minted on passports (sheet) where mint_queued_at is not null;
  create index passports_reference on passports (organization, reference) where reference is not null;
  create index passports_claim_email on passports (organization, lower(allowed_claim_email), created_at desc, id desc)
    where allowed_claim_email is not null;
  create index passports_minted_to on passports (minted_to) where minted_to is not null;
  create index passports_mint_job on passports (mint_job, mint_line) where mint_job is not null;
  create index passports_structure_job on passports (organization, structure_job_status, created_at desc, id desc)
    where structure_job_status is not null;
  create index passports_certify_job on passports (organization, certify_job_status, created_at desc, id desc)
    where certify_job_status is not null;
  create index passports_granularity on passports
    (organization, (product ->> 'idGranularity'), created_at desc, id desc) where product is not null;
`

/**
 * How many passports there are by the values that lists are filtered by. Every statement appends what it changed, so
 * writers never wait for each other; a reader sums up, `passport_counts_roll_up` keeps the rows to sum few.
 */
const counts = `
  create table passport_counts (
    organization uuid not null,
    dimension text not null,
    value text not null,
    delta bigint not null
  ) with (autovacuum_vacuum_scale_factor = 0.05);
  create index passport_counts_key on passport_counts (organization, dimension, value) include (delta);

  create function passport_count_keys(status text, source text, application uuid, sheet uuid, granularity text)
  returns table (dimension text, value text) language sql immutable as $$
    values ('all', ''), ('status', status), ('source', source), ('application.id', application::text),
      ('product', sheet::text), ('product.idGranularity', granularity)
  $$;

  create function passports_counted() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      insert into passport_counts (organization, dimension, value, delta)
        select p.organization, key.dimension, key.value, count(*) from made p,
          passport_count_keys(p.status, p.source, p.application, p.sheet, p.product ->> 'idGranularity') key
        where key.value is not null group by 1, 2, 3;
    elsif tg_op = 'DELETE' then
      insert into passport_counts (organization, dimension, value, delta)
        select p.organization, key.dimension, key.value, -count(*) from gone p,
          passport_count_keys(p.status, p.source, p.application, p.sheet, p.product ->> 'idGranularity') key
        where key.value is not null group by 1, 2, 3;
    else
      insert into passport_counts (organization, dimension, value, delta)
        select moved.organization, key.dimension, key.value, sum(moved.delta) from (
          select organization, status, source, application, sheet, product ->> 'idGranularity' as granularity, 1 as delta
          from made
          union all
          select organization, status, source, application, sheet, product ->> 'idGranularity', -1 from gone
        ) as moved,
          passport_count_keys(moved.status, moved.source, moved.application, moved.sheet, moved.granularity) key
        where key.value is not null group by 1, 2, 3 having sum(moved.delta) <> 0;
    end if;
    return null;
  end $$;

  create trigger passports_inserted after insert on passports referencing new table as made
    for each statement execute function passports_counted();
  create trigger passports_deleted after delete on passports referencing old table as gone
    for each statement execute function passports_counted();
  create trigger passports_updated after update on passports referencing new table as made old table as gone
    for each statement execute function passports_counted();

  create function passport_counts_roll_up() returns bigint language plpgsql as $$
  declare
    rolled bigint;
  begin
    with crowded as (
      select organization, dimension, value from passport_counts group by 1, 2, 3 having count(*) > 1
    ), gone as (
      delete from passport_counts using crowded
      where passport_counts.organization = crowded.organization and passport_counts.dimension = crowded.dimension
        and passport_counts.value = crowded.value
      returning passport_counts.*
    ), kept as (
      insert into passport_counts
        select organization, dimension, value, sum(delta) from gone group by 1, 2, 3 having sum(delta) <> 0
    )
    select count(*) into rolled from gone;
    return rolled;
  end $$;
`

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table passport_scans, publish_units, passport_transfers, passports, passport_counts;
    drop function passport_counts_roll_up(), passports_counted(), passport_count_keys(text, text, uuid, uuid, text);
  `)
}
