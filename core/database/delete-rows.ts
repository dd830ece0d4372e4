import type { Knex } from 'knex'

/**
 * Deletes rows of an organization from a table with an `id` and an `organization`.
 * @param limit the most rows, so that no transaction becomes long
 * @returns the number of rows that were deleted
 */
export async function deleteOrganizationRows(
  trx: Knex,
  table: string,
  organization: string,
  limit: number,
): Promise<number> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `delete from ?? where id = any(array(select id from ?? where organization = ? limit ?))`,
    [table, table, organization, limit],
  )
  return rowCount
}
