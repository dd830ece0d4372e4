import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { startFilledSetup, startTemporarySetup, type BenchOptions, type BenchSetup } from '../bench-setup.ts'
import { insertApplication, type SeededPlatform } from '../data.ts'
import type { HttpRequest } from '../load.ts'
import {
  insertBook,
  insertCustomerAccounts,
  insertCustomers,
  insertHistory,
  pointsTables,
  selectOldestAccounts,
} from './accounts.sql.ts'

/** The ids and the key with which accounts and their points are used. */
export interface AccountsData extends SeededPlatform {
  /** The number of accounts of the organization. */
  accounts: number
  /** The application that most of them belong to. */
  shop: string
  /** The oldest accounts of that application. */
  oldest: string[]
}

/** The numbers of what a database is filled with. */
interface AccountsSize {
  accounts: number
  /** The accounts that have a history, and the entries of each. Without any, no account has anything. */
  statements: number
  entriesEach: number
}

/** The number of rows a statement. */
const chunkSize = 50_000
/** The accounts that credits and burns go to. */
export const creditedAccounts = 10_000

/**
 * Starts the database of the lists and statements of accounts: 1,000,000 of an organization, nine in ten of one
 * application, and 50 of them with 10,000 entries each over a year, which alternate as they do in a shop.
 */
export const startAccountsSetup = (options: BenchOptions): Promise<BenchSetup<AccountsData>> => {
  const size = options.quick
    ? { accounts: 20_000, statements: 5, entriesEach: 1_000 }
    : { accounts: 1_000_000, statements: 50, entriesEach: 10_000 }
  return startFilledSetup(options, {
    prefix: `bench-accounts-${size.accounts}-`,
    files: ['points/accounts.data.ts', 'points/accounts.sql.ts'],
    fill: (db, seeded, printLine) => fillAccounts(db, seeded, size, printLine),
  })
}

/** Starts a database of 10,000 accounts without points, which is removed at the end, because no entry can be removed. */
export const startCreditsSetup = (options: BenchOptions): Promise<BenchSetup<AccountsData>> =>
  startTemporarySetup(options, {
    prefix: '',
    files: [],
    fill: (db, seeded, printLine) =>
      fillAccounts(db, seeded, { accounts: creditedAccounts, statements: 0, entriesEach: 0 }, printLine),
  })

/** Fills a migrated and seeded database with people and their accounts, with all indexes and constraints in place. */
export async function fillAccounts(
  db: Knex,
  seeded: SeededPlatform,
  { accounts, statements, entriesEach }: AccountsSize,
  printLine: (line: string) => void,
): Promise<AccountsData> {
  const { organization } = seeded
  const [shop, second] = [await insertApplication(db, organization), await insertApplication(db, organization)]
  for (let first = 0; first < accounts; first += chunkSize) {
    const last = Math.min(first + chunkSize, accounts) - 1
    await db.raw(insertCustomers, [first, last])
    // Every tenth chunk, or none of few, is of the second application.
    const application = (first / chunkSize) % 10 === 9 ? second : shop
    await db.raw(insertCustomerAccounts, [organization, application, statements > 0, first, last, accounts])
    printLine(`${(last + 1).toLocaleString('en')} of ${accounts.toLocaleString('en')} accounts`)
  }
  const { rows } = await db.raw<{ rows: { id: string }[] }>(selectOldestAccounts, [shop, creditedAccounts])
  const oldest = rows.map(({ id }) => id)
  if (statements > 0)
    await fillHistory(db, { organization, application: shop, accounts: oldest.slice(0, statements), entriesEach })
  await tidyPoints(db)
  return { ...seeded, accounts, shop, oldest }
}

interface History {
  organization: string
  application: string
  accounts: string[]
  entriesEach: number
}

async function fillHistory(db: Knex, { organization, application, accounts, entriesEach }: History): Promise<void> {
  const [book, total] = [randomUUID(), accounts.length * entriesEach]
  await db.raw(insertBook, [book, organization, application])
  for (let first = 0; first < total; first += chunkSize) {
    const last = Math.min(first + chunkSize, total) - 1
    await db.raw(insertHistory, [accounts, book, organization, application, first, last, total])
  }
}

/** Does what upkeep does over time: it removes dead rows and updates statistics. */
export async function tidyPoints(db: Knex): Promise<void> {
  for (const table of pointsTables) await db.raw(`vacuum (analyze) ${table}`)
}

/**
 * Counts the entries of an application that are not final on the chain. @throws Error if the chain did not take some,
 * because the rest would never become final either
 */
export async function countUnsettledOrders(db: Knex, application: string): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ pending: number; failed: number }] }>(
    `select count(*) filter (where status = 'pending')::int as pending,
       count(*) filter (where status = 'failed')::int as failed
     from loyalty_orders where application = ? and status in ('pending', 'failed')`,
    [application],
  )
  const { pending, failed } = rows[0]
  if (failed > 0) throw new Error(`${failed} entries failed on the chain`)
  return pending
}

/** Lists the wallets of the accounts of an application. */
export const listWallets = (db: Knex, application: string): Promise<{ id: string; address: string }[]> =>
  db('accounts').where({ application }).select<{ id: string; address: string }[]>('id', 'address')

/** Creates a request for each account. */
export const createRequests = ({ apiKey, oldest }: AccountsData, act: 'mint' | 'burn', amount: number): HttpRequest[] =>
  oldest.map((account) => ({
    method: 'POST',
    path: `/v1/loyalty/account/${account}/${act}`,
    headers: { 'X-Api-Key': apiKey, 'Content-Type': 'application/json' },
    body: JSON.stringify({ amount }),
  }))
