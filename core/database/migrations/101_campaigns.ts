import type { Knex } from 'knex'

/**
 * Campaigns: messages to cards. The audience is frozen as rows, a delivery for each account and channel, which workers
 * take in slices. Rows of deliveries leave room in their pages, because each of them changes.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table campaigns (
      id uuid primary key,
      organization uuid not null,
      application uuid not null,
      name text not null,
      description text,
      channels text[] not null,
      targeting jsonb not null,
      headline text,
      body text,
      status text not null check (status in ('draft', 'scheduled', 'sending', 'sent', 'finished')),
      send_at timestamptz(3),
      scheduled_immediately boolean not null default false,
      -- Accounts that it is for, and those among them that get nothing, to compare with.
      audience_size int,
      holdout_size int not null default 0,
      -- As the settings were when it was sent.
      conversion_window_days int,
      -- The job that sends it.
      job uuid,
      -- How far its audience is written down: the last account, and how many there were.
      frozen_after uuid,
      frozen_accounts int not null default 0,
      frozen_at timestamptz(3),
      -- When one of its messages was put on cards last.
      delivered_at timestamptz(3),
      sent_at timestamptz(3),
      finished_at timestamptz(3),
      -- What became of its deliveries.
      pending int not null default 0,
      sent int not null default 0,
      failed int not null default 0,
      excluded_cap int not null default 0,
      excluded_opt_out int not null default 0,
      -- Customers who got it and who came, as they were counted in the last hour, for the figures of the organization.
      recipients_notified int not null default 0,
      recipients_visited int not null default 0,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      check ((headline is null) = (body is null)),
      check (status = 'draft' or headline is not null)
    );
    create index campaigns_application on campaigns (application, created_at desc, id desc);
    create index campaigns_organization on campaigns (organization, created_at desc, id desc);
    create index campaigns_open on campaigns (status, send_at) where status in ('scheduled', 'sending', 'sent');

    create table campaign_deliveries (
      campaign uuid not null references campaigns on delete cascade,
      account uuid not null,
      channel text not null,
      status text not null check (status in ('pending', 'pushed', 'fetched', 'failed', 'excluded')),
      -- Why it is excluded.
      reason text check (reason in ('frequency_cap', 'opt_out')),
      -- Why it failed, in the word of the wallet.
      error_code text,
      sent_at timestamptz(3),
      fetched_at timestamptz(3),
      primary key (campaign, account, channel)
    ) with (fillfactor = 50);

    create table campaign_holdouts (
      campaign uuid not null references campaigns on delete cascade,
      account uuid not null,
      primary key (campaign, account)
    );

    -- Parts of an audience that are not done: the accounts of one channel from one to another. A worker has one at a time.
    create table campaign_slices (
      campaign uuid not null references campaigns on delete cascade,
      channel text not null,
      first_account uuid not null,
      last_account uuid not null,
      -- The job that has it.
      job uuid,
      -- Whether its cards have the message, so that they are only to be pushed.
      is_noted boolean not null default false,
      due_at timestamptz(3) not null default now(),
      -- How often it was taken.
      attempts int not null default 0,
      -- Since when a wallet does not take all of it.
      put_off_since timestamptz(3),
      primary key (campaign, channel, first_account)
    );

    -- When a wallet takes the next messages of an account with it: shared by all processes.
    create table wallet_paces (
      name text primary key,
      free_at timestamptz not null
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table wallet_paces, campaign_slices, campaign_holdouts, campaign_deliveries, campaigns')
}
