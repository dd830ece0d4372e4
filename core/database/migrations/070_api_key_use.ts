import type { Knex } from 'knex'

/**
 * Where a key was used last, beside when. Processes forget a key only when something changes that decides about it: not
 * when its use is noted, once a minute.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table api_keys add column last_address text;
    create index api_keys_list on api_keys (organization, created_at desc, id desc);
    drop index api_keys_organization;
    drop trigger tell_key_change on api_keys;
    create trigger tell_key_change after update on api_keys for each row
      when ((old.enabled, old.permissions, old.expires_at, old.key, old.organization)
        is distinct from (new.enabled, new.permissions, new.expires_at, new.key, new.organization))
      execute function tell_key_change();
    create trigger tell_key_change_deleted after delete on api_keys for each row execute function tell_key_change()`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger tell_key_change_deleted on api_keys;
    drop trigger tell_key_change on api_keys;
    create trigger tell_key_change after update or delete on api_keys for each row execute function tell_key_change();
    create index api_keys_organization on api_keys (organization);
    drop index api_keys_list;
    alter table api_keys drop column last_address`)
}
