import type { Knex } from 'knex'

/**
 * People for whose e-mail address an organization's own provider of identities vouches. They are people of that
 * organization alone: the same address of another organization, or of nobody's, is somebody else. The column refers to
 * `organizations` without a foreign key: that table refers to users, and a backup restores tables one after the other.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table users add column organization uuid;
    alter table users drop constraint users_email_key;
    alter table users add constraint users_email_key unique nulls not distinct (email, organization);
    create index users_organization on users (organization) where organization is not null;
    alter table users add constraint users_of_organization
      check (organization is null or (not super_admin and phone_number is null))`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table users drop constraint users_of_organization;
    drop index users_organization;
    alter table users drop constraint users_email_key;
    alter table users drop column organization;
    alter table users add constraint users_email_key unique (email)`)
}
