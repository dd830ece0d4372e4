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

/**
 * Creates the SQL of the statistics. It is one statement, so that all figures are of the same moment.
 * @param passports the SQL of the one row with the figures of passports
 * @param claims the condition of the claims @param scans the condition of the scans
 */
const createCountSql = (passports: string, claims: string, scans: string) => `
  select passport.total, passport.draft, passport.published, passport.claimed, passport.archived, passport.minted,
    claim.pending, claim.completed, claim.failed, scan.scans,
    greatest(passport.last_at, claim.last_at, scan.last_at) as last_activity_at
  from (${passports}) as passport, (
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
  `select count(*) as total, max(updated_at) as last_at, count(minted_at) as minted,
     count(*) filter (where status = 'draft') as draft, count(*) filter (where status = 'published') as published,
     count(*) filter (where status = 'claimed') as claimed, count(*) filter (where status = 'archived') as archived
   from passports where sheet = :sheet`,
  'passport in (select id from passports where sheet = :sheet)',
  "(case when jsonb_typeof(passport->'product') = 'string' then passport->>'product' end) = :sheet::text",
)
/** The passports of an organization may be millions: their states are maintained counts, see migration 008. */
const organizationCountSql = createCountSql(
  `select kept.*, kept.draft + kept.published + kept.claimed + kept.archived as total,
     (select count(*) from passports where organization = :organization and minted_at is not null) as minted,
     (select updated_at from passports where organization = :organization
      order by updated_at desc, id desc limit 1) as last_at
   from (
     select ${['draft', 'published', 'claimed', 'archived']
       .map((status) => `coalesce(sum(delta) filter (where value = '${status}'), 0)::bigint as ${status}`)
       .join(', ')}
     from passport_counts where organization = :organization and dimension = 'status'
   ) as kept`,
  'organization = :organization',
  'true',
)

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
