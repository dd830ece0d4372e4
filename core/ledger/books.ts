import { hash } from 'node:crypto'
import type { Knex } from 'knex'
import { newId } from '../database/model.ts'
import { createRecentCache } from '../kernel/process/recent-cache.ts'
import type { Book } from './types.ts'

/** Books never change, so that those which were committed a while ago need no query. */
const knownBooks = createRecentCache<Book>(1_000)

interface BookRow {
  id: string
  organization: string
  name: string
  subject: string
  network: string | null
  has_lots: boolean
  is_committed: boolean
}

/**
 * Returns the book of that name, subject and network, and creates it at first use. Of several concurrent calls one
 * creates it.
 */
export async function ensureBook(trx: Knex, book: Omit<Book, 'id'>): Promise<Book> {
  const { organization, name, subject, network, hasLots } = book
  const key = [name, subject, network ?? ''].join(' ')
  const known = knownBooks.get(key)
  if (known) return known
  const found = await findBook(trx, book)
  if (found) return found
  await trx.raw(
    `insert into ledger_books (id, organization, name, subject, network, has_lots) values (?, ?, ?, ?, ?, ?)
     on conflict (name, subject, network) do nothing`,
    [newId(), organization, name, subject, network, hasLots],
  )
  const made = await findBook(trx, book)
  if (!made) throw new Error(`The book ${key} is gone`)
  return made
}

/** Returns the book of that name, subject and network, or undefined if nothing was ever posted in it. */
export async function findBook(
  db: Knex,
  { name, subject, network }: Pick<Book, 'name' | 'subject' | 'network'>,
): Promise<Book | undefined> {
  // A row of this transaction, which may still be rolled back, is as old as the transaction.
  const { rows } = await db.raw<{ rows: BookRow[] }>(
    `select id, organization, name, subject, network, has_lots, created_at < now() - interval '1 second' as is_committed
     from ledger_books where name = ? and subject = ? and network is not distinct from ?`,
    [name, subject, network],
  )
  const [row] = rows
  if (!row) return undefined
  const { has_lots: hasLots, is_committed: isCommitted, ...rest } = row
  const book = { ...rest, hasLots }
  if (isCommitted) knownBooks.set([name, subject, network ?? ''].join(' '), book)
  return book
}

/**
 * Creates the identifier of an operation: `0x` and the SHA-256 of the parts, each behind its length in bytes, so that no
 * two lists of parts have the same text. The same parts always make the same identifier.
 */
export const hashOperation = (parts: readonly string[]): string =>
  `0x${hash('sha256', parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join(''), 'hex')}`
