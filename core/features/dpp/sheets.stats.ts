import type { Knex } from 'knex'
import type { SheetRow } from './sheets.model.ts'
import type { SheetStats, SheetsStats } from './sheets.schema.ts'

type Activity = Omit<SheetStats, 'product'>

/** Everything in numbers but the instant, as one row. */
interface Counted {
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

/** One statement, so that the figures are of one moment. */
const countedBy = (passports: string, claims: string, scans: string) => `
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

const ofSheet = countedBy(
  'sheet = :sheet',
  'passport in (select id from passports where sheet = :sheet)',
  "(case when jsonb_typeof(passport->'product') = 'string' then passport->>'product' end) = :sheet::text",
)
const ofOrganization = countedBy('organization = :organization', 'organization = :organization', 'true')

/** What became of the passports of one sheet. */
export async function sheetStats(db: Knex, { id, organization }: SheetRow): Promise<SheetStats> {
  const { rows: [counted] } = await db.raw<{ rows: Counted[] }>(ofSheet, { sheet: id, organization })
  return { product: id, ...activityOf(counted as Counted) }
}

/** What became of all passports of an organization, with its sheets by status. */
export async function organizationStats(db: Knex, organization: string): Promise<SheetsStats> {
  const { rows: [counted] } = await db.raw<{ rows: Counted[] }>(ofOrganization, { organization })
  const sheets = await db('sheets').where({ organization }).groupBy('status').select('status').count({ count: '*' }) as
    { status: keyof SheetsStats['products']; count: number }[]
  const products = { total: 0, DRAFT: 0, ACTIVE: 0, UNLISTED: 0, ARCHIVED: 0 }
  for (const { status, count } of sheets) {
    products[status] = count
    products.total += count
  }
  return { products, ...activityOf(counted as Counted) }
}

function activityOf(counted: Counted): Activity {
  const { total, draft, published, claimed, archived, minted, pending, completed, failed, scans } = counted
  return {
    passports: { total, draft, published, claimed, archived },
    minted,
    claims: { pending, completed, failed },
    scans,
    lastActivityAt: counted.last_activity_at?.toISOString() ?? null,
  }
}
