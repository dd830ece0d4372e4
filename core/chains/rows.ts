import type { Knex } from 'knex'

/** The rows of a statement. Numbers of type bigint may come as text: `Number` reads both. */
export async function rowsOf<T>(db: Knex, sql: string, bindings: readonly unknown[] = []): Promise<T[]> {
  const { rows } = await db.raw<{ rows: T[] }>(sql, bindings as Knex.RawBinding[])
  return rows
}

/** How many rows a statement changed. */
export async function changed(db: Knex, sql: string, bindings: readonly unknown[] = []): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number | null }>(sql, bindings as Knex.RawBinding[])
  return rowCount ?? 0
}
