import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { insertAccounts, insertPassports, insertUsers } from './data.sql.ts'

/** What the filled database is asked for. */
export interface Facts {
  passports: number
  apiKey: string
  organization: string
  application: string
  /** Nine passports in ten are of this one. */
  sheet: string
  /** Empty: passports that are created while it is measured go here, and go away again. */
  creation: { application: string; sheet: string }
  /** Published passports, spread over all. */
  published: string[]
}

interface Seeded {
  apiKey: string
  organization: string
  application: string
}

/** Passports of one statement. */
const chunk = 50_000
const accounts = 1_000
const spread = 1_000

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
 * Fills a migrated and seeded database as a shop of some size leaves it, with all indexes, triggers and constraints in
 * place: nine passports in ten on one sheet, the rest on others, some with another organization, over ten months.
 */
export async function fill(db: Knex, seeded: Seeded, passports: number, say: (line: string) => void): Promise<Facts> {
  const other = await newOrganization(db)
  const [second, creation] = [
    await newApplication(db, seeded.organization),
    await newApplication(db, seeded.organization),
  ]
  const foreign = await newApplication(db, other)
  const sheet = await newSheet(db, seeded.organization, seeded.application)
  const sheets = [
    { sheet, organization: seeded.organization, application: seeded.application, share: 0.9 },
    {
      sheet: await newSheet(db, seeded.organization, second),
      organization: seeded.organization,
      application: second,
      share: 0.07,
    },
    { sheet: await newSheet(db, other, foreign), organization: other, application: foreign, share: 0.03 },
  ]
  await db.raw(insertUsers, [accounts])
  for (const { organization, application } of sheets)
    await db.raw(insertAccounts, [organization, application, application, accounts])
  for (const { sheet: of, organization, application, share } of sheets) {
    const wanted = Math.round(passports * share)
    for (let from = 0; from < wanted; from += chunk) {
      const end = Math.min(from + chunk, wanted)
      await db.raw(insertPassports, [application, organization, application, of, from, end - 1, wanted])
      say(`${end.toLocaleString('en')} of ${wanted.toLocaleString('en')} passports of a sheet`)
    }
  }
  await tidy(db)
  return {
    passports,
    ...seeded,
    sheet,
    creation: { application: creation, sheet: await newSheet(db, seeded.organization, creation) },
    published: await publishedOf(db, sheet),
  }
}

/** What upkeep does in the long run: counts joined, dead rows gone, statistics up to date. */
export async function tidy(db: Knex): Promise<void> {
  await db.raw('select passport_counts_roll_up()')
  for (const table of ['passports', 'passport_counts', 'events', 'accounts', 'users', 'jobs'])
    await db.raw(`vacuum (analyze) ${table}`)
}

/** Removes what was created while it was measured. */
export async function removeCreated(db: Knex, { creation: { application, sheet } }: Facts): Promise<void> {
  await db('passports').where({ sheet }).delete()
  await db('events').where({ application, subject: 'dppPassport' }).delete()
  await tidy(db)
}

async function newOrganization(db: Knex): Promise<string> {
  const id = randomUUID()
  await db('organizations').insert({ id, name: 'Other', slug: `other-${id}`, customer_type: 'company', settings: '{}' })
  return id
}

async function newApplication(db: Knex, organization: string): Promise<string> {
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

async function newSheet(db: Knex, organization: string, application: string): Promise<string> {
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

async function publishedOf(db: Knex, sheet: string): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `select id from (select id, row_number() over (order by id) as place, count(*) over () as all_of
       from passports where sheet = ? and status = 'published') as numbered
     where place % greatest(all_of / ?, 1) = 0 limit ?`,
    [sheet, spread, spread],
  )
  return rows.map(({ id }) => id)
}
