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

/** What the statistics of a sheet or an organization say of its passports, as the API answers it. */
export interface PassportFigures {
  passports: Record<'total' | 'draft' | 'published' | 'claimed' | 'archived', number>
  minted: number
  claims: Record<'pending' | 'completed' | 'failed', number>
  scans: number
  lastActivityAt: string | null
}

/** Derives the statistics of an organization, or of one of its sheets, from all rows of passports, claims and scans. */
export async function derivePassportFigures(db: Knex, organization: string, sheet?: string): Promise<PassportFigures> {
  const ofSheet = sheet === undefined ? 'true' : 'p.sheet = :sheet'
  const scanned = sheet === undefined ? 'true' : "e.passport ->> 'product' = :sheet::text"
  const countBy = (table: string, statuses: readonly string[]) =>
    `json_build_object(${statuses.map((status) => `'${status}', count(*) filter (where ${table}.status = '${status}')`).join(', ')})`
  const { rows } = await db.raw<{ rows: (PassportFigures & { last: (Date | null)[] })[] }>(
    `select p.passports::jsonb || jsonb_build_object('total', p.total) as passports, p.minted, c.claims, e.scans,
       array[p.last, c.last, e.last] as last
     from (
       select ${countBy('p', ['draft', 'published', 'claimed', 'archived'])} as passports, count(*)::int as total,
         count(p.minted_at)::int as minted, max(p.updated_at) as last
       from passports p where p.organization = :organization and ${ofSheet}) p, (
       select ${countBy('c', ['pending', 'completed', 'failed'])} as claims, max(c.updated_at) as last
       from claims c join passports p on p.id = c.passport where c.organization = :organization and ${ofSheet}) c, (
       select count(*)::int as scans, max(e.created_at) as last
       from events e where e.organization = :organization and e.type = 'scan' and ${scanned}) e`,
    { organization, ...(sheet !== undefined && { sheet }) },
  )
  const [row] = rows
  if (!row) throw new Error('A count has no row')
  const { last, ...figures } = row
  const times = last.flatMap((at) => (at === null ? [] : [at.getTime()]))
  return { ...figures, lastActivityAt: times.length === 0 ? null : new Date(Math.max(...times)).toISOString() }
}
