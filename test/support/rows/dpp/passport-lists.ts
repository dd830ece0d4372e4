import type { Knex } from 'knex'
import { v7 } from 'uuid'
import type { DirectDatabase, Statement } from '../../../../core/database/connection.ts'
import { createModelSource, listPage } from '../../../../core/database/list/index.ts'
import { PassportRow, passportColumns } from '../../../../core/features/dpp/passports/passports.model.ts'
import { listPassportRows } from '../../../../core/features/dpp/passports/passports.reads.ts'
import type { PageRequest, PageResult } from '../../../../core/kernel/page.ts'

/** The sheet of passports to insert, and whose it is. */
export interface SheetOwner {
  organization: string
  application: string
  sheet: string
}

/** A passport as a test of lists wants it; what it leaves out does not matter. */
export interface ListedPassport {
  id?: string
  application?: string
  status?: string
  source?: string
  reference?: string | null
  email?: string | null
  /** Makes it one of the product flow. */
  product?: object | null
  structure?: string | null
  certify?: string | null
  mintedTo?: string | null
  createdAt?: string
  updatedAt?: string
}

/** Inserts passports as they are described, behind the API: their instants have to be known. */
export async function insertListedPassports(
  db: Knex,
  { organization, application, sheet }: SheetOwner,
  passports: readonly ListedPassport[],
): Promise<void> {
  const now = new Date().toISOString()
  await db.batchInsert(
    'passports',
    passports.map((passport) => ({
      id: passport.id ?? v7(),
      organization,
      application: passport.application ?? application,
      sheet: passport.product ? null : sheet,
      product: passport.product ? JSON.stringify(passport.product) : null,
      structure_job: passport.structure ? v7() : null,
      structure_job_status: passport.structure ?? null,
      certify_job: passport.certify ? v7() : null,
      certify_job_status: passport.certify ?? null,
      minted_to: passport.mintedTo ?? null,
      network: 'EthereumAnvil',
      status: passport.status ?? 'draft',
      source: passport.source ?? 'manual',
      reference: passport.reference ?? null,
      allowed_claim_email: passport.email ?? null,
      created_at: passport.createdAt ?? now,
      updated_at: passport.updatedAt ?? passport.createdAt ?? now,
    })),
    500,
  )
}

/**
 * Inserts this many passports, a third of them drafts and the others published, seven in each second from the beginning
 * of 2026, and lets PostgreSQL count its rows, without which its plans are those of few.
 */
export async function insertManyPassports(
  db: Knex,
  { organization, application, sheet }: SheetOwner,
  count: number,
): Promise<void> {
  await db.raw(
    `insert into passports (id, organization, application, sheet, network, status, reference, created_at, updated_at)
     select gen_random_uuid(), ?, ?, ?, 'EthereumAnvil', case when n % 3 = 0 then 'draft' else 'published' end, 'row-' || n,
       '2026-01-01Z'::timestamptz + n / 7 * interval '1 second', now()
     from generate_series(1, ?::int) n`,
    [organization, application, sheet, count],
  )
  await db.raw('analyze')
}

/** Lists passports in an order that may name `reference`, a member that some lack; no list of the API has such a one. */
export function listPassportsByReference(
  db: Knex,
  organization: string,
  page: PageRequest,
): Promise<PageResult<{ reference: string | null }>> {
  const passports = createModelSource(PassportRow.query(db).modify('ofOrganization', organization))
  return listPage(passports, page, { ...passportColumns, reference: { sql: 'passports.reference', nullable: true } })
}

/** A statement that a list sent to the database. */
export interface SentStatement {
  statement: Statement
  values: readonly unknown[]
}

/** Lists a page of passports as the API does, and returns the statement that read its rows. */
export async function recordListStatement(
  direct: DirectDatabase,
  organization: string,
  page: PageRequest,
): Promise<SentStatement> {
  const sent: SentStatement[] = []
  const recording: DirectDatabase = {
    queryRows: (statement, values) => {
      sent.push({ statement, values })
      return direct.queryRows(statement, values)
    },
    // Gives up counting at once, so that no other statement is in the way.
    queryRowsWithin: async () => null,
  }
  await listPassportRows(recording, organization, page)
  const [first] = sent
  if (!first) throw new Error('The list sent no statement')
  return first
}

/** A node of a plan as EXPLAIN tells it, with what tests read of it. Source: PostgreSQL, EXPLAIN (FORMAT JSON). */
export interface PlanNode {
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

const listPlanNodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(listPlanNodes)]

/** Runs a statement again and lists the nodes of its plan that read passports. */
export async function listPassportReads(
  direct: DirectDatabase,
  { statement, values }: SentStatement,
): Promise<PlanNode[]> {
  const [row] = await direct.queryRows<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    { text: `explain (analyze, format json) ${statement.text}` },
    values,
  )
  if (!row) throw new Error('PostgreSQL returned no plan')
  return listPlanNodes(row['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] === 'passports')
}
