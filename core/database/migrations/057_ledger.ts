import type { Knex } from 'knex'

/**
 * The ledger: entries whose postings sum to zero, the lots of what was credited, and the balances of owners. Entries,
 * postings and draws are only ever added: triggers refuse everything else, and the application's role has no right to
 * update or delete them. No foreign key points at these three tables, because PostgreSQL checks one with a lock that
 * needs the right to update. TRUNCATE keeps its right and is stopped by its trigger, which a restore disables.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table ledger_books (
      id uuid primary key,
      organization uuid not null,
      name text not null,
      -- What the book is about: an application, a fund, a wallet.
      subject uuid not null,
      -- Null for a book without a chain.
      network text,
      has_lots boolean not null,
      created_at timestamptz(3) not null default now(),
      unique nulls not distinct (name, subject, network)
    );
    create index ledger_books_organization on ledger_books (organization);

    create table ledger_entries (
      id uuid primary key,
      seq bigint not null generated always as identity,
      operation_id bytea not null unique check (length(operation_id) = 32),
      organization uuid not null,
      kind text not null,
      -- The entry that this one takes back, in whole or in part.
      reverses uuid,
      occurred_at timestamptz(3) not null,
      recorded_at timestamptz(3) not null default clock_timestamp()
    );

    create table ledger_postings (
      entry uuid not null,
      place smallint not null,
      book uuid not null,
      -- The owner that equals the book is its other side, which has no balance row.
      owner uuid not null,
      amount bigint not null check (amount <> 0),
      recorded_at timestamptz(3) not null,
      primary key (entry, place)
    );
    create index ledger_postings_owner on ledger_postings (owner, book, recorded_at desc, entry desc) include (amount);

    create table ledger_lots (
      id uuid primary key,
      book uuid not null,
      owner uuid not null,
      entry uuid not null,
      amount bigint not null check (amount > 0),
      remaining bigint not null check (remaining between 0 and amount),
      state text not null check (state in ('pending', 'active', 'expired')),
      -- The entry that gave something back last: part of the key of the next expiry.
      returned_by uuid,
      activates_at timestamptz(3) not null,
      expires_at timestamptz(3),
      check (expires_at > activates_at)
    ) with (fillfactor = 80);
    create index ledger_lots_spend on ledger_lots (owner, book, expires_at, id) where state = 'active' and remaining > 0;
    create index ledger_lots_entry on ledger_lots (entry);
    create index ledger_lots_pending on ledger_lots (activates_at) where state = 'pending';
    create index ledger_lots_expiring on ledger_lots (expires_at)
      where state = 'active' and remaining > 0 and expires_at is not null;

    -- What an entry took out of a lot; a negative amount was given back.
    create table ledger_draws (
      entry uuid not null,
      lot uuid not null,
      amount bigint not null check (amount <> 0),
      primary key (entry, lot)
    );
    create index ledger_draws_lot on ledger_draws (lot);

    create table ledger_holds (
      id uuid primary key,
      operation_id bytea not null unique,
      book uuid not null,
      owner uuid not null,
      amount bigint not null check (amount > 0),
      status text not null check (status in ('open', 'committed', 'released')),
      expires_at timestamptz(3),
      entry uuid,
      created_at timestamptz(3) not null default now(),
      ended_at timestamptz(3)
    );
    create index ledger_holds_open on ledger_holds (owner, book) where status = 'open';

    create table ledger_balances (
      book uuid not null,
      owner uuid not null,
      -- What remains of active lots, minus the debt. May be below zero.
      amount bigint not null default 0,
      pending bigint not null default 0 check (pending >= 0),
      held bigint not null default 0 check (held >= 0),
      debt bigint not null default 0 check (debt >= 0),
      settled bigint not null default 0,
      -- The earliest time at which a lot activates or expires.
      next_due timestamptz(3),
      primary key (owner, book),
      constraint ledger_balances_limit check (
        amount > -1000000000000000000 and amount < 1000000000000000000 and amount + pending < 1000000000000000000
      )
    ) with (fillfactor = 70);

    -- What a chain made of an entry. A reorganization removes the row.
    create table ledger_settlements (
      entry uuid primary key,
      status text not null check (status in ('final', 'failed')),
      contract text,
      transaction_hash text,
      reason text,
      settled_at timestamptz(3)
    );

    create function ledger_sums_to_zero() returns trigger language plpgsql as $$
    begin
      if exists (select from made group by entry having sum(amount) <> 0) then
        raise exception 'the postings of a ledger entry do not sum to zero' using errcode = 'check_violation';
      end if;
      if exists (
        select from (select entry, count(*) as number from made group by entry) one
        where one.number <> (select count(*) from ledger_postings p where p.entry = one.entry)
      ) then
        raise exception 'a ledger entry gets all its postings at once' using errcode = 'check_violation';
      end if;
      return null;
    end $$;
    create trigger ledger_sums_to_zero after insert on ledger_postings
      referencing new table as made for each statement execute function ledger_sums_to_zero();

    create function ledger_append_only() returns trigger language plpgsql as $$
    begin
      raise exception 'the ledger is append-only' using errcode = 'restrict_violation';
    end $$;
  `)
  for (const table of appendOnlyTables) {
    await knex.raw(`
      create trigger ledger_append_only before update or delete on ${table}
        for each row execute function ledger_append_only();
      create trigger ledger_no_truncate before truncate on ${table}
        for each statement execute function ledger_append_only();
      do $$ begin execute format('revoke update, delete on ${table} from public, %I', current_user); end $$;
    `)
  }
}

const appendOnlyTables = ['ledger_entries', 'ledger_postings', 'ledger_draws']

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table ledger_settlements, ledger_balances, ledger_holds, ledger_draws, ledger_lots, ledger_postings,
      ledger_entries, ledger_books;
    drop function ledger_append_only();
    drop function ledger_sums_to_zero();
  `)
}
