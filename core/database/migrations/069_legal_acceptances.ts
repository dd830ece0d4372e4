import type { Knex } from 'knex'

/**
 * Legal documents that people accepted, as evidence of an agreement: nothing of it changes and nothing is deleted. When
 * the person is erased, the acceptance loses the person and the network address, and stays. Of an organization, who
 * signed it up, because a person may do so three times.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table legal_acceptances (
      id uuid primary key,
      user_id uuid references users on delete set null,
      organization uuid references organizations on delete set null,
      document text not null,
      version text not null,
      sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
      accepted_at timestamptz(3) not null,
      address text,
      -- The sign-up that it comes from; one sign-up serves one person.
      intent uuid,
      created_at timestamptz(3) not null default now(),
      unique (user_id, document, version),
      unique (intent, document)
    );
    create index legal_acceptances_organization on legal_acceptances (organization);

    create function legal_acceptances_stay() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        if new.user_id is null then new.address := null; end if;
        if (to_jsonb(new) - 'user_id' - 'address' - 'organization') = (to_jsonb(old) - 'user_id' - 'address' - 'organization')
          and (new.user_id is null or new.user_id = old.user_id)
          and (new.organization is null or new.organization = old.organization)
          and (new.user_id is null or new.address is not distinct from old.address) then
          return new;
        end if;
      end if;
      raise exception 'acceptances are neither changed nor deleted';
    end $$;
    create trigger legal_acceptances_stay before update or delete on legal_acceptances
      for each row execute function legal_acceptances_stay();
    create trigger legal_acceptances_stay_all before truncate on legal_acceptances
      for each statement execute function legal_acceptances_stay();

    alter table organizations add column created_by uuid references users on delete set null;
    create index organizations_created_by on organizations (created_by) where created_by is not null`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index organizations_created_by;
    alter table organizations drop column created_by;
    drop table legal_acceptances;
    drop function legal_acceptances_stay()`)
}
