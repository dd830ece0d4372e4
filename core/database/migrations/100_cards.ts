import type { Knex } from 'knex'
import { buildIndexConcurrently } from '../migrations.ts'

/**
 * Cards of accounts in the wallets of phones, and the credentials of the wallets. What decides who gets a campaign is kept
 * beside the account, so that an audience is counted from one index: whether it has a card, and its newest visit.
 */
export const transaction = false

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table accounts
      add column if not exists has_apple_card boolean not null default false,
      add column if not exists has_google_card boolean not null default false,
      add column if not exists last_visit_at timestamptz(3);

    create table if not exists wallet_credentials (
      id uuid primary key,
      organization uuid not null,
      application uuid not null references applications on delete cascade,
      channel text not null check (channel in ('apple-wallet', 'google-wallet')),
      -- What everybody may know of them, such as until when they are valid.
      facts jsonb not null,
      -- The private part, encrypted.
      sealed bytea not null,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      unique (application, channel)
    );

    -- The number that a person shows at the till, the same on all cards of an account.
    create table if not exists loyalty_members (
      account uuid primary key,
      organization uuid not null,
      application uuid not null,
      member_number text not null unique check (member_number ~ '^[0-9A-HJKMNP-TV-Z]{26}$')
    );
    create index if not exists loyalty_members_organization on loyalty_members (organization);

    create table if not exists loyalty_cards (
      -- The serial number of the Apple pass, and the end of the identifier of the Google object.
      id uuid primary key,
      organization uuid not null,
      application uuid not null,
      account uuid not null,
      channel text not null check (channel in ('apple-wallet', 'google-wallet')),
      -- What a phone shows to fetch the card, encrypted.
      token bytea not null,
      -- Whether a phone has it: null until one had it.
      is_held boolean,
      -- When what it shows last changed, in whole seconds as HTTP has them, and later with every change.
      changed_at timestamptz(3) not null default date_trunc('second', clock_timestamp()),
      -- The newest message on it.
      message uuid,
      -- When it was notified, the newest first: those that the cap can still count.
      notices timestamptz(3)[] not null default '{}',
      -- Which version of what many cards share a phone last got.
      shared_version text,
      created_at timestamptz(3) not null default now(),
      unique (account, channel)
    ) with (fillfactor = 60);
    create index if not exists loyalty_cards_application on loyalty_cards (application, channel);
    create index if not exists loyalty_cards_organization on loyalty_cards (organization);

    create table if not exists card_messages (
      -- That of the campaign.
      id uuid primary key,
      organization uuid not null,
      application uuid not null,
      headline text not null,
      body text not null
    );
    create index if not exists card_messages_organization on card_messages (organization);

    -- Phones that have an Apple card.
    create table if not exists card_registrations (
      device text not null,
      card uuid not null references loyalty_cards on delete cascade,
      push_token text not null,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (device, card)
    );
    create index if not exists card_registrations_card on card_registrations (card);

    -- Reports of Google that a card was saved or deleted, each once.
    create table if not exists card_callbacks (
      card uuid not null references loyalty_cards on delete cascade,
      nonce text not null,
      event text not null check (event in ('save', 'del')),
      -- When the report expires. Of two, the one that expires later is about the later event.
      expires_at timestamptz(3) not null,
      primary key (card, nonce)
    );
    create index if not exists card_callbacks_expires on card_callbacks (expires_at);

    -- Accounts whose cards show something old. A phone is told without a notification.
    create table if not exists card_updates (
      account uuid primary key,
      -- Rises with every change, so that one which comes while the card is sent is not lost.
      version int not null default 1,
      attempts int not null default 0,
      due_at timestamptz(3) not null default now()
    );
    create index if not exists card_updates_due on card_updates (due_at);

    create or replace function note_card_update() returns trigger language plpgsql as $$
    begin
      insert into card_updates (account) values (new.id)
        on conflict (account) do update set version = card_updates.version + 1, due_at = least(card_updates.due_at, now());
      return null;
    end $$;
    create or replace trigger note_card_update after update of points, visits, reward_tier, locale on accounts for each row
      when ((new.has_apple_card or new.has_google_card) and (new.points, new.visits, new.reward_tier, new.locale)
        is distinct from (old.points, old.visits, old.reward_tier, old.locale))
      execute function note_card_update();

    alter table messages drop constraint if exists messages_channel_check;
    alter table messages add constraint messages_channel_check
      check (channel in ('email', 'sms', 'apple-wallet', 'google-wallet'));
  `)
  await knex.raw(`
    update accounts set last_visit_at = visited.at
    from (select p.owner as account, max(e.occurred_at) as at from ledger_books b
            join ledger_postings p on p.book = b.id and p.owner <> b.id
            join ledger_entries e on e.id = p.entry and e.kind = 'visit'
          where b.name = 'visits' group by p.owner) visited
    where accounts.id = visited.account and accounts.last_visit_at is null
  `)
  for (const [wallet, other] of [
    ['apple', 'google'],
    ['google', 'apple'],
  ] as const)
    await buildIndexConcurrently(
      knex,
      `accounts_${wallet}_audience`,
      `on accounts (application, id) include (network, points, visits, reward_tier, locale, birth_date, last_visit_at,
         created_at, opt_in_${other}, has_${other}_card)
       where user_id is not null and opt_in_${wallet} and has_${wallet}_card`,
    )
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index accounts_apple_audience, accounts_google_audience;
    delete from messages where channel in ('apple-wallet', 'google-wallet');
    alter table messages drop constraint messages_channel_check;
    alter table messages add constraint messages_channel_check check (channel in ('email', 'sms'));
    drop trigger note_card_update on accounts;
    drop function note_card_update();
    drop table card_updates, card_callbacks, card_registrations, card_messages, loyalty_cards, loyalty_members, wallet_credentials;
    alter table accounts drop column has_apple_card, drop column has_google_card, drop column last_visit_at;
  `)
}
