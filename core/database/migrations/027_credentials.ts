import type { Knex } from 'knex'

/**
 * Sessions are found by the hash of their token, so that a copy of the database opens none. What ends a credential, or
 * changes what it may do, is told on the channel `credentials` by whoever makes the change, so that open streams end
 * with it. Codes have a table of their own, one row for an address in its realm, so that a guess is judged and counted
 * by one statement. Sends are rows too: one for each budget that a code takes from.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(sessions)
  await knex.raw(codes)
  await knex.raw(notices)
}

/** The tokens themselves are gone: everybody signs in again. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger tell_key_end on api_keys;
    drop trigger tell_key_deletion on api_keys;
    drop trigger tell_member_change on members;
    drop trigger tell_member_deletion on members;
    drop trigger tell_session_change on sessions;
    drop trigger tell_session_deletion on sessions;
    drop function tell_credential_end();
    drop table sign_in_codes, code_sends;
    create table code_sends (address_hash text primary key, sent timestamptz[] not null, last_at timestamptz not null);
    create index code_sends_last_at on code_sends (last_at);
    delete from sessions;
    alter table sessions drop constraint sessions_token_hash, drop column last_seen_at;
  `)
}

/** The hash as keys have it: SHA-256 in base64url without padding. Whoever is signed in stays so. */
const sessions = `
  alter table sessions add column last_seen_at timestamptz;
  update sessions set last_seen_at = updated_at,
    token = rtrim(translate(encode(sha256(convert_to(token, 'UTF8')), 'base64'), '+/', '-_'), '=');
  alter table sessions alter column last_seen_at set default now(), alter column last_seen_at set not null,
    add constraint sessions_token_hash check (token ~ '^[A-Za-z0-9_-]{43}$');
`

/** What was counted in the hour before is forgotten; a code that is on its way has to be asked for again. */
const codes = `
  drop table code_sends;
  create table code_sends (
    id bigint generated always as identity primary key,
    budget text not null,
    at timestamptz not null default clock_timestamp()
  );
  create index code_sends_budget on code_sends (budget, at desc);
  create index code_sends_at on code_sends (at);
  delete from verifications;
  create table sign_in_codes (
    name text primary key,
    code_hash text not null,
    wrong int not null default 0,
    spent_at timestamptz,
    expires_at timestamptz not null
  );
  create index sign_in_codes_expires_at on sign_in_codes (expires_at);
`

const notices = `
  create function tell_credential_end() returns trigger language plpgsql as $$
    declare
      gone jsonb := to_jsonb(old);
    begin
      perform pg_notify('credentials', (case tg_table_name
        when 'members' then jsonb_build_object(
          'kind', 'member', 'id', gone ->> 'user_id', 'organization', gone ->> 'organization_id')
        when 'sessions' then jsonb_build_object('kind', 'session', 'id', gone ->> 'id')
        else jsonb_build_object('kind', 'key', 'id', gone ->> 'id')
      end)::text);
      return null;
    end
  $$;
  create trigger tell_session_deletion after delete on sessions
    for each row execute function tell_credential_end();
  create trigger tell_session_change after update on sessions for each row
    when ((old.expires_at, old.active_organization_id, old.token)
      is distinct from (new.expires_at, new.active_organization_id, new.token))
    execute function tell_credential_end();
  create trigger tell_member_deletion after delete on members
    for each row execute function tell_credential_end();
  create trigger tell_member_change after update on members for each row
    when ((old.role, old.user_id, old.organization_id) is distinct from (new.role, new.user_id, new.organization_id))
    execute function tell_credential_end();
  create trigger tell_key_deletion after delete on api_keys
    for each row execute function tell_credential_end();
  create trigger tell_key_end after update on api_keys for each row
    when ((old.enabled, old.permissions, old.expires_at, old.key, old.organization)
      is distinct from (new.enabled, new.permissions, new.expires_at, new.key, new.organization))
    execute function tell_credential_end();
`
