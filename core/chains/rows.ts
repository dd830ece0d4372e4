import type { Knex } from 'knex'
import type { Network } from './networks.ts'

/** The rows of a statement. Numbers of type bigint may come as text: `Number` reads both. */
export async function rowsOf<T>(db: Knex, sql: string, bindings: readonly unknown[] = []): Promise<T[]> {
  const { rows } = await db.raw<{ rows: T[] }>(sql, bindings as Knex.RawBinding[])
  return rows
}

/** One sending address on one network. */
export interface Whose { network: Network; address: string }

/** How many rows a statement changed. */
export async function changed(db: Knex, sql: string, bindings: readonly unknown[] = []): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number | null }>(sql, bindings as Knex.RawBinding[])
  return rowCount ?? 0
}

/** Names of columns with one array each, as `unnest` takes them: the values of one member of every row. */
export function columnOf<T, K extends keyof T>(rows: readonly T[], name: K): (NonNullable<T[K]> | null)[] {
  return rows.map((row) => row[name] ?? null)
}
