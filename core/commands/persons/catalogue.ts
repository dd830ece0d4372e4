import type { Client } from 'pg'

/** A column that may hold the address of a person. */
export interface SearchedColumn {
  name: string
  type: 'text' | 'text[]' | 'json' | 'jsonb' | 'bytea'
}

/** A table as it is stored. A partition is listed by itself, and `shown` is the name of its partitioned table. */
export interface SearchedTable {
  name: string
  shown: string
  columns: SearchedColumn[]
}

/** A column that refers to users or accounts. `cascades`: its rows are deleted together with the user or account. */
export interface Reference {
  table: string
  column: string
  to: 'users' | 'accounts'
  cascades: boolean
}

/**
 * Reads the tables from the database itself, so that tables that are added later are searched too. Columns that the
 * database computes are left out, because they follow the columns that they are computed from.
 */
export async function readTables(client: Client): Promise<SearchedTable[]> {
  const { rows } = await client.query<{ name: string; shown: string; column: string; type: string }>(`
    select c.oid::regclass::text as name, coalesce(parent.relname, c.relname) as shown, quote_ident(a.attname) as column,
      replace(format_type(a.atttypid, null), 'character varying', 'text') as type
    from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      left join pg_inherits i on i.inhrelid = c.oid left join pg_class parent on parent.oid = i.inhparent
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname not like 'knex_migrations%'
      and format_type(a.atttypid, null) in ('text', 'character varying', 'text[]', 'json', 'jsonb', 'bytea')
    order by c.relname, a.attnum`)
  const tables = new Map<string, SearchedTable>()
  for (const { name, shown, column, type } of rows) {
    const table = tables.get(name) ?? { name, shown, columns: [] }
    table.columns.push({ name: column, type: type as SearchedColumn['type'] })
    tables.set(name, table)
  }
  return [...tables.values()]
}

/** Reads the columns that refer to users and accounts. */
export async function readReferences(client: Client): Promise<Reference[]> {
  const { rows } = await client.query<Reference>(`
    select k.conrelid::regclass::text as table, quote_ident(a.attname) as column, k.confrelid::regclass::text as to,
      k.confdeltype = 'c' as cascades
    from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    where k.contype = 'f' and k.confrelid in ('users'::regclass, 'accounts'::regclass) and k.conparentid = 0
    order by 1, 2`)
  return rows
}
