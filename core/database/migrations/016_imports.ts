import type { Knex } from 'knex'

/**
 * Imports, what they read and what they could not take, and the mappers that tell columns where to go.
 *
 * An import is a job with a row here: `batch` the whole of it, `entity` a slice of it. Files are kept in pieces until
 * their import ends, so that API and worker may be on different machines. At most one fetch of a mapper goes on at a
 * time, whichever process began it: `imports_one_run` says so. `import_keys` is what a dry run has seen of its own
 * file, as it leaves nothing else to find doubles by.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table import_mappers (
      id uuid primary key,
      organization uuid not null,
      application uuid not null references applications on delete cascade,
      name text not null,
      type text not null check (type in ('file', 'url')),
      format text not null check (format in ('json', 'csv')),
      url text,
      schedule text,
      -- Sealed as one JSON object.
      headers bytea,
      rows jsonb not null,
      -- Of what the last completed fetch took with these rows.
      etag text,
      next_run_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      constraint import_mappers_url check ((type = 'url') = (url is not null))
    );
    create unique index import_mappers_name_unique on import_mappers (application, name);
    create index import_mappers_created on import_mappers (organization, created_at desc, id desc);
    create index import_mappers_due on import_mappers (next_run_at) where next_run_at is not null;

    create table imports (
      job uuid primary key references jobs on delete cascade,
      organization uuid not null,
      application uuid not null,
      name text not null check (name in ('batch', 'entity')),
      parent uuid references imports on delete cascade,
      entity_name text not null default 'DppPassport',
      source text not null check (source in ('upload', 'ecommerce', 'scheduled')),
      mapper uuid,
      -- Whether it fetches the mapper's address.
      run boolean not null default false,
      network text,
      file_name text,
      format text check (format in ('json', 'ndjson', 'csv')),
      dialect jsonb,
      on_duplicate text not null default 'skip' check (on_duplicate in ('skip', 'update', 'fail')),
      dry_run boolean not null default false,
      created int not null default 0,
      updated int not null default 0,
      skipped int not null default 0,
      bytes bigint not null default 0,
      bytes_done bigint not null default 0,
      init_error jsonb,
      -- Of a slice: the lines of its first and last row, by which it finds its errors among those of its batch.
      line_from int,
      line_to int,
      finished_at timestamptz(3),
      created_at timestamptz(3) not null default now()
    ) with (fillfactor = 80);
    create unique index imports_one_run on imports (mapper) where run and finished_at is null;
    create index imports_going_on on imports (mapper) where name = 'batch' and finished_at is null;
    create index imports_created on imports (organization, created_at desc, job desc);
    create index imports_name on imports (organization, name, created_at desc, job desc);
    create index imports_parent on imports (parent, created_at desc, job desc) where parent is not null;

    create table import_uploads (
      id uuid primary key,
      organization uuid not null,
      job uuid references jobs on delete cascade,
      bytes bigint not null default 0,
      -- What a member has decided about it on the pages, until its import begins.
      draft jsonb,
      created_at timestamptz(3) not null default now()
    );
    create index import_uploads_job on import_uploads (job);
    create index import_uploads_organization on import_uploads (organization);

    create table import_pieces (
      upload uuid not null references import_uploads on delete cascade,
      place int not null,
      bytes bytea not null,
      primary key (upload, place)
    );
    alter table import_pieces alter column bytes set storage external;

    create table import_errors (
      job uuid not null references jobs on delete cascade,
      line int not null,
      seq bigint not null generated always as identity,
      path text not null,
      code text not null,
      message text not null,
      value text,
      primary key (job, line, seq)
    );

    create table import_keys (
      job uuid not null references jobs on delete cascade,
      key bytea not null,
      primary key (job, key)
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table import_keys, import_errors, import_pieces, import_uploads, imports, import_mappers')
}
