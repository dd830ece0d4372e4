import type { Knex } from 'knex'
import type { SheetRow } from './sheets.model.ts'
import type { SheetStats, SheetsStats } from './sheets.schema.ts'

type Activity = Omit<SheetStats, 'product'>

/** The row of the statistics: counts and the instant of the last activity. */
interface ActivityRow {
  total: number
  draft: number
  published: number
  claimed: number
  archived: number
  minted: number
  pending: number
  completed: number
  failed: number
  scans: number
  last_activity_at: Date | null
}

/** Creates the SQL of the statistics. It is one statement, so that all figures are of the same moment. */
const createCountSql = (passports: string, claims: string, scans: string) => `
  select passport.total, passport.draft, passport.published, passport.claimed, passport.archived, passport.minted,
    claim.pending, claim.completed, claim.failed, scan.scans,
    greatest(passport.last_at, claim.last_at, scan.last_at) as last_activity_at
  from (
    select count(*) as total, max(updated_at) as last_at, count(minted_at) as minted,
      count(*) filter (where status = 'draft') as draft, count(*) filter (where status = 'published') as published,
      count(*) filter (where status = 'claimed') as claimed, count(*) filter (where status = 'archived') as archived
    from passports where ${passports}
  ) as passport, (
    select max(claims.updated_at) as last_at, count(*) filter (where claims.status = 'pending') as pending,
      count(*) filter (where claims.status = 'completed') as completed,
      count(*) filter (where claims.status = 'failed') as failed
    from claims where ${claims}
  ) as claim, (
    select count(*) as scans, max(created_at) as last_at from events
    where organization = :organization and type = 'scan' and ${scans}
  ) as scan
`

const sheetCountSql = createCountSql(
  'sheet = :sheet',
  'passport in (select id from passports where sheet = :sheet)',
  "(case when jsonb_typeof(passport->'product') = 'string' then passport->>'product' end) = :sheet::text",
)
const organizationCountSql = createCountSql('organization = :organization', 'organization = :organization', 'true')

/** Reads the statistics of the passports of one sheet. */
export async function readSheetStats(db: Knex, { id, organization }: SheetRow): Promise<SheetStats> {
  const {
    rows: [counted],
  } = await db.raw<{ rows: ActivityRow[] }>(sheetCountSql, { sheet: id, organization })
  return { product: id, ...toActivity(counted as ActivityRow) }
}

/** Reads the statistics of all passports of an organization, with the number of its sheets by status. */
export async function readOrganizationStats(db: Knex, organization: string): Promise<SheetsStats> {
  const {
    rows: [counted],
  } = await db.raw<{ rows: ActivityRow[] }>(organizationCountSql, { organization })
  const sheets = (await db('sheets')
    .where({ organization })
    .groupBy('status')
    .select('status')
    .count({ count: '*' })) as { status: keyof SheetsStats['products']; count: number }[]
  const products = { total: 0, DRAFT: 0, ACTIVE: 0, UNLISTED: 0, ARCHIVED: 0 }
  for (const { status, count } of sheets) {
    products[status] = count
    products.total += count
  }
  return { products, ...toActivity(counted as ActivityRow) }
}

function toActivity(counted: ActivityRow): Activity {
  const { total, draft, published, claimed, archived, minted, pending, completed, failed, scans } = counted
  return {
    passports: { total, draft, published, claimed, archived },
    minted,
    claims: { pending, completed, failed },
    scans,
    lastActivityAt: counted.last_activity_at?.toISOString() ?? null,
  }
}
