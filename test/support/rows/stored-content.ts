import type { Knex } from 'knex'

/** Lists the tables that have one of these texts in any column of any row. */
export async function listTablesWithText(db: Knex, texts: readonly string[]): Promise<string[]> {
  const tables = await db('pg_tables').where({ schemaname: 'public' }).pluck<string[]>('tablename')
  const found: string[] = []
  for (const table of tables) {
    const { rows } = await db.raw<{ rows: unknown[] }>(
      `select from ?? as t where ${texts.map(() => 'strpos(t::text, ?) > 0').join(' or ')} limit 1`,
      [table, ...texts],
    )
    if (rows.length > 0) found.push(table)
  }
  return found
}

/**
 * Computes one word of everything of an organization that a request can write. What jobs change later is left out, as
 * are the jobs that they start, and the records of what happened.
 */
export async function computeStoredChecksum(db: Knex, organization: string): Promise<string> {
  const { rows } = await db.raw<{ rows: { word: string }[] }>(checksumQuery, { organization })
  return rows[0]?.word ?? ''
}

const checksumQuery = `
  select concat_ws(' ',
    (select concat(count(*), md5(string_agg(t::text, '' order by id))) from applications t
      where organization = :organization),
    (select concat(count(*), md5(string_agg(t::text, '' order by id))) from sheets t
      where organization = :organization),
    (select concat(count(*), md5(string_agg(concat(id, sheet, reference, fields, certified_paths, certificate_uri,
      allowed_claim_email, allowed_claim_phone_number), '' order by id))) from passports t
      where organization = :organization),
    (select concat(count(*), md5(string_agg(t::text, ''))) from did_web_domains t where organization = :organization),
    (select count(*) from certification_keys t where organization = :organization),
    (select count(*) from imports t where organization = :organization and name = 'batch'),
    (select count(*) from import_uploads t where organization = :organization and job is null),
    (select concat(count(*), md5(string_agg(concat(id, name, type, url, schedule, rows), '' order by id)))
      from import_mappers t where organization = :organization),
    (select count(*) from jobs t
      where organization = :organization and type not in ('structure', 'rotate', 'import'))) as word`
