import type { Knex } from 'knex'
import { startTemporarySetup, type BenchOptions, type BenchSetup } from '../bench-setup.ts'
import { insertApplication, type SeededPlatform } from '../data.ts'
import { insertCustomerAccounts, insertCustomers } from '../points/accounts.sql.ts'
import { campaignTables, insertHolders } from './campaigns.sql.ts'

/** The ids and the key with which campaigns are sent. */
export interface CampaignsData extends SeededPlatform {
  /** The application, all of whose customers have a card. */
  shop: string
  holders: number
}

/** The number of rows a statement. */
const chunkSize = 50_000

/** Starts a database of customers with cards in Apple Wallet: 1,000,000, which is removed at the end. */
export const startCampaignsSetup = (
  options: BenchOptions,
  holders = options.quick ? 50_000 : 1_000_000,
): Promise<BenchSetup<CampaignsData>> =>
  startTemporarySetup(options, {
    prefix: '',
    files: [],
    fill: (db, seeded, printLine) => fillHolders(db, seeded, holders, printLine),
  })

async function fillHolders(
  db: Knex,
  seeded: SeededPlatform,
  holders: number,
  printLine: (line: string) => void,
): Promise<CampaignsData> {
  const { organization } = seeded
  const shop = await insertApplication(db, organization)
  for (let first = 0; first < holders; first += chunkSize) {
    const last = Math.min(first + chunkSize, holders) - 1
    await db.raw(insertCustomers, [first, last])
    await db.raw(insertCustomerAccounts, [organization, shop, true, first, last, holders])
    await db.raw(insertHolders, [organization, shop, first, last])
    printLine(`${(last + 1).toLocaleString('en')} of ${holders.toLocaleString('en')} customers with cards`)
  }
  for (const table of campaignTables) await db.raw(`vacuum (analyze) ${table}`)
  return { ...seeded, shop, holders }
}
