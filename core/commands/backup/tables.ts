import type { Client } from 'pg'
import { restoreTable } from '../../database/restore-state.ts'
import type { Sequence } from './archive.ts'

/** A table as an archive contains it: as a whole, even if it has partitions. */
export interface BackupTable {
  schema: string
  name: string
  columns: string[]
}

export const quoteName = (name: string) => `"${name.replaceAll('"', '""')}"`
export const quoteTable = ({ schema, name }: { schema: string; name: string }) =>
  `${quoteName(schema)}.${quoteName(name)}`

/** The tables in which migrations and restores keep their own state. */
const ownTables = `'knex_migrations', 'knex_migrations_lock', '${restoreTable}'`

/**
 * Reads the tables of a schema from the database itself, so that tables that are added later are included. Each table
 * comes after the tables that it refers to. Columns that the database computes are left out.
 */
export async function readBackupTables(client: Client, schema: string): Promise<BackupTable[]> {
  const { rows } = await client.query<BackupTable & { id: number; needs: number[] }>(
    `
    select c.oid::int as id, n.nspname::text as schema, c.relname::text as name,
      coalesce((select array_agg(a.attname::text order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''), '{}') as columns,
      coalesce((select array_agg(distinct k.confrelid::int) from pg_constraint k
        where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid), '{}') as needs
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1 and c.relkind in ('r', 'p') and not c.relispartition and c.relname not in (${ownTables})
    order by c.relname`,
    [schema],
  )
  const sorted: typeof rows = []
  while (sorted.length < rows.length) {
    const done = new Set(sorted.map(({ id }) => id))
    const ready = rows.filter(({ id, needs }) => !done.has(id) && needs.every((need) => done.has(need)))
    if (ready.length === 0)
      throw new Error('tables refer to each other in a circle: they cannot be restored one after the other')
    sorted.push(...ready)
  }
  return sorted.map(({ name, columns }) => ({ schema, name, columns }))
}

/** Finds the tables of a schema that have rows. @returns their names */
export async function findTablesWithRows(client: Client, schema: string): Promise<string[]> {
  const tables = await readBackupTables(client, schema)
  const found = await client.query<{ name: string }>(
    tables
      .map((table, at) => `select '${table.name}' as name where exists (select from ${quoteTable(table)}) -- ${at}`)
      .join('\nunion all ') || 'select where false',
  )
  return found.rows.map(({ name }) => name)
}

/** Reads the last values of the sequences of a schema, except those of the migrations' own tables. */
export async function readSequences(client: Client, schema: string): Promise<Sequence[]> {
  const { rows } = await client.query<Sequence>(
    `
    select schemaname as schema, sequencename as name, last_value::text as value from pg_sequences
    where schemaname = $1 and last_value is not null and sequencename not like 'knex_migrations%'`,
    [schema],
  )
  return rows
}
