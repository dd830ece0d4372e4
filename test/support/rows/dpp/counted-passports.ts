import type { Knex } from 'knex'

/** The passports to count; all in the database where nothing is named. */
export interface CountedPassports {
  source?: 'manual' | 'import' | 'ecommerce'
  reference?: string
  /** Those of a sheet that have this serial number. */
  numbered?: { sheet: string; serialNumber: string }
}

/** Counts passports where they are kept: lists count them by sums of their own. */
export async function countPassports(
  db: Knex,
  { source, reference, numbered }: CountedPassports = {},
): Promise<number> {
  const query = db('passports')
  if (source) void query.where({ source })
  if (reference !== undefined) void query.where({ reference })
  if (numbered)
    void query.where({ sheet: numbered.sheet }).whereRaw(`fields ->> 'serialNumber' = ?`, [numbered.serialNumber])
  const [row] = await query.count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** How many passports there are: where they are kept, by the events of their creation, and as lists count them. */
export interface PassportTotals {
  passports: number
  events: number
  counted: number
}

/** Counts the passports of an organization, or of all, in three ways at one moment. */
export async function readPassportTotals(
  db: Knex,
  { organization }: { organization?: string } = {},
): Promise<PassportTotals> {
  const isCounted = organization === undefined ? 'true' : 'organization = :organization'
  const { rows } = await db.raw<{ rows: [PassportTotals] }>(
    `select (select count(*)::int from passports where ${isCounted}) as passports,
       (select count(*)::int from events where ${isCounted} and type = 'create' and subject = 'dppPassport') as events,
       (select sum(delta)::int from passport_counts where ${isCounted} and dimension = 'all') as counted`,
    organization === undefined ? {} : { organization },
  )
  return rows[0]
}

/** Counts the passports that a structure job has looked at or is to look at, by what has come of it. */
export async function countStructureStates(db: Knex): Promise<Record<string, number>> {
  const { rows } = await db.raw<{ rows: { status: string; count: number }[] }>(
    `select structure_job_status as status, count(*)::int as count from passports
     where structure_job is not null group by structure_job_status`,
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

/** Counts all claims of a passport, also those that failed. */
export async function countClaimsOfPassport(db: Knex, passport: string): Promise<number> {
  const [row] = await db('claims').where({ passport }).count<{ count: string }[]>('*')
  return Number(row?.count)
}
