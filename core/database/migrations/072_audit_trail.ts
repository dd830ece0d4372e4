import type { Knex } from 'knex'

/**
 * The audit trail of organizations: who did what to keys, people and settings. The rows of an organization form a chain
 * of hashes, in a segment for each month. What names a person stands beside the chain, which has only its salted hash, so
 * that it can be erased. Nothing else of a row changes, and rows go only with their whole segment, after 400 days.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Where the chain of an organization ends. Whoever appends to it locks this row.
    create table audit_chains (
      organization uuid primary key,
      -- The hash that the oldest segment begins with.
      base text not null default repeat('0', 64),
      -- The newest segment, and whether rows are still appended to it. Null before the first row.
      month text check (month ~ '^[0-9]{4}-[0-9]{2}$'),
      is_open boolean not null default false,
      start text not null default repeat('0', 64),
      head text not null default repeat('0', 64),
      length int not null default 0
    );

    -- The segments that have ended.
    create table audit_segments (
      organization uuid not null,
      month text not null check (month ~ '^[0-9]{4}-[0-9]{2}$'),
      start text not null,
      head text not null,
      length int not null,
      primary key (organization, month)
    );
    create index audit_segments_month on audit_segments (month, organization);

    create table audit_trail (
      id uuid primary key,
      organization uuid not null,
      month text not null check (month ~ '^[0-9]{4}-[0-9]{2}$'),
      place int not null,
      at timestamptz(3) not null,
      action text not null,
      actor_kind text not null check (actor_kind in ('member', 'key', 'operator')),
      actor_id text,
      actor_label text,
      address text,
      request_id text,
      actor_salt text,
      actor_hash text not null,
      target_kind text not null,
      target_id uuid not null,
      target_label text,
      target_salt text,
      target_hash text not null,
      change text,
      previous text not null,
      hash text not null,
      unique (organization, month, place)
    );
    create index audit_trail_list on audit_trail (organization, at desc, id desc);

    create function audit_month_is_over(month text) returns boolean language sql stable as $$
      select ((month || '-01')::timestamp at time zone 'UTC') + interval '1 month' < now() - interval '400 days'
    $$;

    create function audit_trail_stays() returns trigger language plpgsql as $$
    declare
      personal constant text[] := array['actor_id', 'actor_label', 'address', 'request_id', 'actor_salt', 'target_label', 'target_salt'];
    begin
      if tg_op = 'DELETE' and audit_month_is_over(old.month) then return old; end if;
      if tg_op = 'UPDATE' and to_jsonb(new) - personal = to_jsonb(old) - personal
        and (new.actor_id is null or new.actor_id = old.actor_id)
        and (new.actor_label is null or new.actor_label = old.actor_label)
        and (new.address is null or new.address = old.address)
        and (new.request_id is null or new.request_id = old.request_id)
        and (new.actor_salt is null or new.actor_salt = old.actor_salt)
        and (new.target_label is null or new.target_label = old.target_label)
        and (new.target_salt is null or new.target_salt = old.target_salt) then
        -- What names one person goes together, with the salt, without which the hash says nothing.
        if (new.actor_id, new.actor_label, new.address, new.request_id, new.actor_salt)
          is distinct from (old.actor_id, old.actor_label, old.address, old.request_id, old.actor_salt) then
          new.actor_id := null;
          new.actor_label := null;
          new.address := null;
          new.request_id := null;
          new.actor_salt := null;
        end if;
        if (new.target_label, new.target_salt) is distinct from (old.target_label, old.target_salt) then
          new.target_label := null;
          new.target_salt := null;
        end if;
        return new;
      end if;
      raise exception 'the audit trail is neither changed nor deleted';
    end $$;
    create trigger audit_trail_stays before update or delete on audit_trail
      for each row execute function audit_trail_stays();
    create trigger audit_trail_stays_whole before truncate on audit_trail
      for each statement execute function audit_trail_stays();

    create function audit_segments_stay() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' and tg_table_name = 'audit_segments' then
        if audit_month_is_over(old.month) then return old; end if;
      end if;
      raise exception 'the audit trail is neither changed nor deleted';
    end $$;
    create trigger audit_segments_stay before update or delete on audit_segments
      for each row execute function audit_segments_stay();
    create trigger audit_segments_stay_whole before truncate on audit_segments
      for each statement execute function audit_segments_stay();
    create trigger audit_chains_stay before delete on audit_chains
      for each row execute function audit_segments_stay();
    create trigger audit_chains_stay_whole before truncate on audit_chains
      for each statement execute function audit_segments_stay();

    revoke update on audit_trail, audit_segments from current_user;
    grant update (actor_id, actor_label, address, request_id, actor_salt, target_label, target_salt) on audit_trail
      to current_user;
    revoke delete on audit_chains from current_user`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table audit_trail, audit_segments, audit_chains;
    drop function audit_trail_stays(), audit_segments_stay(), audit_month_is_over(text)`)
}
