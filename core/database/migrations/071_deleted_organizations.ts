import type { Knex } from 'knex'

/**
 * Organizations that were deleted. They stay for 30 days, in which an owner can restore them, and then lose everything
 * that names a person. Nothing new begins in a deleted organization, whatever the code does: who adds a key, a member, an
 * invitation, an application or an account waits for a deletion that is under way, and is refused after it. Buyers'
 * sessions that began before a deletion stay ended after a restore, too.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table organizations
      add column deleted_at timestamptz(3),
      add column deleted_by uuid references users on delete set null,
      add column sessions_ended_at timestamptz(3),
      add column erased_at timestamptz(3);
    create index organizations_to_erase on organizations (deleted_at) where deleted_at is not null and erased_at is null;
    create index organizations_deleted_by on organizations (deleted_by) where deleted_by is not null;

    create function is_organization_deleted(organization uuid) returns boolean language sql stable as $$
      select exists (select from organizations o where o.id = organization and o.deleted_at is not null)
    $$;

    -- The argument is the column with the organization. A deletion has locked the row for update.
    create function refuse_in_deleted_organization() returns trigger language plpgsql as $$
    declare
      is_deleted boolean;
    begin
      select o.deleted_at is not null into is_deleted from organizations o
        where o.id = (to_jsonb(new) ->> tg_argv[0])::uuid for key share;
      if is_deleted then
        raise exception 'the organization was deleted' using errcode = '23503', constraint = 'organization_deleted';
      end if;
      return new;
    end $$;
    create trigger refuse_in_deleted_organization before insert on api_keys
      for each row execute function refuse_in_deleted_organization('organization');
    create trigger refuse_in_deleted_organization before insert on members
      for each row execute function refuse_in_deleted_organization('organization_id');
    create trigger refuse_in_deleted_organization before insert on invitations
      for each row execute function refuse_in_deleted_organization('organization_id');
    create trigger refuse_in_deleted_organization before insert on applications
      for each row execute function refuse_in_deleted_organization('organization');
    create trigger refuse_in_deleted_organization before insert on accounts
      for each row execute function refuse_in_deleted_organization('organization');

    create function tell_organization_deleted() returns trigger language plpgsql as $$
    begin
      perform pg_notify('credentials', json_build_object('kind', 'organization', 'id', new.id)::text);
      return null;
    end $$;
    create trigger tell_organization_deleted after update on organizations for each row
      when (old.deleted_at is null and new.deleted_at is not null) execute function tell_organization_deleted()`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger tell_organization_deleted on organizations;
    drop function tell_organization_deleted();
    drop trigger refuse_in_deleted_organization on accounts;
    drop trigger refuse_in_deleted_organization on applications;
    drop trigger refuse_in_deleted_organization on invitations;
    drop trigger refuse_in_deleted_organization on members;
    drop trigger refuse_in_deleted_organization on api_keys;
    drop function refuse_in_deleted_organization();
    drop function is_organization_deleted(uuid);
    drop index organizations_deleted_by;
    drop index organizations_to_erase;
    alter table organizations drop column erased_at, drop column sessions_ended_at, drop column deleted_by,
      drop column deleted_at`)
}
