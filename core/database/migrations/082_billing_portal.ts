import type { Knex } from 'knex'

/** Links to our own billing page: each opens it once, within 10 minutes, in a session of a member of the organization. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table billing_portal_links (
      id uuid primary key,
      organization uuid not null references organizations on delete cascade,
      -- The session that asked for the link; null if a key did, and then any session of a member who may open it.
      session uuid,
      return_url text not null,
      expires_at timestamptz not null,
      -- The session that has opened it.
      opened_by uuid
    );
    create index billing_portal_links_end on billing_portal_links (expires_at);
    create index billing_portal_links_organization on billing_portal_links (organization)`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table billing_portal_links')
}
