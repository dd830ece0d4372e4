import type { Knex } from 'knex'

/**
 * Whose share of kept bodies an answer counts to, and how many bytes it has there: an organization's, or its buyers'.
 * Answers from before are counted where their scope says whose they are; the others end with their thirty days.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table idempotency add column share text, add column body_bytes int not null default 0;
    update idempotency set share = scope, body_bytes = octet_length(body) where scope like 'organization:%' and body is not null;
    create index idempotency_bodies on idempotency (share, created_at) include (body_bytes) where body_bytes > 0;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table idempotency drop column share, drop column body_bytes')
}
