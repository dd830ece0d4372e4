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
