import type { Knex } from 'knex'

/** A person has one invitation to an organization that nobody has answered, whatever the code does. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create unique index invitations_open on invitations (organization_id, email) where status = 'pending';
    alter table invitations add constraint invitations_status
      check (status in ('pending', 'accepted', 'rejected', 'canceled'));
    alter table invitations alter column role set not null;
    create index invitations_expires_at on invitations (expires_at)`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index invitations_expires_at;
    alter table invitations alter column role drop not null;
    alter table invitations drop constraint invitations_status;
    drop index invitations_open`)
}
