import type { Knex } from 'knex'
import { buildIndexConcurrently } from '../migrations.ts'

/**
 * What an account has, kept beside what it follows from, so that the list of accounts is one table with an index for
 * each order. `last_activity_at` is never null, so that a page after a cursor is one comparison of rows: an account
 * without activity has the time before all times. Accounts whose person was erased are in no list, and so in no index.
 */
export const transaction = false

const indexes: Readonly<Record<string, string>> = {
  points: '(organization, points, id)',
  visits: '(organization, visits, id)',
  passport_count: '(organization, passport_count, id)',
  last_activity: '(organization, last_activity_at, id)',
  address: '(organization, address, id)',
  updated: '(organization, updated_at, id)',
  application: '(application, created_at, id)',
}

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table accounts
      add column if not exists points bigint not null default 0,
      add column if not exists points_pending bigint not null default 0,
      add column if not exists points_settled bigint not null default 0,
      add column if not exists visits int not null default 0,
      add column if not exists passport_count int not null default 0,
      add column if not exists last_activity_at timestamptz(3) not null default '-infinity',
      set (fillfactor = 80)
  `)
  // In a statement of its own: adding columns locks the table, counting passports takes its time.
  await knex.raw(`
    update accounts set passport_count = coalesce(owned.passports, 0),
      last_activity_at = coalesce(claimed.at, '-infinity')
    from (select minted_to as account, count(*)::int as passports from passports
          where minted_to is not null group by minted_to) owned
      full join (select c.account, max(t.at) as at from claims c
          join passport_transfers t on t.operation = c.operation
          where c.status = 'completed' and c.account is not null group by c.account) claimed using (account)
    where accounts.id = account
  `)
  for (const [name, columns] of Object.entries(indexes))
    await buildIndexConcurrently(knex, `accounts_${name}`, `on accounts ${columns} where user_id is not null`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index ${Object.keys(indexes)
      .map((name) => `accounts_${name}`)
      .join(', ')};
    alter table accounts drop column points, drop column points_pending, drop column points_settled,
      drop column visits, drop column passport_count, drop column last_activity_at, reset (fillfactor);
  `)
}
