import type { Knex } from 'knex'
import { raw } from 'objection'
import { createModelSource, type Columns } from '../database/list/index.ts'
import { Model } from '../database/model.ts'

/** A posting of an owner with its entry, and what a chain made of that. Amounts are texts. */
export class EntryRow extends Model {
  /** The entry. */
  declare entry: string
  declare book: string
  declare owner: string
  declare posted: string
  declare operation: string
  declare kind: string
  declare occurredAt: string
  declare recordedAt: string
  /** Null while the entry is not final, and for one that no chain gets. */
  declare settlement: 'final' | 'failed' | null
  declare transactionHash: string | null

  static override tableName = 'ledger_postings'
}

/** The columns by which lists of entries are filtered and sorted. They sort by `recordedAt` where others do by `createdAt`. */
export const entryColumns = {
  id: { sql: 'ledger_postings.entry' },
  kind: { sql: 'ledger_entries.kind' },
  recordedAt: { sql: 'ledger_postings.recorded_at' },
  occurredAt: { sql: 'ledger_entries.occurred_at' },
  createdAt: { sql: 'ledger_postings.recorded_at' },
} satisfies Columns

/** Creates the source of an owner's entries in these books. */
export function createEntrySource(db: Knex, { books, owner }: { books: readonly string[]; owner: string }) {
  const query = EntryRow.query(db)
    .innerJoin('ledger_entries', 'ledger_entries.id', 'ledger_postings.entry')
    .leftJoin('ledger_settlements', 'ledger_settlements.entry', 'ledger_postings.entry')
    .where('ledger_postings.owner', owner)
    .whereIn('ledger_postings.book', [...books])
    .select(
      'ledger_postings.entry',
      'ledger_postings.book',
      'ledger_postings.owner',
      raw('ledger_postings.amount::text').as('posted'),
      raw(`'0x' || encode(ledger_entries.operation_id, 'hex')`).as('operation'),
      'ledger_entries.kind',
      'ledger_entries.occurred_at',
      'ledger_postings.recorded_at',
      'ledger_settlements.status as settlement',
      'ledger_settlements.transaction_hash',
    )
  return createModelSource(query, 'ledger_postings.entry')
}
