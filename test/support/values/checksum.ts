import { matchesGlob } from 'node:path'
import type { Knex } from 'knex'

/** The tables and columns that the checksums leave out. */
export interface ChecksumExclusions {
  readonly tables: readonly string[]
  /**
   * Columns as `table.column`, also with `*`, each with the expression to read in its place; null leaves the column
   * out.
   */
  readonly columns: Readonly<Record<string, string | null>>
}

interface Column {
  table: string
  column: string
}

/**
 * Computes a checksum of the rows of every table, in any order of rows. @returns the checksums by table name
 * @param containedText only rows that contain this text count
 */
export async function computeChecksums(
  db: Knex,
  exclusions: ChecksumExclusions,
  containedText = '',
): Promise<Map<string, string>> {
  const { rows } = await db.raw<{ rows: Column[] }>(`
    select c.relname as table, a.attname as column
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
      and a.attnum > 0 and not a.attisdropped
    order by 1, a.attnum`)
  const getColumnExpression = ({ table, column }: Column) => {
    const found = Object.entries(exclusions.columns).find(([pattern]) => matchesGlob(`${table}.${column}`, pattern))
    return found ? found[1] : `"${column}"`
  }
  const includedColumns = rows.filter(
    (one) => !exclusions.tables.includes(one.table) && getColumnExpression(one) !== null,
  )
  const tables = [...new Set(includedColumns.map(({ table }) => table))]
  const parts = tables.map((table) => {
    const columns = includedColumns
      .filter((one) => one.table === table)
      .map(getColumnExpression)
      .join(', ')
    const sum = `md5(coalesce(string_agg(md5(one::text), '' order by md5(one::text)), ''))`
    const rowsQuery = `(select ${columns} from "${table}") one where position(:naming in one::text) > 0`
    return `select '${table}' as table, ${sum} as sum from ${rowsQuery}`
  })
  const sums = await db.raw<{ rows: { table: string; sum: string }[] }>(parts.join(' union all '), {
    naming: containedText,
  })
  return new Map(sums.rows.map(({ table, sum }) => [table, sum]))
}

/** Returns the names of the tables whose checksums differ. */
export const findChangedTables = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] =>
  [...after.keys()].filter((table) => before.get(table) !== after.get(table))
