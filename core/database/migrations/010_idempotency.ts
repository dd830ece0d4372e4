import type { Knex } from 'knex'

/** Answers kept under a caller's idempotency key. `lease_until` frees a key whose first request died. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table idempotency (
      scope text not null,
      operation text not null,
      key text not null,
      request_hash bytea not null,
      state text not null check (state in ('running', 'done')),
      holder uuid not null,
      lease_until timestamptz not null,
      status int,
      content_type text,
      location text,
      headers jsonb,
      body bytea,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      primary key (scope, operation, key)
    );
    create index idempotency_expires_at on idempotency (expires_at);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table idempotency')
}
