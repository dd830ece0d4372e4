import type { Knex } from 'knex'

/**
 * Claims and magic tokens. A passport has one token at a time, spent by the claim it was shown for and given back when
 * that claim fails; and one claim at a time that is not failed, which the partial index holds whatever the code does.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table claims (
      id uuid primary key,
      organization uuid not null,
      application uuid not null references applications,
      passport uuid not null references passports on delete cascade,
      job uuid not null unique,
      end_user text not null,
      account uuid references accounts on delete set null,
      status text not null default 'pending' check (status in ('pending', 'completed', 'failed')),
      kind text check (kind in ('mintTo', 'transferTo')),
      operation text unique,
      transaction_hash text,
      reason text,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    );
    create unique index claims_one_at_a_time on claims (passport) where status <> 'failed';
    create index claims_passport on claims (passport);

    create table magic_tokens (
      passport uuid primary key references passports on delete cascade,
      jti text not null unique,
      issued_at timestamptz not null,
      expires_at timestamptz not null,
      spent_by uuid references claims on delete set null
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table magic_tokens; drop table claims')
}
