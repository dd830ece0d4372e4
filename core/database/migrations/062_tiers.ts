import type { Knex } from 'knex'
import { buildIndexConcurrently } from '../migrations.ts'

/**
 * Reward tiers, what an account has of them, and the history of that. The effective tier is kept beside the account, so
 * that a list of accounts is one table; `tier_due_at` is when a visit leaves the window and the tier falls. The tiers of
 * accounts have no foreign key: a tier that is deleted leaves its accounts chunk by chunk.
 */
export const transaction = false

const indexes: Readonly<Record<string, [columns: string, isUnique: boolean]>> = {
  customer: ['(application, customer_id) where customer_id is not null', true],
  fixed_tier: ['(fixed_reward_tier) where fixed_reward_tier is not null', false],
  tier_due: ['(tier_due_at) where tier_due_at is not null', false],
}

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table if not exists loyalty_tiers (
      id uuid primary key,
      organization uuid not null,
      application uuid not null references applications on delete cascade,
      name text not null,
      required_visits int not null check (required_visits >= 0),
      currency_to_point_ratio numeric(16, 6) not null check (currency_to_point_ratio >= 0),
      bg_image_url text,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      constraint loyalty_tiers_visits unique (application, required_visits)
    );
    create index if not exists loyalty_tiers_organization on loyalty_tiers (organization, created_at desc, id desc);

    create table if not exists loyalty_tier_changes (
      id uuid primary key,
      organization uuid not null,
      account uuid not null,
      from_tier uuid,
      to_tier uuid,
      reason text not null check (reason in ('visit', 'adjust', 'fixed', 'tier', 'window')),
      at timestamptz(3) not null default clock_timestamp()
    );
    create index if not exists loyalty_tier_changes_account on loyalty_tier_changes (account, at desc, id desc);

    -- The job that is to look at all accounts of an application again, until it begins.
    create table if not exists loyalty_tier_reviews (
      application uuid primary key,
      job uuid not null
    );

    alter table accounts
      add column if not exists fixed_reward_tier uuid,
      add column if not exists reward_tier uuid,
      add column if not exists tier_due_at timestamptz(3),
      add column if not exists customer_id text,
      add column if not exists opt_in_apple boolean not null default false,
      add column if not exists opt_in_google boolean not null default false;
  `)
  for (const [name, [columns, isUnique]] of Object.entries(indexes))
    await buildIndexConcurrently(knex, `accounts_${name}`, `on accounts ${columns}`, isUnique)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table accounts drop column fixed_reward_tier, drop column reward_tier, drop column tier_due_at,
      drop column customer_id, drop column opt_in_apple, drop column opt_in_google;
    drop table loyalty_tier_reviews, loyalty_tier_changes, loyalty_tiers;
  `)
}
