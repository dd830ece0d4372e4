import type { Knex } from 'knex'
import { raw } from 'objection'
import { applyFilters, createModelSource, listPage, withoutTotal } from '../../../../database/list/index.ts'
import type { PageRequest } from '../../../../kernel/page.ts'
import { createPassportCountSql } from '../passports.counts.ts'
import { passportColumns, PassportRow } from '../passports.model.ts'

/** Queries the passports of an organization, for those who add filters. */
export const queryPassports = (trx: Knex, organization: string) =>
  PassportRow.query(trx).modify('ofOrganization', organization)

/** Reads passports of an organization in the order of `ids`. A passport that is gone is left out. */
export async function readPassportsInOrder(
  trx: Knex,
  organization: string,
  ids: readonly string[],
): Promise<PassportRow[]> {
  const rows = await queryPassports(trx, organization).whereRaw('passports.id = any(?::uuid[])', [ids as string[]])
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** What decides whether a passport can be deleted or archived. */
export type RemovablePassport = Pick<PassportRow, 'id' | 'status' | 'source' | 'mintQueuedAt'>

/** Reads of passports of an organization what decides whether they can be deleted or archived, by id. */
export async function readRemovablePassports(
  trx: Knex,
  organization: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RemovablePassport>> {
  const rows = await queryPassports(trx, organization)
    .select('passports.id', 'passports.status', 'passports.source', 'passports.mint_queued_at')
    .whereRaw('passports.id = any(?::uuid[])', [ids as string[]])
  return new Map(rows.map((row) => [row.id, row]))
}

/** A passport with the bytes of its content as they are stored. */
export interface SizedPassport {
  id: string
  bytes: number
}

/** The SQL of the stored size of a passport's content, which is known without reading the content. */
const storedBytesSql = `(pg_column_size(passports.fields) + coalesce(pg_column_size(passports.product), 0)
  + coalesce(pg_column_size(passports.data), 0)) as bytes`

/**
 * Lists the sizes of the passports of an organization on one page, of any size.
 * @returns the passports, and the cursor of the page that follows; null if none does
 */
export async function listPassportSizes(
  trx: Knex,
  organization: string,
  page: PageRequest,
): Promise<{ passports: SizedPassport[]; nextCursor: string | null }> {
  const query = queryPassports(trx, organization).select('passports.id', raw(storedBytesSql))
  const { data, nextCursor } = await listPage(withoutTotal(createModelSource(query)), page, passportColumns)
  return { passports: data as unknown as SizedPassport[], nextCursor }
}

/**
 * Checks whether more passports of an organization than a limit match the filters of a page. Where their number is not
 * maintained, at most one more than the limit is looked at.
 */
export async function hasMorePassports(
  trx: Knex,
  organization: string,
  page: PageRequest,
  limit: number,
): Promise<boolean> {
  const maintained = createPassportCountSql(organization, page)
  const counted = maintained ? trx.raw(`select (${maintained.sql}) as count`, maintained.bindings) : countRows()
  const { rows } = (await counted) as { rows: { count: number }[] }
  return (rows[0]?.count ?? 0) > limit

  function countRows() {
    const matching = queryPassports(trx, organization).select(raw('1'))
    applyFilters(matching, page, passportColumns)
    return trx.raw('select count(*) as count from (?) as matching', [matching.limit(limit + 1).toKnexQuery()])
  }
}
