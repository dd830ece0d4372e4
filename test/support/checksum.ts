import { matchesGlob } from 'node:path'
import type { Knex } from 'knex'

/** What of a database is not looked at. */
export interface Unseen {
  readonly tables: readonly string[]
  /** Columns by `table.column`, also with `*`, with what is read in their place; null for nothing. */
  readonly columns: Readonly<Record<string, string | null>>
}

interface Column {
  table: string
  column: string
}

/**
 * Checksums of the rows of every table, whatever their order, by the table's name.
 * @param naming only rows that have this text somewhere
 */
export async function checksums(db: Knex, unseen: Unseen, naming = ''): Promise<Map<string, string>> {
  const { rows } = await db.raw<{ rows: Column[] }>(`
    select c.relname as table, a.attname as column
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
      and a.attnum > 0 and not a.attisdropped
    order by 1, a.attnum`)
  const readAs = ({ table, column }: Column) => {
    const found = Object.entries(unseen.columns).find(([pattern]) => matchesGlob(`${table}.${column}`, pattern))
    return found ? found[1] : `"${column}"`
  }
  const seen = rows.filter((one) => !unseen.tables.includes(one.table) && readAs(one) !== null)
  const tables = [...new Set(seen.map(({ table }) => table))]
  const parts = tables.map((table) => {
    const columns = seen.filter((one) => one.table === table).map(readAs).join(', ')
    const sum = `md5(coalesce(string_agg(md5(one::text), '' order by md5(one::text)), ''))`
    const rowsOf = `(select ${columns} from "${table}") one where position(:naming in one::text) > 0`
    return `select '${table}' as table, ${sum} as sum from ${rowsOf}`
  })
  const sums = await db.raw<{ rows: { table: string; sum: string }[] }>(parts.join(' union all '), { naming })
  return new Map(sums.rows.map(({ table, sum }) => [table, sum]))
}

/** Names of the tables that differ. */
export const changed = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] =>
  [...after.keys()].filter((table) => before.get(table) !== after.get(table))
