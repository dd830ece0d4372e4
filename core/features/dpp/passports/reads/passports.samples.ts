import type { Knex } from 'knex'

/**
 * Finds the published passport of a sheet that was changed last, as an example of its page. It is read from the end of an
 * index, however many passports the sheet has.
 * @returns its id; null if there is none
 */
export async function findPublishedPassport(
  trx: Knex,
  { organization, sheet }: { organization: string; sheet: string },
): Promise<string | null> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `select id from (
       select id, organization from passports where sheet = ? and status = 'published' order by updated_at desc limit 1
     ) as newest where organization = ?`,
    [sheet, organization],
  )
  return rows[0]?.id ?? null
}
