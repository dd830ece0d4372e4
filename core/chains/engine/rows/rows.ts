import type { Knex } from 'knex'

/** Returns the rows of a statement. Numbers of type bigint may come as text; `Number` reads both. */
export async function queryRows<T>(db: Knex, sql: string, bindings: readonly unknown[] = []): Promise<T[]> {
  const { rows } = await db.raw<{ rows: T[] }>(sql, bindings as Knex.RawBinding[])
  return rows
}

/** Executes a statement. @returns number of changed rows */
export async function executeStatement(db: Knex, sql: string, bindings: readonly unknown[] = []): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number | null }>(sql, bindings as Knex.RawBinding[])
  return rowCount ?? 0
}

/** Returns the values of one property of every row, as an array for `unnest`. Missing values become null. */
export function getColumn<T, K extends keyof T>(rows: readonly T[], name: K): (NonNullable<T[K]> | null)[] {
  return rows.map((row) => row[name] ?? null)
}
