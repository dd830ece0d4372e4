import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { insertAccounts, insertPassports, insertUsers } from './data.sql.ts'

/** The ids and the key with which the filled database is used. */
export interface BenchData {
  passports: number
  apiKey: string
  organization: string
  application: string
  /** The sheet that nine in ten passports belong to. */
  sheet: string
  /** An empty application and sheet for the passports that are created during a measurement and removed afterwards. */
  creation: { application: string; sheet: string }
  /** Published passports, spread over all of them. */
  published: string[]
}

/** What every start seeds. */
export interface SeededPlatform {
  apiKey: string
  organization: string
  application: string
}

/** The number of passports per statement. */
const chunkSize = 50_000
const accountCount = 1_000
const sampleSize = 1_000

const passportsFields = [
  { name: 'serialNumber', type: 'string', required: true, maxLength: 40 },
  { name: 'color', type: 'enum', variants: ['red', 'blue', 'green'] },
  { name: 'size', type: 'number', min: 0 },
  {
    name: 'origin',
    type: 'object',
    fields: [
      { name: 'country', type: 'string' },
      { name: 'year', type: 'number' },
    ],
  },
]

/**
 * Fills a migrated and seeded database like that of a shop of some size, with all indexes, triggers and constraints in
 * place: nine in ten passports on one sheet, the rest on others, some of another organization, over ten months.
 */
export async function fillDatabase(
  db: Knex,
  seeded: SeededPlatform,
  passports: number,
  say: (line: string) => void,
): Promise<BenchData> {
  const other = await insertOrganization(db)
  const [second, creation] = [
    await insertApplication(db, seeded.organization),
    await insertApplication(db, seeded.organization),
  ]
  const foreign = await insertApplication(db, other)
  const sheet = await insertSheet(db, seeded.organization, seeded.application)
  const sheets = [
    { sheet, organization: seeded.organization, application: seeded.application, share: 0.9 },
    {
      sheet: await insertSheet(db, seeded.organization, second),
      organization: seeded.organization,
      application: second,
      share: 0.07,
    },
    { sheet: await insertSheet(db, other, foreign), organization: other, application: foreign, share: 0.03 },
  ]
  await db.raw(insertUsers, [accountCount])
  for (const { organization, application } of sheets)
    await db.raw(insertAccounts, [organization, application, application, accountCount])
  for (const { sheet: sheetId, organization, application, share } of sheets) {
    const passportCount = Math.round(passports * share)
    for (let from = 0; from < passportCount; from += chunkSize) {
      const end = Math.min(from + chunkSize, passportCount)
      await db.raw(insertPassports, [application, organization, application, sheetId, from, end - 1, passportCount])
      say(`${end.toLocaleString('en')} of ${passportCount.toLocaleString('en')} passports of a sheet`)
    }
  }
  await tidyTables(db)
  return {
    passports,
    ...seeded,
    sheet,
    creation: { application: creation, sheet: await insertSheet(db, seeded.organization, creation) },
    published: await listPublished(db, sheet),
  }
}

/** Does what upkeep does over time: it joins counts, removes dead rows and updates statistics. */
export async function tidyTables(db: Knex): Promise<void> {
  await db.raw('select passport_counts_roll_up()')
  for (const table of ['passports', 'passport_counts', 'events', 'accounts', 'users', 'jobs'])
    await db.raw(`vacuum (analyze) ${table}`)
}

/** Removes the passports and events that were created during a measurement. */
export async function removeCreated(db: Knex, { creation: { application, sheet } }: BenchData): Promise<void> {
  await db('passports').where({ sheet }).delete()
  await db('events').where({ application, subject: 'dppPassport' }).delete()
  await tidyTables(db)
}

export async function insertOrganization(db: Knex): Promise<string> {
  const id = randomUUID()
  await db('organizations').insert({ id, name: 'Other', slug: `other-${id}`, customer_type: 'company', settings: '{}' })
  return id
}

export async function insertApplication(db: Knex, organization: string): Promise<string> {
  const id = randomUUID()
  await db('applications').insert({
    id,
    organization,
    name: 'Measured shop',
    slug: `measured-${id}`,
    features: ['dpp'],
    default_network: 'EthereumAnvil',
  })
  return id
}

async function insertSheet(db: Knex, organization: string, application: string): Promise<string> {
  const id = randomUUID()
  await db('sheets').insert({
    id,
    organization,
    application,
    network: 'EthereumAnvil',
    name: 'Bag',
    status: 'ACTIVE',
    passports_fields: JSON.stringify(passportsFields),
  })
  return id
}

async function listPublished(db: Knex, sheet: string): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `select id from (select id, row_number() over (order by id) as place, count(*) over () as all_of
       from passports where sheet = ? and status = 'published') as numbered
     where place % greatest(all_of / ?, 1) = 0 limit ?`,
    [sheet, sampleSize, sampleSize],
  )
  return rows.map(({ id }) => id)
}
