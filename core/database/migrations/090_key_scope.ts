import type { Knex } from 'knex'

/**
 * A key may be made for one application: it sees and uses only what belongs to it. A key without an application is the
 * whole organization's. The key goes with its application, because without it the key would be good for everything: so it
 * does when this is taken back. Processes of an earlier release know no such keys, and are replaced before the first is
 * made.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table api_keys add column application uuid references applications on delete cascade;
    create index api_keys_application on api_keys (application) where application is not null;
    ${createTriggers(true)}`)
}

/** What decides about a key is told to all processes when it changes, and open streams are looked at again. */
const createTriggers = (hasApplication: boolean) => {
  const columns = [
    'enabled',
    'permissions',
    'expires_at',
    'key',
    'organization',
    ...(hasApplication ? ['application'] : []),
  ]
  const list = (row: string) => columns.map((column) => `${row}.${column}`).join(', ')
  return [
    ['tell_key_change', 'tell_key_change'],
    ['tell_key_end', 'tell_credential_end'],
  ]
    .map(
      ([trigger, tell]) => `
    drop trigger ${trigger} on api_keys;
    create trigger ${trigger} after update on api_keys for each row
      when ((${list('old')}) is distinct from (${list('new')})) execute function ${tell}();`,
    )
    .join('')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from api_keys where application is not null;
    ${createTriggers(false)}
    alter table api_keys drop column application`)
}
