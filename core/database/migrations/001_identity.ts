import type { Knex } from 'knex'

/**
 * People, their sessions and one-time codes, organizations with members and keys. The sign-in library reads and writes
 * these tables under its own models; `features/identity/auth.tables.ts` maps its names to these. Two rules hold here
 * whatever the library does: a session of an end user names one application and never an organization, and one person
 * has one role in an organization. Every change of a key is told on the channel `api_keys`, so that no process goes on
 * believing what it remembers of it, whoever made the change.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(people)
  await knex.raw(organizations)
  await knex.raw(sessions)
  await knex.raw(keys)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table api_keys, code_sends, verifications, sessions, invitations, members, organizations, credentials, users;
    drop function tell_key_change()
  `)
}

const people = `
  create table users (
    id uuid primary key,
    name text not null default '',
    email text not null unique check (email = lower(email)),
    email_verified boolean not null default false,
    image text,
    phone_number text unique,
    phone_number_verified boolean,
    super_admin boolean not null default false,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  create table credentials (
    id uuid primary key,
    account_id text not null,
    provider_id text not null,
    user_id uuid not null references users on delete cascade,
    access_token text,
    refresh_token text,
    id_token text,
    access_token_expires_at timestamptz,
    refresh_token_expires_at timestamptz,
    scope text,
    password text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (provider_id, account_id)
  );
  create index credentials_user_id on credentials (user_id);
`

const organizations = `
  create table organizations (
    id uuid primary key,
    name text not null,
    slug text not null unique,
    logo text,
    metadata text,
    customer_type text not null check (customer_type in ('company', 'individual')),
    preferred_currency text check (preferred_currency in ('EUR', 'USD')),
    settings jsonb not null,
    time_zone text not null default 'UTC',
    locale text not null default 'en',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  create table members (
    id uuid primary key,
    organization_id uuid not null references organizations on delete cascade,
    user_id uuid not null references users on delete cascade,
    role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),
    created_at timestamptz not null default now(),
    unique (user_id, organization_id)
  );
  create index members_organization_id on members (organization_id);
  create table invitations (
    id uuid primary key,
    organization_id uuid not null references organizations on delete cascade,
    email text not null,
    role text check (role in ('owner', 'admin', 'editor', 'viewer')),
    status text not null,
    inviter_id uuid not null references users on delete cascade,
    expires_at timestamptz not null,
    created_at timestamptz not null default now()
  );
  create index invitations_organization_id on invitations (organization_id);
  create index invitations_email on invitations (email);
`

const sessions = `
  create table sessions (
    id uuid primary key,
    token text not null unique,
    user_id uuid not null references users on delete cascade,
    kind text not null check (kind in ('member', 'endUser')),
    application uuid,
    active_organization_id uuid references organizations on delete set null,
    ip_address text,
    user_agent text,
    expires_at timestamptz not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    check ((kind = 'endUser') = (application is not null)),
    check (kind = 'member' or active_organization_id is null)
  );
  create index sessions_user_id on sessions (user_id);
  create index sessions_active_organization_id on sessions (active_organization_id);
  create table verifications (
    id text primary key,
    identifier text not null,
    value text not null,
    expires_at timestamptz not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  create index verifications_identifier on verifications (identifier);
  create index verifications_expires_at on verifications (expires_at);
  create table code_sends (
    address_hash text primary key,
    sent timestamptz[] not null,
    last_at timestamptz not null
  );
  create index code_sends_last_at on code_sends (last_at);
`

const keys = `
  create table api_keys (
    id uuid primary key,
    organization uuid not null references organizations on delete cascade,
    config_id text not null default 'default',
    name text,
    start text,
    prefix text,
    key text not null unique,
    enabled boolean default true,
    permissions text,
    metadata text,
    expires_at timestamptz,
    last_request timestamptz,
    request_count int default 0,
    remaining int,
    refill_interval bigint,
    refill_amount int,
    last_refill_at timestamptz,
    rate_limit_enabled boolean default false,
    rate_limit_time_window bigint,
    rate_limit_max int,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  create index api_keys_organization on api_keys (organization);
  create function tell_key_change() returns trigger language plpgsql as $$
    begin
      perform pg_notify('api_keys', old.key);
      return null;
    end
  $$;
  create trigger tell_key_change after update or delete on api_keys for each row execute function tell_key_change();
`
