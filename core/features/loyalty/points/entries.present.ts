import type { Work } from '../../../kernel/work.ts'
import type { Book, EntryRow } from '../../../ledger/index.ts'
import type { LedgerEntry } from './entries.schema.ts'

/** Presents entries of an account. What a chain has not settled yet is looked up once for all of them. */
export async function presentEntries(
  { context }: Work,
  rows: readonly EntryRow[],
  books: readonly Book[],
): Promise<LedgerEntry[]> {
  const names = new Map(books.map(({ id, name }) => [id, name]))
  const open = rows.filter(({ settlement }) => settlement === null).map(({ operation }) => operation)
  const states = await context.chains.readOperationStates(context.db, open)
  return rows.map((row) => {
    const { entry, book, owner, posted, operation, kind, occurredAt, recordedAt, settlement, transactionHash } = row
    const state = states.get(operation)
    const name = names.get(book) ?? book
    return {
      id: entry,
      operationId: operation,
      kind: kind as LedgerEntry['kind'],
      postings: [
        { book: name, owner, amount: posted },
        { book: name, owner: 'issuer', amount: String(-BigInt(posted)) },
      ],
      occurredAt,
      recordedAt,
      chain: settlement ?? state?.state ?? 'none',
      transactionHash: transactionHash ?? state?.transactionHash ?? null,
    }
  })
}
