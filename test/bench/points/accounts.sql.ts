/** Inserts people with a verified address, every other one with a verified number. Values: the first, the last. */
export const insertCustomers = `
  insert into users (id, name, email, email_verified, phone_number, phone_number_verified)
  select md5('customer' || n)::uuid, 'Customer ' || n, 'customer' || n || '@example.com', true,
    case when n % 2 = 0 then '+39' || (3200000000 + n) end, n % 2 = 0
  from generate_series(?::int, ?::int) n`

/**
 * Inserts an account for each of these people, as old as its place among all. Values: organization, application, whether
 * they have points, visits and passports, and four in ten activity, or nothing; first, last, and the number of all
 * accounts.
 */
export const insertCustomerAccounts = `
  insert into accounts (id, organization, application, network, address, user_id, name, locale, points, points_settled,
    visits, passport_count, last_activity_at, created_at, updated_at)
  select uuidv7(made.at - clock_timestamp()), ?::uuid, ?::uuid, 'EthereumAnvil',
    '0x' || substr(encode(sha256(('customer' || n)::bytea), 'hex'), 1, 40), md5('customer' || n)::uuid,
    (array['Ada', 'Bea', 'Carlo', 'Dora', 'Emil', 'Fay', 'Gino', 'Hugo', 'Ines', 'Jan'])[n % 10 + 1]
      || ' ' || substr(md5(n::text), 1, 8),
    (array['it', 'de', 'fr', 'en'])[n % 4 + 1],
    had.points, had.points, case when used then (n * 31) % 60 else 0 end, case when used then n % 7 else 0 end,
    case when used and n % 10 < 4 then made.at + interval '1 day' else '-infinity' end, made.at, made.at
  from (select ?::boolean as used) kind, generate_series(?::int, ?::int) n,
    lateral (select case when used then (n::bigint * 7919) % 100000 else 0 end as points) had,
    lateral (select now() - interval '400 days' * (1 - n::float8 / ?::int) as at) made`

/** Returns the oldest accounts of an application. Values: the application, their number. */
export const selectOldestAccounts =
  'select id from accounts where application = ?::uuid order by created_at, id limit ?'

/** Inserts the book of the points of an application. Values: the book, the organization, the application. */
export const insertBook = `
  insert into ledger_books (id, organization, name, subject, network, has_lots)
  values (?::uuid, ?::uuid, 'points', ?::uuid, 'EthereumAnvil', true)`

/**
 * Inserts entries of a year with their postings and orders, in the order of time, each of the next of the accounts, and
 * what the accounts have then. Two in three add. Values: the accounts, the book, the organization, the application, the
 * first and the last entry, and the number of all.
 */
export const insertHistory = `
  with given as (select ?::uuid[] as accounts, ?::uuid as book, ?::uuid as organization, ?::uuid as application),
  made as (
    select n, uuidv7(at.time - clock_timestamp()) as id, sha256(('history' || n)::bytea) as operation, at.time,
      given.accounts[n % array_length(given.accounts, 1) + 1] as account, given.book, given.organization,
      given.application, case when n % 3 = 0 then -(n % 40 + 1) else n % 90 + 10 end as points,
      case when n % 3 = 0 then 'burn' else 'mint' end as kind
    from given, generate_series(?::int, ?::int) n,
      lateral (select now() - interval '364 days' * (1 - n::float8 / ?::int) as time) at),
  entries as (
    insert into ledger_entries (id, operation_id, organization, kind, occurred_at, recorded_at)
    select id, operation, organization, kind, time, time from made order by n),
  postings as (
    insert into ledger_postings (entry, place, book, owner, amount, recorded_at)
    select made.id, side.place, made.book, side.owner, side.amount, made.time from made cross join lateral (
      values (0, made.account, made.points), (1, made.book, -made.points)) as side (place, owner, amount)
    order by made.n, side.place),
  orders as (
    insert into loyalty_orders (id, organization, application, account, kind, points, operation_id, entry, status,
      reference, reason, created_at, updated_at)
    select id, organization, application, account, kind, points, operation, id, 'settled', 'history-' || n,
      'Purchase in the shop', time, time from made order by n)
  insert into ledger_balances as known (book, owner, amount, settled)
    select book, account, sum(points), sum(points) from made group by book, account
  on conflict (book, owner) do update
    set amount = known.amount + excluded.amount, settled = known.settled + excluded.settled`

/** The tables whose statistics the lists, the statements and the credits need. */
export const pointsTables = [
  'users',
  'accounts',
  'ledger_entries',
  'ledger_postings',
  'ledger_balances',
  'ledger_lots',
  'loyalty_orders',
  'chain_operations',
  'events',
]
