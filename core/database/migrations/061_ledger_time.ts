import type { Knex } from 'knex'
import { buildIndexConcurrently } from '../migrations.ts'

/**
 * What is found by time and by what it takes back: lots of an owner that wait, holds that expire, and the reversals of
 * entries and of orders. All of them are partial, so that what has no such thing costs nothing.
 */
export const transaction = false

const indexes: Readonly<Record<string, string>> = {
  ledger_lots_waiting: `on ledger_lots (owner, book, activates_at) where state = 'pending'`,
  ledger_holds_expiring: `on ledger_holds (expires_at) where status = 'open' and expires_at is not null`,
  ledger_entries_reverses: 'on ledger_entries (reverses) where reverses is not null',
  loyalty_orders_reverses: 'on loyalty_orders (reverses) where reverses is not null',
}

export async function up(knex: Knex): Promise<void> {
  for (const [name, definition] of Object.entries(indexes)) await buildIndexConcurrently(knex, name, definition)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop index ${Object.keys(indexes).join(', ')}`)
}
