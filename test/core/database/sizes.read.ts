import pg from 'pg'

export interface IndexSize {
  table: string
  index: string
  scans: number
  bytes: number
  unique: boolean
  rows: number
}
export interface TableSize {
  table: string
  rows: number
  heap: number
  toast: number
  indexes: number
}
export interface Sizes {
  indexes: IndexSize[]
  tables: TableSize[]
}

/** Bytes of tables and indexes, partitions as parts of their table, and how often each index was used. Others are cut off. */
export async function readSizes(database: string): Promise<Sizes> {
  const db = new pg.Client({ connectionString: database })
  await db.connect()
  try {
    // What a connection has counted is known to others when it ends, at the latest.
    await db.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and usename = current_user and pid <> pg_backend_pid()`)
    await db.query('vacuum (analyze)')
    const { rows: indexes } = await db.query<IndexSize>(`
      select coalesce(ofall.relname, s.relname) as table, coalesce(whole.relname, s.indexrelname) as index,
        sum(s.idx_scan)::float8 as scans, sum(pg_relation_size(s.indexrelid))::float8 as bytes, bool_or(i.indisunique) as unique,
        sum(greatest(own.reltuples, 0))::float8 as rows
      from pg_stat_user_indexes s join pg_index i on i.indexrelid = s.indexrelid join pg_class own on own.oid = s.indexrelid
      left join pg_inherits partof on partof.inhrelid = s.relid left join pg_class ofall on ofall.oid = partof.inhparent
      left join pg_inherits piece on piece.inhrelid = s.indexrelid left join pg_class whole on whole.oid = piece.inhparent
      where s.schemaname = 'public' group by 1, 2 order by 1, 2`)
    const { rows: tables } = await db.query<TableSize>(`
      select coalesce(ofall.relname, c.relname) as table, sum(greatest(c.reltuples, 0))::float8 as rows,
        sum(pg_relation_size(c.oid))::float8 as heap, sum(pg_table_size(c.oid) - pg_relation_size(c.oid))::float8 as toast,
        sum(pg_indexes_size(c.oid))::float8 as indexes
      from pg_class c left join pg_inherits partof on partof.inhrelid = c.oid left join pg_class ofall on ofall.oid = partof.inhparent
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' group by 1 order by 1`)
    return { indexes, tables }
  } finally {
    await db.end()
  }
}
