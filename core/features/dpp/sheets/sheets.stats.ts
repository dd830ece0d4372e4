import type { Knex } from 'knex'
import type { SheetRow } from './sheets.model.ts'
import type { SheetStats, SheetsStats } from './sheets.schema.ts'

type Activity = Omit<SheetStats, 'product'>

/** Figures that are maintained in `passport_counts`, by the status of passports and claims; see migrations 008 and 093. */
const statusFigures = ['draft', 'published', 'claimed', 'archived'] as const
const claimFigures = ['pending', 'completed', 'failed'] as const

/** The row of the statistics: counts and the instant of the last activity. */
interface ActivityRow {
  counts: Record<(typeof statusFigures)[number] | (typeof claimFigures)[number] | 'minted', number>
  scans: number
  last_activity_at: Date | null
}

/** A maintained count of passports or claims. */
interface MaintainedCount {
  figure: keyof ActivityRow['counts']
  dimension: string
  value: string
}

const listSheetCounts = (sheet: string): MaintainedCount[] => [
  ...statusFigures.map((figure) => ({ figure, dimension: 'product.status', value: `${sheet} ${figure}` })),
  ...claimFigures.map((figure) => ({ figure, dimension: 'product.claim.status', value: `${sheet} ${figure}` })),
  { figure: 'minted', dimension: 'product.minted', value: sheet },
]

const organizationCounts: readonly MaintainedCount[] = [
  ...statusFigures.map((figure) => ({ figure, dimension: 'status', value: figure })),
  ...claimFigures.map((figure) => ({ figure, dimension: 'claim.status', value: figure })),
  { figure: 'minted', dimension: 'minted', value: '' },
]

/**
 * Creates the SQL of the statistics. It is one statement, so that all figures are of the same moment. Passports, claims and
 * scans may be millions: what is read of them is their maintained counts and the end of an index.
 * @param lastPassport the SQL of the newest change of passports
 * @param claims the condition of the claims @param scans that of the counts of scans
 */
const createCountSql = (lastPassport: string, claims: string, scans: string) => `
  select counted.counts, scan.scans, greatest((${lastPassport}), (
      select updated_at from claims where ${claims} order by updated_at desc limit 1
    ), scan.last_at) as last_activity_at
  from (
    select json_object_agg(wanted.figure, (
      select coalesce(sum(delta), 0)::bigint from passport_counts
      where organization = :organization and dimension = wanted.dimension and value = wanted.value)) as counts
    from unnest(:figures::text[], :dimensions::text[], :values::text[]) as wanted (figure, dimension, value)
  ) as counted, (
    select coalesce(sum(number), 0)::bigint as scans, max(last_at) as last_at from scan_counts
    where organization = :organization and ${scans}
  ) as scan
`

const sheetCountSql = createCountSql(
  `select max(newest.updated_at) from unnest(array['${statusFigures.join("', '")}']) as given (status), lateral (
     select updated_at from passports where sheet = :sheet and status = given.status
     order by updated_at desc limit 1) as newest`,
  'passport_sheet = :sheet',
  'sheet = :sheet',
)
const organizationCountSql = createCountSql(
  `select updated_at from passports where organization = :organization order by updated_at desc, id desc limit 1`,
  'organization = :organization',
  'true',
)

async function readActivity(
  db: Knex,
  sql: string,
  { counts, ...bindings }: { organization: string; sheet?: string; counts: readonly MaintainedCount[] },
): Promise<Activity> {
  const { rows } = await db.raw<{ rows: [ActivityRow] }>(sql, {
    ...bindings,
    figures: counts.map(({ figure }) => figure),
    dimensions: counts.map(({ dimension }) => dimension),
    values: counts.map(({ value }) => value),
  })
  return toActivity(rows[0])
}

/** Reads the statistics of the passports of one sheet. */
export async function readSheetStats(db: Knex, { id, organization }: SheetRow): Promise<SheetStats> {
  const activity = await readActivity(db, sheetCountSql, { organization, sheet: id, counts: listSheetCounts(id) })
  return { product: id, ...activity }
}

/** Reads the statistics of all passports of an organization, with the number of its sheets by status. */
export async function readOrganizationStats(db: Knex, organization: string): Promise<SheetsStats> {
  const activity = await readActivity(db, organizationCountSql, { organization, counts: organizationCounts })
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
  return { products, ...activity }
}

function toActivity({ counts, scans, last_activity_at: lastActivityAt }: ActivityRow): Activity {
  const { draft, published, claimed, archived, minted, pending, completed, failed } = counts
  return {
    passports: { total: draft + published + claimed + archived, draft, published, claimed, archived },
    minted,
    claims: { pending, completed, failed },
    scans,
    lastActivityAt: lastActivityAt?.toISOString() ?? null,
  }
}
