import type { Knex } from 'knex'
import { v7 } from 'uuid'
import {
  creditOwners,
  debitOwners,
  ensureBook,
  hashOperation,
  type Book,
  type PostingResult,
} from '../../../core/ledger/index.ts'

/** A book of its own, with lots unless told otherwise. */
export const createBook = (db: Knex, more: Partial<Omit<Book, 'id'>> = {}): Promise<Book> =>
  ensureBook(db, {
    organization: v7(),
    name: 'points',
    subject: v7(),
    network: 'EthereumAnvil',
    hasLots: true,
    ...more,
  })

export const createOperation = (): string => hashOperation([v7()])

interface Entry {
  owner: string
  amount: bigint
  operation?: string
  mayGoBelowZero?: boolean
}

export const credit = (db: Knex, book: Book, ...entries: readonly Entry[]): Promise<PostingResult[]> =>
  db.transaction((trx) =>
    creditOwners(
      trx,
      entries.map((entry) => ({ operation: createOperation(), kind: 'mint', book, occurredAt: new Date(), ...entry })),
    ),
  )

export const debit = (db: Knex, book: Book, ...entries: readonly Entry[]): Promise<PostingResult[]> =>
  db.transaction((trx) =>
    debitOwners(
      trx,
      entries.map((entry) => ({
        operation: createOperation(),
        kind: 'burn',
        book,
        occurredAt: new Date(),
        mayGoBelowZero: false,
        ...entry,
      })),
    ),
  )

/** What became of an entry, as one text: its status and the balance after it, or what there was. */
export function formatResult(result: PostingResult | undefined): string {
  if (!result) return 'nothing'
  return result.status === 'refused'
    ? `refused ${result.available}`
    : `${result.status} ${result.amount} ${result.balance.amount} debt ${result.balance.debt}`
}
