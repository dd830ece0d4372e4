import type { Knex } from 'knex'

/** Lists all tables of the product, those of the signer as `signer.…`. Of a table by months only it and its rest are listed. */
export async function listTables(db: Knex): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select case n.nspname when 'public' then '' else n.nspname || '.' end || c.relname as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('public', 'signer') and c.relkind in ('r', 'p')
       and (not c.relispartition or pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT')`,
  )
  return rows.map(({ name }) => name)
}

/** Lists the tables that the role of the API may read. */
const listReadableTables = async (db: Knex) => (await listTables(db)).filter((name) => !name.startsWith('signer.'))

export interface TableSize {
  rows: number
  /** With its indexes and whatever lies beside it; of a table by months with all of its parts. */
  bytes: number
}

/** Measures every table but those of the signer. */
export async function measureTables(db: Knex): Promise<Readonly<Record<string, TableSize>>> {
  const names = await listReadableTables(db)
  const { rows } = await db.raw<{ rows: (TableSize & { name: string })[] }>(
    names
      .map(
        () => `select ?::text as name, (select count(*)::int from ??) as rows,
          (select sum(pg_total_relation_size(part))::float8 from (
            select ?::regclass as part union all select inhrelid from pg_inherits where inhparent = ?::regclass) parts) as bytes`,
      )
      .join(' union all '),
    names.flatMap((name) => [name, name, name, name]),
  )
  return Object.fromEntries(rows.map(({ name, ...size }) => [name, size]))
}

/** Vacuums every table but those of the signer, as the server does by itself in its own time. */
export async function vacuumTables(db: Knex): Promise<void> {
  const names = await listReadableTables(db)
  await db.raw(`vacuum ${names.map(() => '??').join(', ')}`, names)
}
