import type { Knex } from 'knex'

/**
 * Points and tiers for people who have no account yet, and who got a welcome bonus. A person has one pending assignment
 * in an application on a network, by e-mail and by phone, whatever the code does. The hashes of welcomes are keyed: they
 * tell that a contact came before, and not whose it is.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table account_assignments (
      id uuid primary key,
      organization uuid not null references organizations on delete cascade,
      application uuid not null references applications on delete cascade,
      network text not null,
      email text check (email = lower(email)),
      phone_number text,
      points numeric(17, 0) not null check (points >= 0),
      reward_tier uuid,
      status text not null check (status in ('pending', 'consumed')),
      -- The account that got it.
      account uuid references accounts on delete cascade,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      check (email is not null or phone_number is not null),
      check (points > 0 or reward_tier is not null),
      check ((status = 'consumed') = (account is not null))
    );
    create unique index account_assignments_email on account_assignments (application, network, email)
      where status = 'pending' and email is not null;
    create unique index account_assignments_phone_number on account_assignments (application, network, phone_number)
      where status = 'pending' and phone_number is not null;
    create index account_assignments_organization on account_assignments (organization, status, created_at desc, id desc);
    create index account_assignments_application on account_assignments (application, status, created_at desc, id desc);
    create index account_assignments_account on account_assignments (account) where account is not null;

    create table loyalty_welcomes (
      application uuid not null references applications on delete cascade,
      network text not null,
      contact text not null,
      at timestamptz(3) not null default now(),
      primary key (application, network, contact)
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table loyalty_welcomes, account_assignments')
}
