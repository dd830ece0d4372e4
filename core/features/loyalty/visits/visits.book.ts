import type { Knex } from 'knex'
import { ensureBook, findBook, type Book } from '../../../ledger/index.ts'

/** The name of the books of visits. */
export const visitsBookName = 'visits'

/** Whose visits a book has: those of an application, on all networks. */
export interface VisitsPlace {
  organization: string
  application: string
}

/** Returns the book of the visits of an application, and creates it at first use. */
export const ensureVisitsBook = (trx: Knex, { organization, application }: VisitsPlace): Promise<Book> =>
  ensureBook(trx, { organization, name: visitsBookName, subject: application, network: null, hasLots: false })

/** Finds the book of the visits of an application; there is none before the first visit. */
export const findVisitsBook = (db: Knex, application: string): Promise<Book | undefined> =>
  findBook(db, { name: visitsBookName, subject: application, network: null })
