import type { DirectDatabase, Statement } from '../../../database/connection.ts'
import { createStatementSource, listPage, withoutTotal, type Sql } from '../../../database/list/index.ts'
import { toColumn } from '../../../database/projection.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { mapPageResult, readAllPages, type PageResult, type PageRequest } from '../../../kernel/page.ts'
import type { Context } from '../../../kernel/work.ts'
import { batchCalls } from '../../../queue/batch-calls.ts'
import { createPassportCountSql } from './passports.counts.ts'
import { shownColumns, type ShownPassport } from './passports.members.ts'
import { relatedColumnsSql, passportColumns, type PassportRow } from './passports.model.ts'
import { createReaderPassportSql, presentPassport } from './passports.present.ts'
import type { Passport } from './passports.schema.ts'

interface PassportRequest {
  id: string
  organization: string | null
}
type VisiblePassport = Passport | null

/**
 * The statement that reads several passports by their ids. Its arrays are inside selects, so that the planner does not
 * see their lengths; otherwise it would plan each call anew.
 */
const passportsById: Statement = {
  name: 'passports_by_id',
  text: `select ${createReaderPassportSql('passports.organization = asked.organization')} as shown
    from unnest((select $1::uuid[]), (select $2::uuid[])) with ordinality as asked (id, organization, place)
    left join passports on passports.id = asked.id order by asked.place`,
}

/** The readers of passports, one for each connection pool; each joins concurrent calls into one statement. */
const readers = new WeakMap<DirectDatabase, (request: PassportRequest) => Promise<VisiblePassport>>()

function getReader(direct: DirectDatabase): (request: PassportRequest) => Promise<VisiblePassport> {
  const known = readers.get(direct)
  if (known) return known
  const made = batchCalls<PassportRequest, VisiblePassport>(
    async (requests) => {
      const values = [requests.map(({ id }) => id), requests.map(({ organization }) => organization)]
      return (await direct.queryRows<{ shown: VisiblePassport }>(passportsById, values)).map(({ shown }) => shown)
    },
    { maxBatchSize: 32, maxConcurrentBatches: 2 },
  )
  readers.set(direct, made)
  return made
}

/**
 * Finds a passport as a reader may see it; null if there is none.
 * @param organization the organization whose passports the reader may see in full; null for none
 */
export function findVisiblePassport(
  direct: DirectDatabase,
  id: string,
  organization: string | null,
): Promise<VisiblePassport> {
  return getReader(direct)({ id, organization })
}

/** The instants of a row, which the driver returns as dates. */
type InstantMembers = Pick<PassportRow, 'certifiedAt' | 'trustEnrolledAt' | 'createdAt' | 'updatedAt'>
type ListedRow = Omit<ShownPassport, keyof InstantMembers> & {
  [Name in keyof InstantMembers]: Date | Extract<InstantMembers[Name], null>
}

/**
 * The columns of the list. The list reads columns instead of JSON, because creating the JSON of many rows would be most
 * of PostgreSQL's work.
 */
const listColumnsSql = [
  ...shownColumns.map((name) => `passports.${toColumn(name)} as "${name}"`),
  ...Object.entries(relatedColumnsSql).map(([name, sql]) => `${sql} as "${name}"`),
].join(', ')

const presentRow = (row: ListedRow): Passport =>
  presentPassport(
    {
      ...row,
      certifiedAt: row.certifiedAt?.toISOString() ?? null,
      trustEnrolledAt: row.trustEnrolledAt?.toISOString() ?? null,
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
    },
    'owner',
  )

function createPassportSource(direct: DirectDatabase, organization: string, page: PageRequest) {
  const tenancy: Sql = { sql: 'passports.organization = ?', bindings: [organization] }
  const counted = createPassportCountSql(organization, page)
  return createStatementSource<ListedRow>(direct, { table: 'passports', selected: listColumnsSql, tenancy, counted })
}

/** The number of passports that `readAllPassports` holds at a time; each may be large. */
const maxBatchSize = 200

/** Reads all passports of an organization that match the filters of a page, in its order, outside any transaction. */
export function readAllPassports(
  { directDatabase }: Pick<Context, 'directDatabase'>,
  { organization }: OrganizationCaller,
  page: PageRequest,
): AsyncGenerator<Passport[]> {
  const source = withoutTotal(createPassportSource(directDatabase, organization, page))
  return readAllPages({ ...page, pageSize: maxBatchSize }, async (request) =>
    mapPageResult(await listPage(source, request, passportColumns), presentRow),
  )
}

/** Lists the passports of an organization as the organization sees them. */
export async function listPassportRows(
  direct: DirectDatabase,
  organization: string,
  page: PageRequest,
): Promise<PageResult<Passport>> {
  const rows = createPassportSource(direct, organization, page)
  return mapPageResult(await listPage(rows, page, passportColumns), presentRow)
}
